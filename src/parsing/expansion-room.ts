/** Longest text that a document may define under a short name, in UTF-16 code units; a longer one is not put in. */
const LONGEST_DEFINITION = 500;
/** What may be put in for names in one document: a few short lines could else make an endless text. */
const MOST_PUT_IN = 1_000_000;

/** Counts what is put into a text for names that it defines. */
export class ExpansionRoom {
  #left = MOST_PUT_IN;

  /** @param longest text that is put in at once */
  constructor(readonly longest = LONGEST_DEFINITION) {}

  /** Whether a text may be put in once more. */
  take({ length }: { readonly length: number }): boolean {
    if (length > this.longest || length > this.#left) return false;
    this.#left -= length;
    return true;
  }
}
