import { afterEach, expect, it } from 'vitest';
import { indexedTextOf } from '../core/analysis/indexed-text.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { chunkIdOf } from '../core/ids.js';
import { termsDigest } from '../resources/chunk-digests.js';
import { openRebuilder, type Rebuilder, type UnfinishedDocument } from './rebuilding-thread.js';

const MANY = 2_000;
const opened: Rebuilder[] = [];
const open = (chunks: number): Rebuilder => {
  const rebuilder = openRebuilder(chunks);
  opened.push(rebuilder);
  return rebuilder;
};
afterEach(async () => {
  for (const rebuilder of opened.splice(0)) await rebuilder.close();
});

/** A document of one chunk, whose title is sealed in the store. */
function documentOf(name: string): UnfinishedDocument {
  const content = `The gateway of ${name} closes idle connections.`;
  const indexedText = indexedTextOf({ title: name, headingPath: [], content });
  const id = chunkIdOf(name, indexedText, 0);
  const searchText = analyzeText(indexedText).join(' ');
  return {
    text: content,
    digests: new Map([[id, `0123456789abcdef${termsDigest({ searchText, identifiers: [] })}`]]),
    reveal: (metadata) => ({ ...metadata, title: name }),
    chunks: [{ id, documentId: name, content, identifiers: [], metadata: { title: 'sealed' } }],
  };
}

it('a thread finds the same words as this one, of sealed metadata too', async () => {
  const documents = ['Billing', 'Search', 'Mail'].map(documentOf);
  const here = await open(1).rebuild(documents, undefined);
  expect(here.flat().map(({ isTextExact, areWordsExact }) => [isTextExact, areWordsExact])).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ]);
  expect(await open(MANY).rebuild(documents, undefined)).toEqual(here);
});

it('who cancels waits for no thread', async () => {
  const abort = new AbortController();
  const rebuilding = open(MANY).rebuild([documentOf('Billing')], abort.signal);
  abort.abort();
  await expect(rebuilding).rejects.toMatchObject({ reason: 'ABORTED' });
});
