import type { ContextEntry } from '../context/context-pack.js';
import { lineOfOffset } from '../context/entry-lines.js';
import { neutraliseAnswer } from '../context/neutralise.js';
import { newlinesIn } from '../context/passage.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { TextRange } from '../core/document.js';
import { type Notice, noticesOfKind, type ToldNotices, toldNotices } from '../core/notice.js';
import type { Citation, SentenceSupport } from './answer.js';
import { type ClaimSupport, checkSupport, isClaim, SUPPORT_THRESHOLD } from './check-support.js';
import { withPlainCitations } from './citation-forms.js';
import { type CitedSentence, parseCitedAnswer } from './citations.js';
import { type Insertion, rewriteAnswer } from './rewrite-answer.js';
import { splitSourceList } from './source-list.js';
import { SourceText } from './source-text.js';
import { mergedBounds } from './stated-bounds.js';
import { type EvidenceText, readEvidence, type TextMeaning } from './support-features.js';

/** What happens to sentences of which the sources do not show that they say them: they are marked, or left out. */
export type UnsupportedPolicy = 'mark' | 'remove';

/** Put behind a sentence of which the sources do not show that they say it: it may be right in other words, or wrong. */
export const UNCHECKED_MARK = '(unchecked)';

/** A text with what its sources say of each sentence. */
export interface VerifiedAnswer extends ToldNotices {
  /** The answer after the policy, its citations those that exist. */
  readonly text: string;
  /** Every sentence that was written, in order; those that `isRemoved` are not in `text`. */
  readonly support: readonly SentenceSupport[];
  readonly citations: readonly Citation[];
}

interface EntryEvidence {
  readonly entry: ContextEntry;
  readonly evidence: EvidenceText;
  /** What of it addresses a language model. */
  readonly orders: string;
  /** Where the sentences of `evidence` stand in the stored revision, in the same order. */
  readonly ranges: readonly (TextRange & { readonly quote: string })[];
}

interface Checked {
  readonly sentence: CitedSentence;
  readonly support: SentenceSupport;
  readonly citations: readonly Omit<Citation, 'sentence'>[];
  readonly wasCited: boolean;
  /** It repeats what a passage orders a language model to say. */
  readonly isOrdered: boolean;
}

/** How a text is checked. */
export interface VerifyOptions {
  /** @default 'mark' */
  readonly unsupported?: UnsupportedPolicy;
  /** Positions of sentences that another check says are not in the sources, whatever this one finds. */
  readonly refuted?: ReadonlySet<number>;
  /** Vectors of texts (`Models.meaning`), so that new words are told from other words for the same; without it words alone tell. */
  readonly meaning?: TextMeaning;
}

/**
 * Makes a model's answer inert, checks each sentence of it against the passages it cites, against all of them where it cites none, and
 * applies the policy. Text of passages that addresses a language model is no evidence for anything.
 */
