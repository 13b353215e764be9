import { BUILTIN_CHUNKERS, createChunker } from '../../src/chunking/create-chunker.js';

const SETTINGS = {
  unit: 'tokens',
  minSize: 64,
  maxSize: 256,
  overlap: 32,
  splitOn: ['\n\n', '\n', '. ', ' '],
  preserveWhitespace: false,
  preserveFields: ['title'],
  chunkByField: false,
} as const;

const countWords = (text: string): number => text.split(' ').length;

/** Every built-in chunker, counting words. */
export const MEASURED_CHUNKERS = BUILTIN_CHUNKERS.map(({ strategy }) => ({
  strategy,
  chunker: createChunker({ ...SETTINGS, strategy }, countWords),
}));
