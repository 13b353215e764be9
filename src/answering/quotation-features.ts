import { expectedAnswerOf } from './expected-answer.js';
import { MOST_WORDS, type Quotation, textOfQuotation } from './quotation.js';

/**
 * How near texts are to a question in meaning: for each its cosine. Usable where the same model is asked for question and texts;
 * absent in a search of one's own that has none, and then all count as 0.
 */
export type Similarity = (
  question: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly number[]>;

/** What tells a quotation that answers, each in about [0, 1] but for `sentence`. */
export const QUOTATION_FEATURES = [
  /** Cosine of question and quotation, and with title and headings above it. */
  'similarity',
  'headedSimilarity',
  /** Logit of its likeliest sentence, by the words it shares with the question. */
  'sentence',
  /** Relevance of the passage. */
  'passage',
  /** Words, of as many as a quotation may have. */
  'length',
  /** The question asks how many or how much, and there is a number; it asks why, and there is a "because". */
  'number',
  'reason',
  /** It ends inside of a paragraph, list, table or code. */
  'cutAfter',
] as const;
export type QuotationFeature = (typeof QUOTATION_FEATURES)[number];
export type QuotationFeatures = Readonly<Record<QuotationFeature, number>>;

const NUMBER = /(?<![\p{L}\d_])\d/u;
const REASON =
  /\b(?:because|since|due to|so that|in order to|therefore|thus|otherwise|as a result|reason)\b/i;

/** The features of each quotation, in the order given. */
export async function quotationFeatures(
  question: string,
  quotations: readonly Quotation[],
  similarity: Similarity,
): Promise<QuotationFeatures[]> {
  const texts = quotations.map(textOfQuotation);
  const headed = quotations.map(
    ({ entry }, index) => `${[entry.title ?? '', ...entry.headingPath].join(' ')}\n${texts[index] ?? ''}`,
  );
  const cosines = await similarity(question, [...texts, ...headed]);
  const expected = expectedAnswerOf(question);
  return quotations.map(({ entry, sentence, isCut }, index) => {
    const text = texts[index] ?? '';
    return {
      similarity: cosines[index] ?? 0,
      headedSimilarity: cosines[texts.length + index] ?? 0,
      sentence: sentence.logit,
      passage: entry.score,
      length: Math.min(1, (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) / MOST_WORDS),
      number: Number(expected === 'quantity' && NUMBER.test(text)),
      reason: Number(expected === 'reason' && REASON.test(text)),
      cutAfter: Number(isCut.after),
    };
  });
}
