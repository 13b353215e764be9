import { type Detection, matchAt, type RedactionType } from '../detection.js';
import { isPlaceholder } from './placeholder.js';

interface VendorToken {
  /** Its first characters; they end in one of `_-.:`, or are letters that seldom stand together. */
  readonly head: string;
  readonly rest: string;
  readonly type: RedactionType;
}

const vendor = (head: string, rest: string, type: RedactionType): VendorToken => ({ head, rest, type });
const raw = String.raw;

/** Tokens that say by their first characters whose they are; shapes as their makers document them. */
const TOKENS: readonly VendorToken[] = [
  vendor('gh[pousr]_', raw`[A-Za-z0-9_]{30,255}(?!\w)`, 'GITHUB_TOKEN'),
  vendor('github_pat_', raw`[A-Za-z0-9]{20,24}_[A-Za-z0-9]{40,80}(?!\w)`, 'GITHUB_TOKEN'),
  vendor(raw`xox[a-z](?:\.xox[a-z])?-`, raw`[A-Za-z0-9-]{10,250}(?![\w])`, 'SLACK_TOKEN'),
  vendor('xapp-', raw`\d-[A-Za-z0-9-]{10,250}(?![\w])`, 'SLACK_TOKEN'),
  vendor(
    raw`T(?<=hooks\.slack\.com/(?:services|workflows)/T)`,
    '[A-Z0-9]{6,14}/[AB][A-Z0-9]{6,14}/[A-Za-z0-9]{16,32}',
    'SLACK_TOKEN',
  ),
  vendor('A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])', 'AWS_KEY'),
  // OpenAI, Anthropic and others that took the prefix; Stripe.
  vendor('sk-', raw`[A-Za-z0-9](?:[A-Za-z0-9_-]{18,250})(?![\w])`, 'API_KEY'),
  vendor('(?:[sr]k_(?:live|test)|whsec)_', '[A-Za-z0-9+/=]{16,250}', 'API_KEY'),
  vendor(raw`SG\.`, raw`[\w-]{16,32}\.[\w-]{32,64}(?![\w])`, 'API_KEY'),
  // GitLab, npm, PyPI, RubyGems, Docker Hub, Hugging Face, Groq, xAI, Perplexity, Replicate, Tavily.
  vendor(
    'gl(?:pat|dt|rt|ptt|oas|agent|soat|ft|imt|cbt)-',
    raw`[\w-]{18,64}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?(?![\w])`,
    'API_KEY',
  ),
  vendor('npm_', raw`[A-Za-z0-9]{30,64}(?!\w)`, 'API_KEY'),
  vendor('pypi-', '[A-Za-z0-9_-]{50,250}', 'API_KEY'),
  vendor('rubygems_', raw`[a-f0-9]{48}(?!\w)`, 'API_KEY'),
  vendor('dckr_(?:pat|oat)_', raw`[\w-]{20,64}`, 'API_KEY'),
  vendor('(?:hf|gsk|r8)_', raw`[A-Za-z0-9]{30,64}(?!\w)`, 'API_KEY'),
  vendor('(?:xai|pplx|tvly)-', raw`[A-Za-z0-9-]{28,100}(?![\w])`, 'API_KEY'),
  // Google, Atlassian, Shopify, DigitalOcean, Linear, Notion, Figma, Postman, New Relic, Grafana, Sentry, HashiCorp Vault.
  vendor('AIza', raw`[\w-]{35}(?![\w-])`, 'API_KEY'),
  vendor(raw`ya29\.`, raw`[\w-]{20,250}`, 'API_KEY'),
  vendor('GOCSPX-', raw`[\w-]{20,40}`, 'API_KEY'),
  vendor('ATAT', raw`[A-Z0-9][\w=-]{40,250}`, 'API_KEY'),
  vendor('shp(?:at|ca|pa|ss)_', raw`[a-fA-F0-9]{32}(?!\w)`, 'API_KEY'),
  vendor('do[opr]_v1_', raw`[a-f0-9]{64}(?!\w)`, 'API_KEY'),
  vendor('lin_(?:api|oauth)_', raw`[A-Za-z0-9]{32,64}(?!\w)`, 'API_KEY'),
  vendor('(?:ntn|figd|sbp|pul|tfp|phc|phx)_', raw`[A-Za-z0-9_-]{30,64}(?![\w])`, 'API_KEY'),
  vendor('PMAK-', raw`[a-f0-9]{24}-[a-f0-9]{34}(?!\w)`, 'API_KEY'),
  vendor('NRAK-', raw`[A-Z0-9]{27}(?!\w)`, 'API_KEY'),
  vendor('gl(?:sa|c)_', '[A-Za-z0-9_+/=]{30,250}', 'API_KEY'),
  vendor('sntr[yu]s_', '[A-Za-z0-9_+/=]{30,250}', 'API_KEY'),
  vendor(raw`hv[sbr]\.`, '[A-Za-z0-9_-]{20,250}', 'API_KEY'),
  vendor(raw`dp\.`, raw`(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,64}`, 'API_KEY'),
  vendor('xkeysib-', raw`[a-f0-9]{64}-[A-Za-z0-9]{16}(?!\w)`, 'API_KEY'),
  vendor('key-', raw`[a-f0-9]{32}(?!\w)`, 'API_KEY'),
  vendor(raw`[MN][A-Za-z\d]{23,25}\.`, raw`[\w-]{6}\.[\w-]{27,38}(?![\w])`, 'API_KEY'),
  vendor(raw`\d{8,10}:`, raw`AA[\w-]{33}(?![\w-])`, 'API_KEY'),
  vendor('AGE-', raw`SECRET-KEY-1[A-Z0-9]{58}(?!\w)`, 'API_KEY'),
];

const isSeparated = ({ head }: VendorToken): boolean => /[-_.:]$/.test(head);
const headsOf = (tokens: readonly VendorToken[]): string => tokens.map(({ head }) => head).join('|');

/**
 * Where a token can begin. Signs are rare in a text and letters are not: of a head that ends in a sign, that sign is looked for,
 * and then what stands before it.
 */
const HEAD = new RegExp(
  `[-_.:](?<=(?<![A-Za-z0-9])(${headsOf(TOKENS.filter(isSeparated))}))|(?:${headsOf(TOKENS.filter((token) => !isSeparated(token)))})`,
  'g',
);

/** All of them at once, each type a group of its own. */
const TYPES = [...new Set(TOKENS.map(({ type }) => type))];
const TOKEN = new RegExp(
  `(?<![A-Za-z0-9])(?:${TYPES.map((type) => {
    const tokens = TOKENS.filter((token) => token.type === type);
    return `(?<${type}>${tokens.map(({ head, rest }) => head + rest).join('|')})`;
  }).join('|')})`,
  'y',
);

/** Tokens and keys of known services. */
export function* detectVendorTokens(text: string): Generator<Detection> {
  for (const { index, 0: found, 1: head = found } of text.matchAll(HEAD)) {
    const start = index + found.length - head.length;
    const match = matchAt(TOKEN, text, start);
    const type = TYPES.find((name) => match?.groups?.[name] !== undefined);
    if (match === null || type === undefined) continue;
    const value = match[0].replace(/-+$/, '');
    if (isPlaceholder(value) || (type !== 'AWS_KEY' && isWords(value))) continue;
    yield { start, end: start + value.length, type };
  }
}

/** A prefix with words behind it, in hyphens, has neither digits nor mixed case; a random key id in capitals may have none too. */
const isWords = (value: string): boolean => !(/\d/.test(value) || /[a-z][A-Z]/.test(value));
