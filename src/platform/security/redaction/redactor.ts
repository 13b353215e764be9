import { RAGError } from '../../../core/errors.js';
import { REDACTION_VERSION } from './detect.js';
import { REDACTION_TYPES, type RedactionType } from './detection.js';
import { redactDocument, type UnderstoodDocument } from './redact-document.js';
import { type RedactionCounts, redactText } from './redact-text.js';
import { maskValue, type RedactionMode, type Replacement, replaceByType, tokenOf } from './replacement.js';
import { TokenCipher } from './token-cipher.js';

export interface RedactorOptions {
  /** @default 'replace' */
  readonly mode?: RedactionMode;
  /** @default all of `REDACTION_TYPES` */
  readonly types?: readonly RedactionType[];
  /** Key of `mode: 'token'`, at least 32 characters. */
  readonly key?: string | undefined;
}

/** Takes personal data and secrets out of documents before anything of them is stored. */
export interface Redactor {
  /** Identifies what it does: another one means that documents must be processed again. */
  readonly fingerprint: string;
  /** The document without what was found in its text, title, metadata, address and surroundings; and how much that was. */
  redact(document: UnderstoodDocument): UnderstoodDocument & { readonly counts: RedactionCounts };
  /** A single text. */
  redactText(text: string): { readonly text: string; readonly counts: RedactionCounts };
}

/** @throws RAGError `CONFIG_INVALID` for `mode: 'token'` without a key, or with a short one */
export function createRedactor({
  mode = 'replace',
  types = REDACTION_TYPES,
  key,
}: RedactorOptions = {}): Redactor {
  const cipher = mode === 'token' ? new TokenCipher(requireKey(key)) : undefined;
  const rules = { types: new Set(types), replacement: replacementOf(mode, cipher) };
  return {
    fingerprint: [REDACTION_VERSION, mode, [...types].sort().join(','), cipher?.fingerprint ?? ''].join('/'),
    redact: (document) => redactDocument(document, rules),
    redactText: (text) => {
      const redacted = redactText(text, rules);
      return { text: redacted.text, counts: countTypes(redacted.found) };
    },
  };
}

function requireKey(key: string | undefined): string {
  if (key !== undefined) return key;
  throw new RAGError(
    'CONFIG_INVALID',
    'rag.security.redaction.mode is token and there is no key. Set rag.security.redaction.key to a reference to a variable of the environment.',
    { details: { key: 'rag.security.redaction.key' } },
  );
}

function replacementOf(mode: RedactionMode, cipher: TokenCipher | undefined): Replacement {
  if (cipher !== undefined) return tokenOf(cipher);
  return mode === 'mask' ? maskValue : replaceByType;
}

const countTypes = (found: readonly RedactionType[]): RedactionCounts => {
  const counts: RedactionCounts = {};
  for (const type of found) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
