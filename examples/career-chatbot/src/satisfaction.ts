/** What a reader says of an answer; `regenerated`: another one was asked for. */
export const VERDICTS = ['good', 'bad', 'regenerated'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How answers were taken since the chatbot was started: the document's implicit and explicit feedback. */
export interface Satisfaction {
  readonly answers: number;
  readonly good: number;
  readonly bad: number;
  /** Answers for which another one was asked. */
  readonly regenerated: number;
  /** `regenerated` of `answers`; 0 without any. */
  readonly regeneration_rate: number;
}

/** Counts answers and what is said of them. */
export class SatisfactionCounter {
  #answers = 0;
  readonly #said: Readonly<Record<Verdict, Set<string>>> = {
    good: new Set(),
    bad: new Set(),
    regenerated: new Set(),
  };

  countAnswer(): void {
    this.#answers += 1;
  }

  /** An answer counts once for each verdict: false where it was said of it before. */
  countVerdict(id: string, verdict: Verdict): boolean {
    const before = this.#said[verdict];
    if (before.has(id)) return false;
    before.add(id);
    return true;
  }

  get satisfaction(): Satisfaction {
    const { good, bad, regenerated } = this.#said;
    return {
      answers: this.#answers,
      good: good.size,
      bad: bad.size,
      regenerated: regenerated.size,
      regeneration_rate: this.#answers === 0 ? 0 : regenerated.size / this.#answers,
    };
  }
}
