import * as z from 'zod';
import { CharacterMap } from './character-map.js';
import type { UnigramModel } from './unigram-tokenizer.js';
import { trimmedEnd } from './white-space.js';

const STEPS = [
  z.object({ type: z.literal('Precompiled'), precompiled_charsmap: z.base64() }),
  z.object({ type: z.literal('Strip'), strip_left: z.literal(false), strip_right: z.literal(true) }),
  z.object({
    type: z.literal('Replace'),
    pattern: z.object({ Regex: z.literal(' {2,}') }),
    content: z.literal([' ', '▁']),
  }),
] as const;
const stepSchema = z.discriminatedUnion('type', STEPS);
type Step = z.output<typeof stepSchema>;

const METASPACE = z.object({
  type: z.literal('Metaspace'),
  replacement: z.literal('▁'),
  add_prefix_space: z.literal(true).optional(),
  prepend_scheme: z.literal('always').optional(),
  split: z.literal(true).optional(),
});

const templateTokenSchema = z.object({ SpecialToken: z.object({ id: z.string() }) });

const vocabularySchema = z.custom<readonly (readonly [string, number])[]>(
  (vocabulary) =>
    Array.isArray(vocabulary) &&
    vocabulary.every(
      (entry: unknown) =>
        Array.isArray(entry) &&
        typeof entry[0] === 'string' &&
        Number.isFinite(entry[1]) &&
        entry.length === 2,
    ),
);

/** A `tokenizer.json` of XLM-R (Conneau et al. 2020) and its kind: a Unigram model of SentencePiece. Any other setting would give other ids. */
export const unigramSchema = z.object({
  added_tokens: z.array(
    z.object({
      id: z.number().int().nonnegative(),
      content: z.string().min(1),
      single_word: z.literal(false),
      lstrip: z.boolean(),
      rstrip: z.literal(false),
      normalized: z.boolean(),
    }),
  ),
  normalizer: z.discriminatedUnion('type', [
    ...STEPS,
    z.object({ type: z.literal('Sequence'), normalizers: z.array(stepSchema) }),
  ]),
  pre_tokenizer: z.discriminatedUnion('type', [
    METASPACE,
    z.object({
      type: z.literal('Sequence'),
      pretokenizers: z.tuple([z.object({ type: z.literal('WhitespaceSplit') }), METASPACE]),
    }),
  ]),
  post_processor: z.object({
    type: z.literal('TemplateProcessing'),
    single: z.tuple([
      templateTokenSchema,
      z.object({ Sequence: z.object({ id: z.literal('A') }) }),
      templateTokenSchema,
    ]),
    special_tokens: z.record(z.string(), z.object({ ids: z.tuple([z.number().int().nonnegative()]) })),
  }),
  model: z.object({
    type: z.literal('Unigram'),
    unk_id: z.number().int().nonnegative(),
    byte_fallback: z.literal(false).optional(),
    vocab: vocabularySchema,
  }),
});

type UnigramFile = z.output<typeof unigramSchema>;

/** The model that a file says. */
export function unigramModelOf({
  added_tokens: tokens,
  normalizer,
  pre_tokenizer: preTokenizer,
  model,
}: UnigramFile): UnigramModel {
  const steps = (normalizer.type === 'Sequence' ? normalizer.normalizers : [normalizer]).map(normaliserOf);
  const normalise = (text: string): string => steps.reduce((changed, step) => step(changed), text);
  return {
    pieces: model.vocab.map(([piece]) => piece),
    scores: Float64Array.from(model.vocab, ([, score]) => score),
    unknownId: model.unk_id,
    tokens: tokens.filter(({ normalized }) => !normalized),
    normalisedTokens: tokens
      .filter(({ normalized }) => normalized)
      .map((token) => ({ ...token, content: normalise(token.content) })),
    normalise,
    splitsAtWhiteSpace: preTokenizer.type === 'Sequence',
  };
}

function normaliserOf(step: Step): (text: string) => string {
  switch (step.type) {
    case 'Precompiled': {
      const characters = new CharacterMap(Buffer.from(step.precompiled_charsmap, 'base64'));
      return (text) => characters.apply(text);
    }
    case 'Strip':
      return trimmedEnd;
    case 'Replace':
      return (text) => text.replace(/ {2,}/g, step.content);
  }
}
