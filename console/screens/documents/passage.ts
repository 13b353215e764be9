import type { PassagesPage } from 'ragstone/client';

/** The passage that the address names, in the text. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** A passage as the index cuts the document. */
export type Border = PassagesPage['passages'][number];
