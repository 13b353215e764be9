import { RAGError } from '../core/errors.js';

/** What a document may come to that says the same thing in many places. In UTF-16 code units. */
const MAX_LENGTH = 10_000_000;

/** Counts the text that a document becomes while it grows: a few bytes of a file can stand for any length. */
export class TextRoom {
  #left = MAX_LENGTH;

  /** @param name the document's id, for the message */
  constructor(readonly name: string) {}

  /** @throws `DOCUMENT_TOO_LARGE` where the document comes to more than 10,000,000 UTF-16 code units */
  take(length: number): void {
    this.#left -= length;
    if (this.#left >= 0) return;
    throw new RAGError(
      'DOCUMENT_TOO_LARGE',
      `"${this.name}" comes to more text than is read: more than ${MAX_LENGTH} characters. Split or exclude it.`,
    );
  }
}
