import type { Answer } from '../../answering/answer.js';
import { checkSupport, isClaim, SUPPORT_THRESHOLD } from '../../answering/check-support.js';
import { readEvidence, type TextMeaning } from '../../answering/support-features.js';
import { relevanceTo } from '../../context/relevance.js';
import { ENGLISH_STOP_WORDS } from '../../core/analysis/english-stop-words.js';

/** What the right answer is known by: spans of text, any of which is right. */
export interface GoldAnswer {
  readonly spans: readonly string[];
}

/** Values of one answer, each in [0, 1]; what has no value for it (citations of an answer that was withheld) is left out. */
export type AnswerValues = Readonly<Record<string, number>>;

/**
 * The measures of one answer, without a judge (definitions and sources in docs/answering.md).
 *
 * @param gold empty spans for a question that nothing answers: only abstention is measured then.
 * @param meaning as the check of the answer had it.
 */
export function answerValues(answer: Answer, gold: GoldAnswer, meaning?: TextMeaning): AnswerValues {
  const isAnswerable = gold.spans.length > 0;
  const abstained = { [isAnswerable ? 'abstained_wrongly' : 'abstained_rightly']: Number(answer.abstained) };
  if (!isAnswerable) return abstained;
  const passages = [...answer.sources]
    .sort((a, b) => b.similarity - a.similarity)
    .map(({ chunk_text }) => holds(chunk_text, gold));
  return {
    ...abstained,
    answer_in_context: Number(passages.includes(true)),
    context_precision: averagePrecision(passages),
    context_recall: shareOf(gold.spans, (span) =>
      answer.sources.some(({ chunk_text }) => holds(chunk_text, { spans: [span] })),
    ),
    ...(answer.abstained ? {} : answeredValues(answer, gold, meaning)),
  };
}

function answeredValues(answer: Answer, gold: GoldAnswer, meaning: TextMeaning | undefined): AnswerValues {
  const cited = new Set(answer.citations.map(({ n }) => n));
  // What was removed is no part of the answer.
  const sentences = answer.support.filter(({ isRemoved }) => !isRemoved);
  const claims = sentences.map(({ sentence }) => sentence).filter(isClaim);
  const evidence = readEvidence(
    answer.sources.map(({ chunk_text }) => chunk_text),
    meaning,
  );
  return {
    answer_in_first_sentence: Number(holds(sentences[0]?.sentence ?? '', gold)),
    answer_in_answer: Number(holds(answer.answer, gold)),
    answer_right: Number(isRight(answer.answer, gold)),
    faithfulness: meanOf(claims.map((claim) => checkSupport(claim, evidence).faithfulness)),
    answer_relevance: relevanceTo(
      answer.question,
      sentences.map(({ sentence }) => sentence),
    )([...sentences.map(({ sentence }) => sentence), ...headingsOf(answer, cited)].join('\n')),
    context_utilisation: shareOf(answer.sources, ({ n }) => cited.has(n)),
    ...citationValues(answer, meaning),
  };
}

const headingsOf = ({ sources }: Answer, cited: ReadonlySet<number>): string[] =>
  sources.filter(({ n }) => cited.has(n)).flatMap(({ title = '', headingPath }) => [title, ...headingPath]);

/** ALCE (Gao et al., EMNLP 2023): recall is of sentences that their citations support, precision of citations that do. */
function citationValues({ citations, support }: Answer, meaning: TextMeaning | undefined): AnswerValues {
  const supports = ({ sentence, quote }: Answer['citations'][number]): boolean =>
    checkSupport(support[sentence]?.sentence ?? '', readEvidence([quote], meaning)).score >=
    SUPPORT_THRESHOLD;
  const good = citations.filter(supports);
  const claims = support.flatMap(({ verdict, isRemoved }, index) =>
    isRemoved || verdict === 'not-checked' ? [] : [index],
  );
  return {
    ...(citations.length === 0 ? {} : { citation_precision: good.length / citations.length }),
    ...(claims.length === 0
      ? {}
      : { citation_recall: shareOf(claims, (index) => good.some(({ sentence }) => sentence === index)) }),
  };
}

/** An answer is right that holds so much of a gold quote's content words. */
const RIGHT_SHARE = 0.5;

/** Whether a text holds half of the distinct content words of a gold quote. */
export const isRight = (text: string, { spans }: GoldAnswer): boolean =>
  spans.some((span) => wordShare(span, text) >= RIGHT_SHARE);

/** Share of the distinct content words of a quote that a text holds. */
function wordShare(quote: string, text: string): number {
  const held = contentWords(text);
  return shareOf([...contentWords(quote)], (word) => held.has(word));
}

const contentWords = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !ENGLISH_STOP_WORDS.has(word)),
  );

const plain = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();

/** White space and case do not count. */
const holds = (text: string, { spans }: GoldAnswer): boolean =>
  spans.some((span) => plain(text).includes(plain(span)));

const shareOf = <T>(values: readonly T[], test: (value: T) => boolean): number =>
  values.length === 0 ? 0 : values.filter(test).length / values.length;

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of the precision at each relevant passage; 0 where none is. */
function averagePrecision(isRelevant: readonly boolean[]): number {
  const precisions = isRelevant.flatMap((relevant, i) =>
    relevant ? [isRelevant.slice(0, i + 1).filter(Boolean).length / (i + 1)] : [],
  );
  return precisions.length === 0 ? 0 : meanOf(precisions);
}

/** Means over the answers that have a value. */
export function meanValues(all: readonly AnswerValues[]): Record<string, number> {
  const names = [...new Set(all.flatMap((values) => Object.keys(values)))];
  return Object.fromEntries(names.map((name) => [name, meanOf(all.flatMap((values) => values[name] ?? []))]));
}
