import type { Detection, RedactionType } from '../detection.js';
import { isPlaceholder } from './placeholder.js';

const START = String.raw`(?<![A-Za-z0-9])`;
const vendor = (pattern: string, type: RedactionType) => ({ pattern, type });

/** Tokens that say by their first characters whose they are; shapes as their makers document them. */
const TOKENS = [
  vendor(String.raw`gh[pousr]_[A-Za-z0-9_]{30,255}(?!\w)`, 'GITHUB_TOKEN'),
  vendor(String.raw`github_pat_[A-Za-z0-9]{20,24}_[A-Za-z0-9]{40,80}(?!\w)`, 'GITHUB_TOKEN'),
  vendor(String.raw`xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,250}(?![\w])`, 'SLACK_TOKEN'),
  vendor(String.raw`xapp-\d-[A-Za-z0-9-]{10,250}(?![\w])`, 'SLACK_TOKEN'),
  vendor(
    String.raw`(?<=hooks\.slack\.com/(?:services|workflows)/)T[A-Z0-9]{6,14}/[AB][A-Z0-9]{6,14}/[A-Za-z0-9]{16,32}`,
    'SLACK_TOKEN',
  ),
  vendor(String.raw`A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])`, 'AWS_KEY'),
  // OpenAI, Anthropic and others that took the prefix; Stripe.
  vendor(String.raw`sk-[A-Za-z0-9](?:[A-Za-z0-9_-]{18,250})(?![\w])`, 'API_KEY'),
  vendor(String.raw`(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{16,250}`, 'API_KEY'),
  vendor(String.raw`SG\.[\w-]{16,32}\.[\w-]{32,64}(?![\w])`, 'API_KEY'),
  // GitLab, npm, PyPI, RubyGems, Docker Hub, Hugging Face, Groq, xAI, Perplexity, Replicate, Tavily.
  vendor(
    String.raw`gl(?:pat|dt|rt|ptt|oas|agent|soat|ft|imt|cbt)-[\w-]{18,64}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?(?![\w])`,
    'API_KEY',
  ),
  vendor(String.raw`npm_[A-Za-z0-9]{30,64}(?!\w)`, 'API_KEY'),
  vendor(String.raw`pypi-[A-Za-z0-9_-]{50,250}`, 'API_KEY'),
  vendor(String.raw`rubygems_[a-f0-9]{48}(?!\w)`, 'API_KEY'),
  vendor(String.raw`dckr_(?:pat|oat)_[\w-]{20,64}`, 'API_KEY'),
  vendor(String.raw`(?:hf|gsk|r8)_[A-Za-z0-9]{30,64}(?!\w)`, 'API_KEY'),
  vendor(String.raw`(?:xai|pplx|tvly)-[A-Za-z0-9-]{28,100}(?![\w])`, 'API_KEY'),
  // Google, Atlassian, Shopify, DigitalOcean, Linear, Notion, Figma, Postman, New Relic, Grafana, Sentry, HashiCorp Vault.
  vendor(String.raw`AIza[\w-]{35}(?![\w-])`, 'API_KEY'),
  vendor(String.raw`(?:ya29\.[\w-]{20,250}|GOCSPX-[\w-]{20,40})`, 'API_KEY'),
  vendor(String.raw`ATAT[A-Z0-9][\w=-]{40,250}`, 'API_KEY'),
  vendor(String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?!\w)`, 'API_KEY'),
  vendor(String.raw`do[opr]_v1_[a-f0-9]{64}(?!\w)`, 'API_KEY'),
  vendor(String.raw`lin_(?:api|oauth)_[A-Za-z0-9]{32,64}(?!\w)`, 'API_KEY'),
  vendor(String.raw`(?:ntn|figd|sbp|pul|tfp|phc|phx)_[A-Za-z0-9_-]{30,64}(?![\w])`, 'API_KEY'),
  vendor(String.raw`PMAK-[a-f0-9]{24}-[a-f0-9]{34}(?!\w)`, 'API_KEY'),
  vendor(String.raw`NRAK-[A-Z0-9]{27}(?!\w)`, 'API_KEY'),
  vendor(String.raw`gl(?:sa|c)_[A-Za-z0-9_+/=]{30,250}`, 'API_KEY'),
  vendor(String.raw`sntr[yu]s_[A-Za-z0-9_+/=]{30,250}`, 'API_KEY'),
  vendor(String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,250}`, 'API_KEY'),
  vendor(String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,64}`, 'API_KEY'),
  vendor(String.raw`xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}(?!\w)`, 'API_KEY'),
  vendor(String.raw`key-[a-f0-9]{32}(?!\w)`, 'API_KEY'),
  vendor(String.raw`[MN][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w])`, 'API_KEY'),
  vendor(String.raw`\d{8,10}:AA[\w-]{33}(?![\w-])`, 'API_KEY'),
  vendor(String.raw`AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)`, 'API_KEY'),
] as const;

/** One pattern a type: all of them are looked for at the beginning of a word in one pass. */
const PATTERNS: readonly { readonly pattern: RegExp; readonly type: RedactionType }[] = [
  ...new Set(TOKENS.map(({ type }) => type)),
].map((type) => {
  const all = TOKENS.filter((token) => token.type === type).map(({ pattern }) => pattern);
  return { type, pattern: new RegExp(`${START}(?:${all.join('|')})`, 'g') };
});

/** Tokens and keys of known services. */
export function* detectVendorTokens(text: string): Generator<Detection> {
  for (const { pattern, type } of PATTERNS) {
    for (const { index, 0: token } of text.matchAll(pattern)) {
      const value = token.replace(/-+$/, '');
      if (isPlaceholder(value) || (type !== 'AWS_KEY' && isWords(value))) continue;
      yield { start: index, end: index + value.length, type };
    }
  }
}

/** A prefix with words behind it, in hyphens, has neither digits nor mixed case; a random key id in capitals may have none too. */
const isWords = (value: string): boolean => !(/\d/.test(value) || /[a-z][A-Z]/.test(value));