export function verifyAnswer(
  asWritten: string,
  entries: readonly ContextEntry[],
  { unsupported = 'mark', refuted = new Set(), meaning }: VerifyOptions = {},
): VerifiedAnswer {
  // Citations are read before links become text.
  const inert = neutraliseAnswer(withPlainCitations(asWritten.replaceAll('\r\n', '\n'), entries));
  const { body: text, list } = splitSourceList(inert, entries);
  const { sentences, marks, invalid } = parseCitedAnswer(text, entries);
  const check = sentenceCheck(entries.map((entry) => evidenceOf(entry, meaning)));
  // Where nothing else is said, the shortest sentence is what is claimed.
  const isAnyClaim = sentences.some(({ claims, cites }) => cites.length > 0 || claims.some(isClaim));
  const checked = sentences
    .map((sentence) => {
      const claims = sentence.claims.filter(isClaim);
      if (sentence.claims.length === 0) return leave(sentence);
      if (sentence.isCode && analyzeText(sentence.text).length > 0) return check(sentence);
      if (claims.length > 0) return check({ ...sentence, claims });
      return sentence.cites.length > 0 || !isAnyClaim ? check(sentence) : leave(sentence);
    })
    .map((each, index) => (refuted.has(index) ? refute(each) : each))
    .map((each) => decide(each, unsupported));
  const kept = checked.filter(({ support }) => !support.isRemoved);
  const rewritten = rewriteAnswer(text, {
    removals: [
      ...marks,
      ...checked.filter(({ support }) => support.isRemoved).map(({ sentence }) => sentence),
    ],
    insertions: kept.flatMap(insertionFor),
  });
  return {
    // Of an answer of which nothing is left no list stays.
    text: list === '' || rewritten === '' ? rewritten : `${rewritten}\n\n${list}`,
    support: checked.map(({ support }) => support),
    citations: checked.flatMap(({ support, citations }, sentence) =>
      support.isRemoved ? [] : citations.map((citation) => ({ ...citation, sentence })),
    ),
    ...toldNotices(noticesOf(checked, { invalid, unsupported })),
  };
}

function decide(checked: Checked, policy: UnsupportedPolicy): Checked {
  const { verdict } = checked.support;
  const isRemoved =
    checked.isOrdered || verdict === 'contradicted' || (policy === 'remove' && verdict === 'unsupported');
  return { ...checked, support: { ...checked.support, isRemoved } };
}

function evidenceOf(entry: ContextEntry, meaning: TextMeaning | undefined): EntryEvidence {
  const texts = entry.pieces.map(({ text, start }) => withoutFlagged(text, start, entry.flags));
  const evidence = readEvidence(texts, meaning);
  const ranges = evidence.sentences.map(({ part, start, end }) => {
    const piece = entry.pieces[part];
    const base = piece?.start ?? 0;
    return { start: base + start, end: base + end, quote: piece?.text.slice(start, end) ?? '' };
  });
  return { entry, evidence, orders: orderedText(entry), ranges };
}

function refute(checked: Checked): Checked {
  const problems = [...checked.support.problems, 'a language model does not find it in the source'];
  const support: SentenceSupport = { ...checked.support, verdict: 'unsupported', problems };
  return { ...checked, support, citations: [] };
}

/** What of a passage may count as evidence: all but what addresses a language model. */
export const evidenceText = ({ pieces, flags }: ContextEntry): string =>
  pieces.map(({ text, start }) => withoutFlagged(text, start, flags)).join('\n');

/** What of a passage addresses a language model. */
const orderedText = ({ pieces, flags }: ContextEntry): string =>
  pieces
    .flatMap(({ text, start }) =>
      flags.map((flag) => text.slice(Math.max(0, flag.start - start), Math.max(0, flag.end - start))),
    )
    .join('\n');

/** The same length, so that offsets stay. */
function withoutFlagged(text: string, offset: number, flags: readonly TextRange[]): string {
  let result = text;
  for (const { start, end } of flags) {
    const from = Math.max(0, start - offset);
    const to = Math.min(text.length, end - offset);
    if (from < to) result = result.slice(0, from) + ' '.repeat(to - from) + result.slice(to);
  }
  return result;
}

/** A sentence that claims nothing. */
const leave = (sentence: CitedSentence): Checked => ({
  sentence,
  support: {
    sentence: sentence.text,
    verdict: 'not-checked',
    isRemoved: false,
    score: 1,
    cites: sentence.cites,
    problems: [],
  },
  citations: [],
  wasCited: sentence.cites.length > 0,
  isOrdered: false,
});

