import type { Document, ScalarMetadata } from './models.js';
import type { ValidDocument } from './validate.js';

/** A search whose arguments were checked. */
export interface Question {
  readonly text: string;
  readonly topK: number;
  /** Facts that a document must have, all of them. */
  readonly facts: ScalarMetadata;
}

/** A document that answers a question, and its part that answers best. */
export interface Answering {
  readonly document: Pick<Document, 'docId' | 'content' | 'metadata'>;
  readonly passage: string;
  readonly score: number;
}

/** Where a knowledge store keeps its documents. It is given what was checked, and throws a `RAGError`. */
export interface Shelf {
  /** What a person must know of how it was chosen and opened. */
  readonly notices: readonly string[];
  /** Writes or replaces documents of different ids. They are found when it returns. */
  write(documents: readonly ValidDocument[]): Promise<void>;
  /** Each document once, best first. */
  find(question: Question): Promise<Answering[]>;
  read(docId: string): Promise<Document | undefined>;
  /** Whether there was one. */
  remove(docId: string): Promise<boolean>;
  /** Resolves where whatever keeps the documents answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}
