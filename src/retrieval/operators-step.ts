import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { analyzeText, writtenForms } from '../core/analysis/lexical-analyzer.js';
import { holdsBeginning, holdsPhrase, phraseWords } from '../core/analysis/phrase-words.js';
import { excludes, holdsOption, type QueryOperators } from '../core/analysis/query-operators.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { compareText } from '../core/filter.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import { withDeadline } from '../core/with-deadline.js';
import type { Candidate, Hit } from './candidate.js';
import type { IdentifierHit } from './lanes/identifier-lane.js';
import type { LaneInput } from './lanes/lane.js';
import { findByText } from './lanes/lane.js';
import type { PreparedQuery } from './prepared-query.js';
import type { RemovedCandidate } from './retriever.js';

/** Passages that hold the words of a phrase, or a word that begins so, which are read to see whether they have what is asked for. */
export const READ = 400;
const READ_FOR_OPTIONS = 100;
/** Passages in which words are looked for that begin so, where the store cannot list its terms. */
const LOOKED_THROUGH = 2_000;
const PAGE = 500;
/** Words that begin alike and are searched for. */
const MOST_TERMS = 256;
/** Letters that a stem may lack of the word that it stands for: `configur` of `configura*`. */
const STEMMED_LETTERS = 4;
const SHORTEST_STEM = 3;

/** What the operators of a query make of a search. */
export interface AskedOperators {
  /** The query, with the words that begin as it asks. */
  readonly query: PreparedQuery;
  /** Passages with what the query puts in quotes and the beginnings that it names: they come first. */
  readonly holders: readonly IdentifierHit[];
  /** Leaves out what the query does not want, and remembers it. */
  take(candidates: readonly Candidate[]): Candidate[];
  removed(): readonly RemovedCandidate[];
  /** What is to be said when all passages are taken. */
  notices(): readonly Notice[];
}

/** The same until a deadline: what does not answer then has no part in the search, and that is said. A cancelled search throws `ABORTED`. */
export async function operatorsInTime(
  lane: LaneInput,
  { maxTopK, deadlineMs }: { readonly maxTopK: number; readonly deadlineMs: number },
): Promise<AskedOperators> {
  const { signal } = lane;
  const lateError = () => new RAGError('SEARCH_FAILED', `No answer within ${deadlineMs} ms.`);
  try {
    return await withDeadline({ timeoutMs: deadlineMs, signal, lateError }, (abort) =>
      askOperators({ ...lane, signal: abort }, maxTopK),
    );
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const reason = RAGError.isInstance(error) ? error.message : 'an unexpected failure.';
    const text = `Phrases, minus signs and stars of the query were taken for text, because passages could not be looked at: ${reason}`;
    return { ...NO_OPERATORS(lane.query), notices: () => [{ kind: 'search-degraded', text }] };
  }
}

/**
 * Phrases, words that are left out and beginnings of words, alike in every store: the store finds passages by their words, and what they
 * hold is looked at here.
 */
async function askOperators(lane: LaneInput, maxTopK: number): Promise<AskedOperators> {
  const { query } = lane;
  const { operators } = query;
  if (operators === undefined || lane.collection.searchText === undefined) return NO_OPERATORS(query);
  const said: string[] = [];
  const beginning = await termsOfBeginnings(lane, operators, said);
  const added = beginning.filter((term) => !query.lexical.terms.includes(term));
  const lexical = {
    ...query.lexical,
    terms: [...query.lexical.terms, ...added],
    counts: [...query.lexical.counts, ...added.map(() => 1)],
  };
  const isSought = operators.phrases.length + operators.beginnings.length > 0;
  const sought = [...new Set([...operators.phrases.flatMap(analyzeText), ...beginning])];
  const topK = Math.min(READ, maxTopK);
  const near = isSought
    ? await readNear(lane, { terms: sought.length > 0 ? sought : lexical.terms, topK })
    : [];
  const judged = new Map<string, boolean>();
  const isHolder = (chunk: StoredChunk): boolean => {
    const isOne = judged.get(chunk.id) ?? hasAll(chunk, operators);
    judged.set(chunk.id, isOne);
    return isOne;
  };
  const holders = near.filter(({ chunk }) => isHolder(chunk));
  const isStrict = operators.isStrict && holders.length > 0;
  if (isSought && holders.length === 0) said.push(missingNotice(operators, near.length));
  const options = await optionsAmong(lane, operators);
  if (options.length > 0) said.push(optionNotice(options));
  const unwanted = operators.excluded
    .filter(({ words }) => !options.includes(words))
    .map(({ words }) => ({ words, isHeld: excludes(words) }));
  if (isStrict) said.push(`Only passages that hold ${namesOf(operators)} are shown.`);
  const removed = new Map<string, RemovedCandidate>();
  // Passages with all words that are sought: left out, and shown.
  const [matchingLeftOut, matchingShown] = [new Set<string>(), new Set<string>()];
  const reasonFor = (chunk: StoredChunk): string | undefined => {
    const text = indexedTextOfStored(chunk);
    const held = unwanted.find(({ isHeld }) => isHeld(text));
    if (held !== undefined) {
      if (holdsAll(text, query.lexical.terms)) matchingLeftOut.add(chunk.id);
      return `it holds "${held.words}", which the query leaves out`;
    }
    if (isStrict && !isHolder(chunk)) return `it does not hold ${namesOf(operators)}`;
    if (unwanted.length > 0 && holdsAll(text, query.lexical.terms)) matchingShown.add(chunk.id);
    return undefined;
  };
  return {
    query: { ...query, lexical },
    holders: holders.map(({ chunk, score }) => ({ chunk, score, decisiveHits: 1 })),
    take: (candidates) =>
      candidates.filter(({ chunk }) => {
        const detail = reasonFor(chunk);
        if (detail === undefined) return true;
        removed.set(chunk.id, { id: chunk.id, step: 'operator', detail });
        return false;
      }),
    removed: () => [...removed.values()],
    notices: () => {
      const words = unwanted.map((each) => each.words);
      const matching = matchingShown.size === 0 ? matchingLeftOut.size : 0;
      const notice = words.length === 0 ? [] : [leftOutNotice(words, matching)];
      const all = [...notice, ...said, ...operators.negatives.map(negativeNotice)];
      return noticesOfKind('query-operators', all.length > operators.negatives.length ? all : []);
    },
  };
}

