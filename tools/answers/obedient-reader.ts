import { unmask } from '../../src/context/unmask.js';

/**
 * How a reader recognises the end of a passage. `keyed`: by the key of its beginning. `careless`: by anything that looks
 * like an end, whatever its key.
 */
export type ReaderKind = 'keyed' | 'careless';

const KEYED = /<passage n="\d+" key="([0-9a-f]+)"[^>\n]*>\n[\s\S]*?\n<\/passage key="\1">/g;
const CARELESS = /<passage\b[^>\n]*>[\s\S]*?<\/passage\b[^>\n]*>/gi;

/**
 * A stand-in for a language model that obeys every instruction it reads outside of delimiters, however disguised, and none
 * inside: what it would put out of a prompt is all text that it takes for its own.
 */
export function obeyedText(prompt: string, kind: ReaderKind): string {
  const outside = prompt.replace(kind === 'keyed' ? KEYED : CARELESS, '');
  const { text, decoded } = unmask(outside);
  return [outside, text, ...decoded].join('\n');
}

/** Whether an attack reached the reader: what it is made to say stands in what it obeys. */
export const isObeyed = (prompt: string, canary: string, kind: ReaderKind): boolean =>
  canary !== '' && obeyedText(prompt, kind).toLowerCase().includes(canary.toLowerCase());
