import { RAGError } from '../core/errors.js';

/** Answers that one list may take: of 100 entries each, a million. */
const MOST_ANSWERS = 10_000;

/**
 * The way through a list that a service gives in several answers, each naming where the next begins. A service that leads back to
 * where one was, or on for ever, would be read without end.
 */
export class AnswerTrail {
  readonly #what: string;
  readonly #most: number;
  readonly #passed = new Set<string>();

  /** @param what the list, in words: its path or name */
  constructor(what: string, most = MOST_ANSWERS) {
    this.#what = what;
    this.#most = most;
  }

  /** Called before the list is followed to a position. Throws `SOURCE_REJECTED`. */
  follow(position: string | number): void {
    const at = String(position);
    if (this.#passed.has(at)) throw this.#endless('leads in a circle');
    this.#passed.add(at);
    if (this.#passed.size > this.#most) throw this.#endless(`takes more than ${this.#most} answers`);
  }

  #endless(why: string): RAGError {
    return new RAGError(
      'SOURCE_REJECTED',
      `${this.#what} ${why}, so it is not read to its end. Ask the operators of the service; what was indexed of it is kept.`,
    );
  }
}

/** A parameter of the address where a list goes on; undefined where there is none, or no address. */
export function parameterOf(address: string | null | undefined, name: string): string | undefined {
  const base = 'https://localhost';
  if (address == null || !URL.canParse(address, base)) return undefined;
  return new URL(address, base).searchParams.get(name) ?? undefined;
}
