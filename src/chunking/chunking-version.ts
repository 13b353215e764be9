/**
 * Version of what the chunkers produce. Part of the key that says whether a document must be processed again: raise it
 * whenever the same blocks and options give other chunks.
 */
export const CHUNKING_VERSION = 2;
