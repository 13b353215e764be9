import type { ExplainResponse } from 'ragstone/client';

export type Hit = ExplainResponse['results'][number];

/** One summand of a score. */
export interface Part {
  readonly signal: string;
  readonly name: string;
  readonly value: number;
}

const NAMES: Readonly<Record<string, string>> = {
  dense: 'similar meaning',
  lexical: 'matching words',
  expansion: 'words and vectors added',
  graph: 'connected with what was found',
  identifier: 'exact identifier',
  rerank: 'closer look',
  recency: 'age',
  calibration: 'calibration',
};

export const nameOfSignal = (signal: string): string => NAMES[signal] ?? signal;

/** Summands in the order in which they are read: what found it, what was added, and at last what brings the sum to the scale of the score. */
export function partsOf({ explanation }: Hit): Part[] {
  const order = Object.keys(NAMES);
  return (explanation?.contributions ?? [])
    .map(({ signal, value }) => ({ signal, name: nameOfSignal(signal), value }))
    .sort((left, right) => order.indexOf(left.signal) - order.indexOf(right.signal));
}

/** Why a passage stands before the next one, in a sentence; undefined for the last one. */
export function aheadOf(hit: Hit, next: Hit | undefined): string | undefined {
  if (next === undefined) return undefined;
  if (next.movedBy === 'variety')
    return 'The next one was moved there, so that the results say different things.';
  if (hit.movedBy === 'variety') return 'It was moved here, so that the results say different things.';
  const difference = hit.score - next.score;
  const causes = differencesOf(hit, next)
    .filter(({ value }) => (difference >= 0 ? value > SMALLEST : value < -SMALLEST))
    .slice(0, 2)
    .map(({ name, value }) => `${name} ${signed(value)}`);
  const by = causes.length === 0 ? '' : `, by ${causes.join(' and ')}`;
  if (difference < 0)
    return `It has ${signed(difference)} to the next one and stands before it by its place in its document.`;
  if (difference < SMALLEST) return 'Even with the next one.';
  return `Ahead of the next one by ${difference.toFixed(3)}${by}.`;
}

const SMALLEST = 0.0005;

/** What one has more of than another: the figures that were measured where both have them, then the summands; the largest first. */
export function differencesOf(hit: Hit, next: Hit): Part[] {
  const others = new Map(partsOf(next).map(({ signal, value }) => [signal, value]));
  const own = partsOf(hit);
  const missing = partsOf(next)
    .filter(({ signal }) => !own.some((part) => part.signal === signal))
    .map((part) => ({ ...part, value: -part.value }));
  return [
    ...own.map((part) => ({ ...part, value: part.value - (others.get(part.signal) ?? 0) })),
    ...missing,
  ].sort((left, right) => Math.abs(right.value) - Math.abs(left.value));
}

/** What the summands were made from, for the two passages side by side. */
export function measuresOf({
  explanation,
  probability,
}: Hit): readonly (readonly [name: string, value: number | undefined])[] {
  return [
    ['cosine of the meaning', explanation?.semanticScore],
    ['BM25 of the words', explanation?.keywordScore],
    ['closer look (reranker)', explanation?.rerankScore],
    ['probability that it answers', probability],
  ];
}

export const signed = (value: number): string => `${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(3)}`;
