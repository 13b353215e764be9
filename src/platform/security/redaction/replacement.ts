import type { RedactionType } from './detection.js';
import type { TokenCipher } from './token-cipher.js';

/** What stands in place of a value: its type, its shape, or a token that the holder of the key can turn back. */
export const REDACTION_MODES = ['replace', 'mask', 'token'] as const;
export type RedactionMode = (typeof REDACTION_MODES)[number];

/** What is put in place of a value of a type. */
export type Replacement = (value: string, type: RedactionType) => string;

/** Types of which the last four characters may be shown, as on receipts (PCI DSS 4.0, requirement 3.4). */
const KEEPS_LAST_FOUR: ReadonlySet<RedactionType> = new Set(['CREDIT_CARD', 'IBAN', 'PHONE']);
const KEPT = 4;
/** A secret is masked at one length, for its own length helps to guess it. */
const SECRETS: ReadonlySet<RedactionType> = new Set([
  'AWS_KEY',
  'GITHUB_TOKEN',
  'SLACK_TOKEN',
  'JWT',
  'API_KEY',
  'PRIVATE_KEY',
]);
const SECRET_MASK = '********';

/** `[EMAIL]` */
export const replaceByType: Replacement = (_, type) => `[${type}]`;

/** `**** **** **** 4242`, `****@****.*******`; `********` for secrets. */
export const maskValue: Replacement = (value, type) => {
  if (SECRETS.has(type)) return SECRET_MASK;
  const shown = KEEPS_LAST_FOUR.has(type) ? value.length - KEPT : value.length;
  return value.slice(0, shown).replaceAll(/[\p{L}\p{N}]/gu, '*') + value.slice(shown);
};

/** `[EMAIL:...]`; see `TokenCipher`. */
export const tokenOf =
  (cipher: TokenCipher): Replacement =>
  (value, type) =>
    `[${type}:${cipher.seal(value, type)}]`;
