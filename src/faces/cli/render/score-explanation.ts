import type { ScoreExplanation } from '../../../index.js';
import { arrowOf, sectionOf } from './related.js';
import { oneLine } from './text.js';

type Contribution = ScoreExplanation['contributions'][number];

const NAMES: Readonly<Record<string, string>> = {
  dense: 'similar meaning',
  lexical: 'matching words',
  expansion: 'words and vectors added',
  graph: 'connected with what was found',
  identifier: 'exact identifier',
  rerank: 'reranker',
  recency: 'age',
  calibration: 'calibration',
};

const nameOf = ({ signal }: Contribution): string => NAMES[signal] ?? signal;

/** What found the passage; the other signals change what these give it. */
const FOUND_BY: ReadonlySet<string> = new Set(['dense', 'lexical', 'expansion', 'graph']);

/** Changes below this are not worth a word. */
const SMALLEST_CHANGE = 0.005;

/**
 * `why: matching words, similar meaning, reranker +0.11`: what found it, the larger share first, then what was added to the score. Shares themselves say how
 * it compares with what else was found and not how well it matches, so they stand in `wholeExplanation` alone.
 */
export function shortExplanation({ contributions }: ScoreExplanation): string {
  const parts = inOrder(contributions).flatMap((contribution) => {
    const { signal, value } = contribution;
    if (signal === 'calibration' || Math.abs(value) < SMALLEST_CHANGE) return [];
    if (signal === 'identifier' || FOUND_BY.has(signal)) return [nameOf(contribution)];
    return [`${nameOf(contribution)} ${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(2)}`];
  });
  return `why: ${parts.length === 0 ? 'no single signal stands out' : parts.join(', ')}`;
}

/** Every summand of the score, and the figures that they were made from. */
export function wholeExplanation(explanation: ScoreExplanation): string[] {
  const { contributions, semanticScore, keywordScore, rerankScore } = explanation;
  const score = contributions.reduce((sum, { value }) => sum + value, 0);
  const summands = inOrder(contributions).map((contribution, i) => {
    const { value } = contribution;
    const sign = value < 0 ? '-' : '+';
    return `${i === 0 && value >= 0 ? '' : `${sign} `}${Math.abs(value).toFixed(3)} ${nameOf(contribution)}`;
  });
  const raw = [
    ...(semanticScore === undefined ? [] : [`cosine ${semanticScore.toFixed(3)}`]),
    ...(keywordScore === undefined ? [] : [`BM25 ${keywordScore.toFixed(2)}`]),
    ...(rerankScore === undefined ? [] : [`reranker ${rerankScore.toFixed(3)}`]),
  ];
  return [
    `why: ${[...summands, `= ${score.toFixed(3)}`].join(' ')}`,
    ...(raw.length > 0 ? [`raw: ${raw.join(', ')}`] : []),
    ...(explanation.path === undefined ? [] : [`way: ${wayOf(explanation.path)}`]),
  ];
}

/** `a.md -link-> b.md <-mention- PAY-142`: from a document that was found first. */
const wayOf = (path: NonNullable<ScoreExplanation['path']>): string =>
  path
    .map(
      (step, at) =>
        `${at === 0 ? `${oneLine(step.fromName)} ` : ''}${arrowOf(step)} ${oneLine(step.toName)}${sectionOf(step)}`,
    )
    .join(' ');

/** What found it first, the largest before; the rest in the order in which it was added. */
function inOrder(contributions: readonly Contribution[]): Contribution[] {
  const isFinding = ({ signal }: Contribution): boolean => FOUND_BY.has(signal);
  return [
    ...contributions.filter(isFinding).sort((left, right) => right.value - left.value),
    ...contributions.filter((contribution) => !isFinding(contribution)),
  ];
}