/** Checks sentences; what several of them cite is read once. */
function sentenceCheck(all: readonly EntryEvidence[]): (sentence: CitedSentence) => Checked {
  const merged = new Map<string, EvidenceText>();
  const orders = readEvidence(all.map((each) => each.orders));
  const evidenceFor = (cited: readonly EntryEvidence[]): EvidenceText => {
    const key = cited.map(({ entry }) => entry.n).join();
    const evidence = merged.get(key) ?? mergeEvidence(cited);
    merged.set(key, evidence);
    return evidence;
  };
  return (sentence) => {
    const wasCited = sentence.cites.length > 0;
    const cited = wasCited ? all.filter(({ entry }) => sentence.cites.includes(entry.n)) : all;
    const evidence = evidenceFor(cited);
    const found = worstOf(
      sentence.claims.map((claim) =>
        sentence.isCode && !isClaim(claim) ? checkShortLine(claim, evidence) : checkSupport(claim, evidence),
      ),
    );
    const verdict = verdictOf(found);
    const isSupported = verdict === 'supported';
    const places = isSupported ? placesFor(sentence, cited, wasCited) : [];
    const isOrdered = !isSupported && repeats(sentence.text, orders);
    const support: SentenceSupport = {
      sentence: sentence.text,
      verdict,
      isRemoved: false,
      score: found.score,
      cites: wasCited ? sentence.cites : places.map(({ n }) => n),
      problems: isSupported ? [] : [...found.problems, ...(isOrdered ? [ORDERED] : [])],
    };
    return { sentence, support, citations: places, wasCited, isOrdered };
  };
}

type FoundSupport = Pick<ClaimSupport, 'score' | 'problems' | 'contradiction'>;

/** A line of code of few words says nothing that could be compared, and still has to be made of what the source has. */
function checkShortLine(line: string, { terms }: EvidenceText): FoundSupport {
  const isKnown = analyzeText(line).every((term) => terms.has(term));
  return isKnown
    ? { score: 1, problems: [] }
    : { score: 0, problems: [`"${line.slice(0, SHOWN)}" is not in the source`] };
}

/** Characters of a line in a problem. */
const SHOWN = 80;

/** Code is as true as the line of it that is least so. */
function worstOf(found: readonly FoundSupport[]): FoundSupport {
  const contradiction = found.find((each) => each.contradiction !== undefined)?.contradiction;
  return {
    score: Math.min(...found.map(({ score }) => score)),
    problems: [...new Set(found.flatMap(({ problems }) => problems))],
    ...(contradiction === undefined ? {} : { contradiction }),
  };
}

const verdictOf = ({ score, contradiction }: FoundSupport): SentenceSupport['verdict'] => {
  if (contradiction !== undefined) return 'contradicted';
  return score >= SUPPORT_THRESHOLD ? 'supported' : 'unsupported';
};

const ORDERED = 'it repeats what a passage tells language models to say';
/** Share of a sentence's terms that an order has. */
const REPEATED = 0.5;

const repeats = (sentence: string, { terms }: EvidenceText): boolean => {
  const own = [...new Set(analyzeText(sentence))];
  return own.length > 0 && own.filter((term) => terms.has(term)).length >= REPEATED * own.length;
};

function mergeEvidence(parts: readonly EntryEvidence[]): EvidenceText {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only.evidence;
  const union = (pick: (evidence: EvidenceText) => ReadonlySet<string>): Set<string> =>
    new Set(parts.flatMap(({ evidence }) => [...pick(evidence)]));
  return {
    terms: union(({ terms }) => terms),
    pairs: union(({ pairs }) => pairs),
    words: union(({ words }) => words),
    numbers: union(({ numbers }) => numbers),
    identifiers: union(({ identifiers }) => identifiers),
    places: {
      denied: union(({ places }) => places.denied),
      affirmed: union(({ places }) => places.affirmed),
      counted: union(({ places }) => places.counted),
    },
    sentences: parts.flatMap(({ evidence }) => evidence.sentences),
    bounds: mergedBounds(parts.map(({ evidence }) => evidence.bounds)),
    rates: parts.flatMap(({ evidence }) => evidence.rates),
    orders: parts.flatMap(({ evidence }) => evidence.orders),
    source: new SourceText(parts.flatMap(({ evidence }) => evidence.source.statements)),
    meaning: parts[0]?.evidence.meaning,
  };
}