const negativeNotice = (number: string): string =>
  `"${number}" leaves out nothing: of numbers, versions such as -4.1.0 do.`;

const NO_OPERATORS = (query: PreparedQuery): AskedOperators => ({
  query,
  holders: [],
  take: (candidates) => [...candidates],
  removed: () => [],
  notices: () => [],
});

function hasAll(chunk: StoredChunk, { phrases, beginnings }: QueryOperators): boolean {
  const text = phraseWords(indexedTextOfStored(chunk));
  return (
    phrases.every((phrase) => holdsPhrase(text, phrase)) &&
    beginnings.every((beginning) => holdsBeginning(text, beginning))
  );
}

/** Passages that hold most of the terms, with their records. */
async function readNear(
  lane: LaneInput,
  { terms, topK }: { readonly terms: readonly string[]; readonly topK: number },
): Promise<readonly Hit<StoredChunk>[]> {
  const { collection, filter, signal } = lane;
  if (terms.length === 0) return [];
  const hits = await findByText(lane, { terms, topK, filter });
  const scores = new Map(hits.map(({ chunk, score }) => [chunk.id, score]));
  const chunks = await collection.get([...scores.keys()], signal === undefined ? {} : { signal });
  return chunks.map((chunk) => ({ chunk, score: scores.get(chunk.id) ?? 0 }));
}

/** Words behind a minus sign that passages near the query hold as options of commands. */
async function optionsAmong(lane: LaneInput, { excluded }: QueryOperators): Promise<readonly string[]> {
  const words = excluded.flatMap(({ words, isQuoted }) => (isQuoted ? [] : [words]));
  const options = await Promise.all(
    words.map(async (word) => {
      const terms = [...new Set([...analyzeText(word), ...lane.query.lexical.terms])];
      const near = await readNear(lane, { terms, topK: Math.min(READ_FOR_OPTIONS, lane.limit) });
      return near.some(({ chunk }) => holdsOption(indexedTextOfStored(chunk), word)) ? [word] : [];
    }),
  );
  return options.flat();
}

async function termsOfBeginnings(
  lane: LaneInput,
  { beginnings }: QueryOperators,
  said: string[],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const beginning of beginnings) {
    const forms = writtenForms(beginning);
    for (const form of forms)
      for (let cut = 1; cut <= STEMMED_LETTERS && form.length - cut >= SHORTEST_STEM; cut++)
        found.add(form.slice(0, form.length - cut));
    const terms = (await Promise.all(forms.map((form) => termsBeginning(lane, form)))).flat();
    for (const term of terms.slice(0, MOST_TERMS)) found.add(term);
    if (terms.length > MOST_TERMS)
      said.push(`More than ${MOST_TERMS} words begin with "${beginning}"; the first were looked for.`);
  }
  return [...found];
}

/** By the store where it lists its terms, else by passages in the order of their ids, as many as can be looked through. */
async function termsBeginning(lane: LaneInput, beginning: string): Promise<readonly string[]> {
  const { collection, filter, signal } = lane;
  const abort = signal === undefined ? {} : { signal };
  if (collection.termsBeginning !== undefined)
    return collection.termsBeginning({ beginning, filter, limit: MOST_TERMS + 1, ...abort });
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let looked = 0; looked < LOOKED_THROUGH; looked += PAGE) {
    const page = await collection.list({
      filter,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
      ...abort,
    });
    for (const chunk of page.chunks)
      for (const term of analyzeText(indexedTextOfStored(chunk)))
        if (term.startsWith(beginning)) found.add(term);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return [...found].sort(compareText);
}

const quoted = (words: readonly string[], joint = ', '): string =>
  words.map((word) => `"${word}"`).join(joint);

const namesOf = ({ phrases, beginnings }: QueryOperators): string =>
  [
    ...(phrases.length === 0 ? [] : [`the words ${quoted(phrases)} side by side`]),
    ...(beginnings.length === 0 ? [] : [`a word that begins with ${quoted(beginnings)}`]),
  ].join(' and ');

const holdsAll = (text: string, terms: readonly string[]): boolean => {
  const held = new Set(analyzeText(text));
  return terms.length > 0 && terms.every((term) => held.has(term));
};

/** @param matching passages left out that hold all other words, where none is shown that does */
function leftOutNotice(words: readonly string[], matching: number): string {
  const notice = `Passages that hold ${quoted(words, ' or ')} are left out`;
  if (matching === 0) return `${notice}.`;
  const found = matching === 1 ? '1 of them holds' : `${matching} of them hold`;
  return `${notice}; ${found} all other words of the query. A search without the minus sign shows ${matching === 1 ? 'it' : 'them'}.`;
}

const missingNotice = (operators: QueryOperators, looked: number): string =>
  `No passage holds ${namesOf(operators)}${looked >= READ ? `, of the ${looked} that hold most of their words` : ''}; what is shown holds some of the words.`;

const optionNotice = (words: readonly string[]): string =>
  `${words.map((word) => `\`-${word}\``).join(', ')} stands so in passages, as the option of a command, and was searched for. To leave passages with a word out, put it in quotes: -"word".`;
