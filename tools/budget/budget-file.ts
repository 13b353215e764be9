import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import {
  type Budget,
  type Figures,
  inCommon,
  judge,
  MOST,
  recordedFigures,
  type Verdict,
  withParts,
} from './budget.js';

const PATH = fileURLToPath(new URL('../../tests/budget.json', import.meta.url));

const budgetSchema = z.record(
  z.string(),
  z.object({ loops: z.number().positive(), parts: z.record(z.string(), z.number().nonnegative()) }),
);

/** Throws where the file is no budget. */
export function readBudget(): Budget {
  if (!existsSync(PATH)) return {};
  try {
    return budgetSchema.parse(JSON.parse(readFileSync(PATH, 'utf8')));
  } catch (cause) {
    throw new Error(`${PATH} is no budget: mend it, or delete it and record another with --record.`, {
      cause,
    });
  }
}

/** Says what a run took; false where that is far too much. */
export function holdAgainstBudget(name: string, measured: Figures): boolean {
  return told(judge(name, measured, readBudget()[name]));
}

/** The same of the parts that have a budget, whichever a run takes. */
export function holdParts(name: string, measured: Figures): boolean {
  return told(judge(name, ...inCommon(measured, readBudget()[name])));
}

function told({ lines, isExceeded }: Verdict): boolean {
  for (const line of lines) process.stderr.write(`${line}\n`);
  if (isExceeded)
    process.stderr.write(`More than ${MOST} times its budget fails; --record records another.\n`);
  return !isExceeded;
}

export function record(name: string, figures: Figures): void {
  write(name, recordedFigures(figures));
}

/** Those of a run of some parts; the others stay. */
export function recordParts(name: string, parts: Readonly<Record<string, number>>): void {
  write(name, withParts(readBudget()[name], parts));
}

function write(name: string, figures: Figures): void {
  const budget = { ...readBudget(), [name]: figures };
  writeFileSync(PATH, `${JSON.stringify(budget, null, 2)}\n`);
  process.stderr.write(`tests/budget.json: ${name} takes ${figures.loops} loops\n`);
}
