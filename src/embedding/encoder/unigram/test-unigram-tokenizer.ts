import { unigramModelOf, unigramSchema } from './read-unigram.js';
import { UNIGRAM_FORMS } from './test-unigram.js';
import { UnigramTokenizer } from './unigram-tokenizer.js';

/** The tokenizer of a form by its name, or of a `tokenizer.json`. */
export const openUnigram = (form: string | object): UnigramTokenizer =>
  new UnigramTokenizer(
    unigramModelOf(unigramSchema.parse(typeof form === 'string' ? UNIGRAM_FORMS[form] : form)),
  );

/** All ids of a text. */
export function encode(tokenizer: UnigramTokenizer, text: string): number[] {
  const ids = new Int32Array(2 * text.length + 2);
  return [...ids.subarray(0, tokenizer.encodeInto(text, ids))];
}
