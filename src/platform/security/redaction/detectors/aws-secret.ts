import type { Detection } from '../detection.js';
import { characterClass, longWords } from '../long-words.js';
import { isPlaceholder } from './placeholder.js';

/** A secret access key has 40 characters of base64 and nothing that tells it; a Git hash has 40 hexadecimal digits. */
const LENGTH = 40;
const BASE64 = characterClass(/[A-Za-z0-9/+]/);
const NAMED = /aws|amazon|\bs3|\biam\b|\bsts\b|secret|access[ _-]?key|A[KS]IA[A-Z0-9]{16}/i;
/** Characters on both sides in which such a word counts: key id and secret stand together. */
const NEIGHBOURHOOD = 160;

/** Secret access keys of AWS: mixed characters, and a word or key id of AWS near them. */
export function* detectAwsSecrets(text: string): Generator<Detection> {
  for (const { start, end } of longWords(text, LENGTH, BASE64)) {
    const isApart = !/[_-]/.test(text[start - 1] ?? '') && !/[=_-]/.test(text[end] ?? '');
    if (end - start !== LENGTH || !isApart) continue;
    const value = text.slice(start, end);
    if (!isMixed(value) || isPlaceholder(value)) continue;
    const around = `${text.slice(Math.max(0, start - NEIGHBOURHOOD), start)} ${text.slice(end, end + NEIGHBOURHOOD)}`;
    if (NAMED.test(around)) yield { start, end, type: 'AWS_KEY' };
  }
}

/** Changes of case between letters of random characters; a name of some words in capitals and small letters has fewer. */
const LEAST_CHANGES = 12;

/** One in a thousand has no digit; then it must look thrown together. */
const isMixed = (value: string): boolean =>
  /[A-Z]/.test(value) &&
  /[a-z]/.test(value) &&
  !/^[\da-fA-F]+$/.test(value) &&
  (/\d/.test(value) || (value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0) >= LEAST_CHANGES);
