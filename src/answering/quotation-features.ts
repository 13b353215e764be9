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

/** The same by the reader, which takes longer and knows more; undefined for a text that it does not read, or had no time for. */
export type Reading = (
  question: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly (number | undefined)[]>;

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
  /** Cosine by the reader, with title and headings; that of the least alike where it was not read, and 0 where none was. */
  'reading',
] as const;
export type QuotationFeature = (typeof QUOTATION_FEATURES)[number];
export type QuotationFeatures = Readonly<Record<QuotationFeature, number>>;

const NUMBER = /(?<![\p{L}\d_])\d/u;
const REASON =
  /\b(?:because|since|due to|so that|in order to|therefore|thus|otherwise|as a result|reason)\b/i;

/** A quotation below the title and headings of its passage. */
export const headedText = (quotation: Quotation): string =>
  `${[quotation.entry.title ?? '', ...quotation.entry.headingPath].join(' ')}\n${textOfQuotation(quotation)}`;

/** The features of each quotation, in the order given; `reading` is left to `rankQuotations`. */
export async function quotationFeatures(
  question: string,
  quotations: readonly Quotation[],
  similarity: Similarity,
): Promise<QuotationFeatures[]> {
  const texts = quotations.map(textOfQuotation);
  const headed = quotations.map(headedText);
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
      reading: 0,
    };
  });
}
