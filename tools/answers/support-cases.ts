import { isClaim } from '../../src/answering/check-support.js';
import {
  compareClaim,
  type EvidenceText,
  readEvidence,
  SUPPORT_FEATURES,
} from '../../src/answering/support-features.js';
import { splitSentences } from '../../src/core/analysis/boundaries.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { type Alteration, alterationsOf, namesToSwap } from './alter-sentence.js';
import type { Half } from './data.js';
import type { RatedAnswer } from './mtrag.js';

/** Halves by task: all answers to a task are in the same. */
export function halvesOf(answers: readonly RatedAnswer[]): (task: string) => Half {
  const tasks = [...new Set(answers.map(({ task }) => task))].sort();
  return (task) => (tasks.indexOf(task) % 2 === 0 ? 'calibration' : 'reporting');
}

/** Sentences of an answer that claim something. */
export const claimsOf = (answer: string): string[] =>
  splitSentences(answer, { start: 0, end: answer.length })
    .map(({ start, end }) => answer.slice(start, end))
    .filter(isClaim);

export const termCount = (sentence: string): number => new Set(analyzeText(sentence)).size;

export function supportVector(sentence: string, evidence: EvidenceText): number[] {
  const { features } = compareClaim(sentence, evidence);
  return SUPPORT_FEATURES.map((name) => features[name]);
}

/** A sentence that people called faithful, and the same with one small change. */
export interface AlteredPair {
  readonly task: string;
  readonly kind: Alteration['kind'];
  readonly original: string;
  readonly altered: string;
  readonly evidence: EvidenceText;
  /** What `evidence` was read from. */
  readonly passages: readonly string[];
}

const FAITHFUL = 3;
const LEAST_WORDS = 6;

/** All alterations of the sentences of reference answers that people called faithful (mean of at least 3 of 4). */
export function alteredPairs(answers: readonly RatedAnswer[], seed = 7): AlteredPair[] {
  const names = [...new Set(answers.flatMap(({ answer }) => namesToSwap(answer)))].sort();
  const random = seededRandom(seed);
  const references = answers.filter(
    ({ model, faithfulness }) => model === 'reference' && faithfulness >= FAITHFUL,
  );
  return references.flatMap(({ task, answer, contexts }) => {
    const evidence = readEvidence(contexts);
    return claimsOf(answer)
      .filter((sentence) => sentence.split(/\s+/).length >= LEAST_WORDS)
      .flatMap((original) =>
        alterationsOf(original, { names, random }).map(({ kind, text }) => ({
          task,
          kind,
          original,
          altered: text,
          evidence,
          passages: contexts,
        })),
      );
  });
}
