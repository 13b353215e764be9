import type { ContextEntry } from '../context/context-pack.js';
import { lineOfOffset } from '../context/entry-lines.js';
import { newlinesIn } from '../context/passage.js';
import type { TextRange } from '../core/document.js';
import { type Notice, noticesOfKind, type ToldNotices, toldNotices } from '../core/notice.js';
import type { Citation, SentenceSupport } from './answer.js';
import { checkSupport, isClaim, SUPPORT_THRESHOLD } from './check-support.js';
import { type CitedSentence, parseCitedAnswer, withoutMarks } from './citations.js';
import { SourceText } from './source-text.js';
import { type EvidenceText, readEvidence } from './support-features.js';

/** What happens to sentences that the sources do not say: they are marked, or left out. */
export type UnsupportedPolicy = 'mark' | 'remove';

/** Put behind a sentence that the sources do not say. */
export const UNSUPPORTED_MARK = '(not supported by the sources)';

/** A text with what its sources say of each sentence. */
export interface VerifiedAnswer extends ToldNotices {
  /** The answer after the policy, its citations those that exist. */
  readonly text: string;
  readonly support: readonly SentenceSupport[];
  readonly citations: readonly Citation[];
}

interface EntryEvidence {
  readonly entry: ContextEntry;
  readonly evidence: EvidenceText;
  /** Where the sentences of `evidence` stand in the stored revision, in the same order. */
  readonly ranges: readonly (TextRange & { readonly quote: string })[];
}

interface Checked {
  readonly sentence: CitedSentence;
  readonly support: SentenceSupport;
  readonly citations: readonly Omit<Citation, 'sentence'>[];
  readonly wasCited: boolean;
}

/** How a text is checked. */
export interface VerifyOptions {
  /** @default 'mark' */
  readonly unsupported?: UnsupportedPolicy;
  /** Positions of sentences that another check says are not in the sources, whatever this one finds. */
  readonly refuted?: ReadonlySet<number>;
}

/**
 * Checks each sentence of a model's answer against the passages it cites, against all of them where it cites none, and
 * applies the policy. Text of passages that addresses a language model is no evidence for anything.
 */
export function verifyAnswer(
  text: string,
  entries: readonly ContextEntry[],
  { unsupported = 'mark', refuted = new Set() }: VerifyOptions = {},
): VerifiedAnswer {
  const { sentences, invalid } = parseCitedAnswer(text, entries);
  const evidence = entries.map(evidenceOf);
  const checked = sentences
    .map((sentence) => checkSentence(sentence, evidence))
    .map((each, index) => (refuted.has(index) ? refute(each) : each));
  const kept = checked.filter(({ support }) => unsupported === 'mark' || support.verdict !== 'unsupported');
  return {
    text: rewrite(text, checked, unsupported),
    support: kept.map(({ support }) => support),
    citations: kept.flatMap(({ citations }, index) =>
      citations.map((citation) => ({ ...citation, sentence: index })),
    ),
    ...toldNotices(noticesOf(checked, { invalid, unsupported })),
  };
}

function evidenceOf(entry: ContextEntry): EntryEvidence {
  const texts = entry.pieces.map(({ text, start }) => withoutFlagged(text, start, entry.flags));
  const evidence = readEvidence(texts);
  const ranges = evidence.sentences.map(({ part, start, end }) => {
    const piece = entry.pieces[part];
    const base = piece?.start ?? 0;
    return { start: base + start, end: base + end, quote: piece?.text.slice(start, end) ?? '' };
  });
  return { entry, evidence, ranges };
}

function refute(checked: Checked): Checked {
  const problems = [...checked.support.problems, 'a language model does not find it in the source'];
  const support: SentenceSupport = { ...checked.support, verdict: 'unsupported', problems };
  return { ...checked, support, citations: [] };
}

/** What of a passage may count as evidence: all but what addresses a language model. */
export const evidenceText = ({ pieces, flags }: ContextEntry): string =>
  pieces.map(({ text, start }) => withoutFlagged(text, start, flags)).join('\n');

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

function checkSentence(sentence: CitedSentence, all: readonly EntryEvidence[]): Checked {
  const wasCited = sentence.cites.length > 0;
  if (!isClaim(sentence.text)) {
    const support: SentenceSupport = {
      sentence: sentence.text,
      verdict: 'not-checked',
      score: 1,
      cites: sentence.cites,
      problems: [],
    };
    return { sentence, support, citations: [], wasCited };
  }
  const cited = wasCited ? all.filter(({ entry }) => sentence.cites.includes(entry.n)) : all;
  const together = checkSupport(sentence.text, mergeEvidence(cited));
  const isSupported = together.score >= SUPPORT_THRESHOLD;
  const places = isSupported ? placesFor(sentence, cited, wasCited) : [];
  const support: SentenceSupport = {
    sentence: sentence.text,
    verdict: isSupported ? 'supported' : 'unsupported',
    score: together.score,
    cites: wasCited ? sentence.cites : places.map(({ n }) => n),
    problems: isSupported ? [] : together.problems,
  };
  return { sentence, support, citations: places, wasCited };
}

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
    source: new SourceText(parts.flatMap(({ evidence }) => evidence.source.statements)),
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

function rewrite(text: string, checked: readonly Checked[], policy: UnsupportedPolicy): string {
  let result = '';
  let at = 0;
  for (const { sentence, support } of checked) {
    result += text.slice(at, sentence.start);
    at = sentence.end;
    const isBad = support.verdict === 'unsupported';
    if (isBad && policy === 'remove') continue;
    const raw = text.slice(sentence.start, sentence.end);
    const space = /\s*$/.exec(raw)?.[0] ?? '';
    const cites = support.cites.length === 0 ? '' : ` [${support.cites.join(', ')}]`;
    result += `${withoutMarks(raw)}${cites}${isBad ? ` ${UNSUPPORTED_MARK}` : ''}${space}`;
  }
  result += text.slice(at);
  return result
    .replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function noticesOf(
  checked: readonly Checked[],
  { invalid, unsupported }: { readonly invalid: readonly number[]; readonly unsupported: UnsupportedPolicy },
): Notice[] {
  const bad = checked.filter(({ support }) => support.verdict === 'unsupported').length;
  const added = checked.filter(({ support, wasCited }) => !wasCited && support.cites.length > 0).length;
  const done = unsupported === 'mark' ? 'are marked' : 'were removed';
  const changed = [
    ...(invalid.length > 0
      ? [
          `The model cited sources that do not exist (${invalid.map((n) => `[${n}]`).join(', ')}); those citations were dropped.`,
        ]
      : []),
    ...(added > 0
      ? [`${added} sentences had no citation; the passage that says them was found and cited.`]
      : []),
  ];
  const refused =
    bad > 0 ? [`${bad} of ${checked.length} sentences are not supported by the sources and ${done}.`] : [];
  return [...noticesOfKind('citations-changed', changed), ...noticesOfKind('sentences-unsupported', refused)];
}
