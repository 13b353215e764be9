import path from 'node:path';
import * as z from 'zod';
import { readJsonLines } from '../../bench/shared/data-files.js';
import type { Half } from './data.js';

const PASSAGE = z.strictObject({
  id: z.string(),
  kind: z.string(),
  passage: z.string(),
  right: z.array(z.string()),
  wrong: z.array(z.strictObject({ text: z.string(), how: z.string() })),
});

/** A passage with sentences that say what it says in other words, and sentences that are wrong in few. */
export type SupportPassage = z.output<typeof PASSAGE>;

/** A sentence that is to be told right or wrong by its passage. */
export interface SupportPair {
  readonly passage: string;
  readonly sentence: string;
  readonly isRight: boolean;
  /** What was changed; empty where it is right. */
  readonly how: string;
}

const FOLDER = path.join(import.meta.dirname, 'support-pairs');

const readPassages = (file: string): SupportPassage[] =>
  readJsonLines(path.join(FOLDER, file)).map((row) => PASSAGE.parse(row));

/** The 200 pairs that are measured: of four passages in a row two are fitted on. */
export const readSupportPassages = (half: Half): SupportPassage[] =>
  readPassages('pairs.jsonl').filter(
    (_, at) => (Math.floor(at / 2) % 2 === 0 ? 'calibration' : 'reporting') === half,
  );

/** Passages for the fit alone. */
export const readFittedPassages = (): SupportPassage[] => readPassages('fitted-pairs.jsonl');

/**
 * Files of passages and sentences by people who had not seen the check; every second passage is fitted on. Of `kinds` none is: sentences that are wrong in an
 * order of steps, in what a list says of its items, in who does something, or by an opposite; nor of `scopes`: in roles, scopes, conditions, time, units,
 * versions, lists that are denied or cells of a table.
 */
export type BlindFile = 'blind-pairs' | 'invented-sentences' | 'unseen-pairs' | 'kinds' | 'scopes';

export const readBlindPassages = (file: BlindFile, half: Half): SupportPassage[] =>
  readPassages(`${file}.jsonl`).filter((_, at) => (at % 2 === 0 ? 'calibration' : 'reporting') === half);

/** Sentences about the bugs of the example, which was looked at once they were judged, and not fitted on. */
export const readSampleBugs = (): SupportPassage[] => readPassages('sample-bugs.jsonl');

export const pairsOf = ({ passage, right, wrong }: SupportPassage): SupportPair[] => [
  ...right.map((sentence) => ({ passage, sentence, isRight: true, how: '' })),
  ...wrong.map(({ text, how }) => ({ passage, sentence: text, isRight: false, how })),
];
