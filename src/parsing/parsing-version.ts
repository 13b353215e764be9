/**
 * Version of what the parsers produce. Part of the key that says whether a document must be processed again: raise it
 * whenever the same bytes give other text, other blocks or other metadata.
 */
export const PARSING_VERSION = 8;
