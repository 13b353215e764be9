import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
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

async function readPassages(file: string): Promise<SupportPassage[]> {
  const lines = (await readFile(path.join(FOLDER, file), 'utf8')).trim().split('\n');
  return lines.map((line) => PASSAGE.parse(JSON.parse(line)));
}

/** The 200 pairs that are measured: of four passages in a row two are fitted on. */
export async function readSupportPassages(half: Half): Promise<SupportPassage[]> {
  const passages = await readPassages('pairs.jsonl');
  return passages.filter((_, at) => (Math.floor(at / 2) % 2 === 0 ? 'calibration' : 'reporting') === half);
}

/** Passages for the fit alone. */
export const readFittedPassages = (): Promise<SupportPassage[]> => readPassages('fitted-pairs.jsonl');

/** Files of passages and sentences by people who had not seen the check; every second passage is fitted on. */
export type BlindFile = 'blind-pairs' | 'invented-sentences' | 'unseen-pairs';

export async function readBlindPassages(file: BlindFile, half: Half): Promise<SupportPassage[]> {
  const passages = await readPassages(`${file}.jsonl`);
  return passages.filter((_, at) => (at % 2 === 0 ? 'calibration' : 'reporting') === half);
}

/** Sentences that are wrong in an order of steps, in what a list says of its items, in who does something, or by an opposite; none is fitted on. */
export async function readKindPassages(half: Half): Promise<SupportPassage[]> {
  const passages = await readPassages('kinds.jsonl');
  return passages.filter((_, at) => (at % 2 === 0 ? 'calibration' : 'reporting') === half);
}

/** Sentences about the bugs of the example, which was looked at once they were judged, and not fitted on. */
export const readSampleBugs = (): Promise<SupportPassage[]> => readPassages('sample-bugs.jsonl');

export const pairsOf = ({ passage, right, wrong }: SupportPassage): SupportPair[] => [
  ...right.map((sentence) => ({ passage, sentence, isRight: true, how: '' })),
  ...wrong.map(({ text, how }) => ({ passage, sentence: text, isRight: false, how })),
];
