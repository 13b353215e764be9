import type { Detection } from '../detection.js';
import { isPlaceholder } from './placeholder.js';

/** A secret access key has 40 characters of base64 and nothing that tells it; a Git hash has 40 hexadecimal digits. */
const CANDIDATE = /(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])/g;
const NAMED = /aws|amazon|\bs3|\biam\b|\bsts\b|secret|access[ _-]?key|A[KS]IA[A-Z0-9]{16}/i;
/** Characters on both sides in which such a word counts: key id and secret stand together. */
const NEIGHBOURHOOD = 160;

/** Secret access keys of AWS: mixed characters, and a word or key id of AWS near them. */
export function* detectAwsSecrets(text: string): Generator<Detection> {
  for (const { index, 0: value } of text.matchAll(CANDIDATE)) {
    if (!isMixed(value) || isPlaceholder(value)) continue;
    const end = index + value.length;
    const around = `${text.slice(Math.max(0, index - NEIGHBOURHOOD), index)} ${text.slice(end, end + NEIGHBOURHOOD)}`;
    if (NAMED.test(around)) yield { start: index, end, type: 'AWS_KEY' };
  }
}

const isMixed = (value: string): boolean =>
  /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value) && !/^[\da-fA-F]+$/.test(value);
