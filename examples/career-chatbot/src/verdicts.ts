import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a reader did with an answer: nothing yet, asked again for another one, or said what it is worth. */
export const VERDICTS = ['shown', 'regenerated', 'good', 'bad'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A line of the file. */
export interface VerdictLine {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Of the answer. */
  readonly id: string;
  readonly question: string;
  readonly mode: string;
  readonly verdict: Verdict;
  /** Documents that the answer rests on, best first. */
  readonly documents: readonly string[];
}

/** How answers were taken: the document's implicit and explicit feedback. */
export interface Satisfaction {
  readonly answers: number;
  readonly good: number;
  readonly bad: number;
  /** Answers for which another one was asked. */
  readonly regenerated: number;
  /** `regenerated` of `answers`; 0 without any. */
  readonly regeneration_rate: number;
}

/** Verdicts in a file of lines of JSON, for its owner alone: it holds questions of people. */
export class Verdicts {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(line: Omit<VerdictLine, 'at'>): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const at = new Date().toISOString();
    appendFileSync(this.#file, `${JSON.stringify({ at, ...line })}\n`, { mode: 0o600 });
  }

  /** All of them, in the order in which they came. */
  list(): VerdictLine[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as VerdictLine);
  }

  /** An answer counts once for each verdict, however often that is given. */
  satisfaction(): Satisfaction {
    const lines = this.list();
    const count = (verdict: Verdict): number =>
      new Set(lines.filter((line) => line.verdict === verdict).map(({ id }) => id)).size;
    const [answers, regenerated] = [count('shown'), count('regenerated')];
    return {
      answers,
      good: count('good'),
      bad: count('bad'),
      regenerated,
      regeneration_rate: answers === 0 ? 0 : regenerated / answers,
    };
  }
}
