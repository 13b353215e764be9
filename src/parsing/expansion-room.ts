/** Longest text that a document may define under a short name, in UTF-16 code units; a longer one is not put in. */
const LONGEST_DEFINITION = 500;
/** What may be put in for names in one document: a few short lines could else make an endless text. */
const MOST_PUT_IN = 1_000_000;

/** Counts what is put into a text for names that it defines. */
export class ExpansionRoom {
  #left = MOST_PUT_IN;

  /** Whether a text may be put in once more. */
  take({ length }: string): boolean {
    if (length > LONGEST_DEFINITION || length > this.#left) return false;
    this.#left -= length;
    return true;
  }
}
