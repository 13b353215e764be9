import { asksForLink, isLinkList } from '../../core/analysis/bare-links.js';
import { partsOf } from '../../core/analysis/passage-parts.js';
import { dotProduct } from '../../core/dot-product.js';
import { RAGError } from '../../core/errors.js';
import { logOddsOf } from '../../core/logistic.js';
import type { ComparedTexts, TextReader } from '../../embedding/text-reader.js';
import type { RerankedCandidate, Reranker, RerankRemark } from '../reranker.js';

/** Passages that are read. */
const READ = 30;
/**
 * Of a cosine beside log-odds. More is better for questions in other words and worse for those in the words of the passage; at this weight no
 * set lost (docs/research/reader.md).
 */
const WEIGHT = 16;
/** The same where more than half of the passages are code, as in manuals with examples: the reader was trained on prose. */
const WEIGHT_IN_CODE = 8;
const MUCH_CODE = 0.5;
/** See `ReaderRerankerOptions.characters`. */
const CHARACTERS = 9_000;
/** Taken from a list of links, in log-odds: it says where something is told. Chosen by hand. */
const LINK_LIST = 4;
/** Searches that are read for at once, as many as there are threads: the deadline of one does not count the work of all others. */
const AT_ONCE = 2;
/** From this share of code among passages on their order stands, as in source code. */
const MOST_CODE = 0.75;
/** Signs of code in a text; prose of documentation has a third of that. */
const CODE_SIGNS = 0.04;

export interface ReaderRerankerOptions {
  /** Scores all candidates; where the reader fails, its order stands. */
  readonly builtin: Reranker;
  readonly reader: TextReader;
  /** Read for one search of passages that were not read before. @default 9,000, some 300 ms of two cores */
  readonly characters?: number | undefined;
}

/**
 * Orders the first passages of the built-in reranker by the sum of its scores (as log-odds) and the weighted cosines of the reader
 * with the query. The scores themselves are those of the built-in reranker, dealt out in the new order: its scale was fitted.
 */
export function createReaderReranker({
  builtin,
  reader,
  characters = CHARACTERS,
}: ReaderRerankerOptions): Reranker {
  const problems = new WeakMap<readonly RerankedCandidate[], string>();
  const remarks = new WeakMap<readonly RerankedCandidate[], RerankRemark>();
  return {
    name: 'reader',
    maxCandidates: builtin.maxCandidates,
    ...(builtin.scoring === undefined ? {} : { scoring: builtin.scoring }),
    concurrency: AT_ONCE,
    async doRerank(query, candidates, signal) {
      const scored = await builtin.doRerank(query, candidates, signal);
      const first = [...scored].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, READ);
      const told = (answer: RerankedCandidate[], text: string, isUnfinished = false): RerankedCandidate[] => {
        remarks.set(answer, { text, isUnfinished });
        return answer;
      };
      const passages = first.flatMap(({ index }) => candidates[index] ?? []);
      const code = passages.filter(({ content }) => isCode(content)).length / passages.length;
      if (code > MOST_CODE) return told([...scored], 'The reader reads no code; the built-in order stands.');
      const hasMuchCode = code > MUCH_CODE;
      try {
        const parts = passages.map(partsOf);
        const read = await reader.read({ query, passages: parts.flat(), characters }, signal);
        if (read.query?.length === 0)
          return told([...scored], 'The reader knows too few words of the query; the built-in order stands.');
        const readings = bestOfEach(parts, cosines(read));
        const answer = withOrder(
          scored,
          // The scale of scores was fitted on prose.
          hasMuchCode ? first : first.map((one, at) => withReading(one, readings[at])),
          orderOf(
            first,
            likenessOf(readings).map((likeness) => likeness * (hasMuchCode ? WEIGHT_IN_CODE : WEIGHT)),
            asksForLink(query) ? [] : passages.map(({ content }) => isLinkList(content)),
          ),
        );
        const late = readings.filter((reading) => reading === undefined).length;
        return late === 0
          ? answer
          : told(
              answer,
              `The reader has not read ${late} of ${passages.length} passages yet; they keep their place.`,
              true,
            );
      } catch (error) {
        if (!RAGError.isInstance(error) || error.reason === 'ABORTED') throw error;
        const answer = [...scored];
        problems.set(answer, `${error.message} The built-in reranker took its place.`);
        return answer;
      }
    },
    noticeOf: (answer) => problems.get(answer),
    remarkOf: (answer) => remarks.get(answer),
    readAhead: async (passage, signal) => {
      await reader.read({ passages: partsOf(passage), characters: Number.POSITIVE_INFINITY }, signal);
    },
    close: async () => {
      await reader.close();
      await builtin.close();
    },
  };
}

const isCode = (text: string): boolean =>
  (text.match(/[{}();=<>_[\]|&*]/g) ?? []).length > CODE_SIGNS * text.length;

/** A cosine with the query; `null` for what is in a script that is not read, undefined for what was not reached. */
type Cosine = number | null | undefined;

const cosines = ({ query, passages }: ComparedTexts): readonly Cosine[] =>
  passages.map((part) => {
    if (query === undefined || part === undefined) return undefined;
    return part.length === 0 ? null : dotProduct(query, part);
  });

/** Of each passage the cosine of the part that is most alike; undefined where one was not reached. */
function bestOfEach(parts: readonly (readonly string[])[], cosines: readonly Cosine[]): readonly Cosine[] {
  const left = [...cosines];
  return parts.map(({ length }) => {
    const own = left.splice(0, length);
    if (own.includes(undefined)) return undefined;
    const read = own.filter((cosine) => typeof cosine === 'number');
    return read.length === 0 ? null : Math.max(...read);
  });
}

/**
 * How alike passages are to the query. One that was not reached counts as the least alike, for those before it are read first; one in a
 * script that is not read as alike as the others are.
 */
function likenessOf(readings: readonly Cosine[]): readonly number[] {
  const read = readings.filter((reading) => typeof reading === 'number');
  if (read.length === 0) return readings.map(() => 0);
  const least = Math.min(...read);
  const usual = read.reduce((sum, value) => sum + value, 0) / read.length;
  return readings.map((reading) => (reading === undefined ? least : (reading ?? usual)));
}

const withReading = (one: RerankedCandidate, reading: Cosine): RerankedCandidate =>
  typeof reading === 'number' ? { ...one, reading } : one;

/** Positions in `first`, best first. `alike`: what their cosines count, in log-odds. */
function orderOf(
  first: readonly RerankedCandidate[],
  alike: readonly number[],
  linkLists: readonly boolean[],
): readonly number[] {
  const evidence = first.map(
    ({ score }, at) => logOddsOf(score) + (alike[at] ?? 0) - (linkLists[at] === true ? LINK_LIST : 0),
  );
  return first.map((_, at) => at).sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0) || a - b);
}

/** The scores of the first ones, dealt out in another order. */
function withOrder(
  scored: readonly RerankedCandidate[],
  first: readonly RerankedCandidate[],
  order: readonly number[],
): RerankedCandidate[] {
  const dealt = new Map(
    order.map((at, place) => [first[at]?.index, { ...first[at], score: first[place]?.score }]),
  );
  return scored.map(({ index, score }) => {
    const one = dealt.get(index);
    return withReading({ index, score: one?.score ?? score }, one?.reading);
  });
}