/** One place in each cited source; for a sentence that cites none, the one place that says most of it. */
function placesFor(
  { text }: CitedSentence,
  parts: readonly EntryEvidence[],
  wasCited: boolean,
): Omit<Citation, 'sentence'>[] {
  const found = parts.flatMap(({ entry, evidence, ranges }) => {
    const { nearest, score } = checkSupport(text, evidence);
    const range = ranges[nearest];
    if (range === undefined) return [];
    const line = lineOfOffset(entry, range.start);
    const citation = {
      n: entry.n,
      documentId: entry.documentId,
      revision: entry.revision,
      source: entry.source,
      start: range.start,
      end: range.end,
      lines: { start: line, end: line + newlinesIn(range.quote) },
      quote: range.quote,
    };
    return [{ citation, score }];
  });
  const best = [...found].sort((a, b) => b.score - a.score);
  return (wasCited ? found : best.slice(0, 1)).map(({ citation }) => citation);
}

const insertionFor = ({ sentence, support: { cites, verdict } }: Checked): Insertion[] => {
  const { behind, citedInWords } = sentence;
  const unsaid = cites.filter((n) => !citedInWords.includes(n));
  const words = [
    ...(unsaid.length === 0 ? [] : [`[${unsaid.join(', ')}]`]),
    ...(verdict === 'unsupported' ? [UNCHECKED_MARK] : []),
  ];
  return words.length === 0
    ? []
    : [{ at: behind.at, text: `${behind.before}${words.join(' ')}${behind.after}` }];
};

const citedInstead = (count: number, why: string): string =>
  count === 1
    ? `1 sentence ${why}; the passage nearest to it is cited.`
    : `${count} sentences ${why}; the passage nearest to each is cited.`;

function noticesOf(
  checked: readonly Checked[],
  { invalid, unsupported }: { readonly invalid: readonly number[]; readonly unsupported: UnsupportedPolicy },
): Notice[] {
  const found = checked.filter(({ support, wasCited }) => !wasCited && support.cites.length > 0);
  const miscited = found.filter(({ sentence }) => sentence.isMiscited).length;
  const uncited = found.length - miscited;
  const ordered = checked.filter(({ isOrdered }) => isOrdered).length;
  const count = (verdict: SentenceSupport['verdict']): number =>
    checked.filter(({ support, isOrdered }) => support.verdict === verdict && !isOrdered).length;
  const changed = [
    ...(invalid.length > 0
      ? [
          `The model cited sources that do not exist (${invalid.map((n) => `[${n}]`).join(', ')}); those citations were dropped.`,
        ]
      : []),
    ...(uncited > 0 ? [citedInstead(uncited, 'had no citation')] : []),
    ...(miscited > 0 ? [citedInstead(miscited, 'cited no source that exists')] : []),
  ];
  const of = (number: number): string =>
    `${number} of ${checked.length} ${checked.length === 1 ? 'sentence' : 'sentences'}`;
  const unchecked = count('unsupported');
  const contradicted = count('contradicted');
  return [
    ...noticesOfKind('citations-changed', changed),
    ...noticesOfKind('sentences-removed', [
      ...(contradicted > 0 ? [`${of(contradicted)} removed: the passages cited say otherwise.`] : []),
      ...(ordered > 0 ? [`${of(ordered)} removed: text of a passage that addresses language models.`] : []),
    ]),
    ...noticesOfKind(
      'sentences-unsupported',
      unchecked === 0
        ? []
        : [
            unsupported === 'mark'
              ? `${of(unchecked)} unchecked: the sources do not show in so many words that they say it. Each is marked ${UNCHECKED_MARK}; compare it with its source.`
              : `${of(unchecked)} removed: the sources do not show that they say it (rag.answering.unsupported is remove).`,
          ],
    ),
  ];
}
