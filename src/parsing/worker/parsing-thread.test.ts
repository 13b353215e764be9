import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { makePdf } from '../../../tests/fixtures/documents/make-pdf.js';
import type { RawDocument } from '../../core/document.js';
import { codeMediaType, MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createParsers } from '../create-parsers.js';
import { ParsingThread } from './parsing-thread.js';

const raw = (mediaType: string, content: string | Uint8Array, externalId = 'a'): RawDocument => ({
  externalId,
  mediaType,
  content,
  metadata: {},
  access: OPEN_ACCESS,
});
const HTML = raw(MEDIA_TYPES.html, '<main><h1>Title</h1><p>Some text of a page.</p></main>', 'a.html');
const PDF = raw(MEDIA_TYPES.pdf, makePdf([['Text of a page.']]), 'a.pdf');
const CODE = raw(codeMediaType('python'), 'def read():\n    return 1\n', 'a.py');
/** Half a million elements: more than a thread of the test reads in its time or its memory. */
const LARGE = raw(MEDIA_TYPES.html, `<main>${'<p><b>x</b></p>'.repeat(600_000)}</main>`, 'large.html');

/** A thread that fails on what is bad, and on whatever comes behind what spent it. */
const SPENT_SILENTLY = `
  const { parentPort } = require('node:worker_threads');
  let isSpent = false;
  parentPort.on('message', ({ document: { content } }) => {
    isSpent ||= content === 'bad';
    parentPort.postMessage(isSpent ? { failure: { message: '' }, isSpent } : { parsed: content, isSpent });
    isSpent ||= content === 'spends silently';
  });`;

const threads: ParsingThread[] = [];
const open = (limits: { timeoutMs?: number; memoryMb?: number } = {}): ParsingThread => {
  const thread = new ParsingThread({ timeoutMs: 30_000, memoryMb: 512, ...limits });
  threads.push(thread);
  return thread;
};
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.stop();
});

describe('a thread that parses', () => {
  it.each([HTML, CODE])('gives what the parser gives: $externalId', async (document) => {
    const expected = await createParsers().get(document.mediaType)?.parse(document);
    expect(await open().parse({ document, options: {} })).toEqual(expected);
  });

  it('leaves the bytes with the caller', async () => {
    await open().parse({ document: PDF, options: {} });
    expect(PDF.content.length).toBeGreaterThan(100);
  });

  it('passes on the reasons of parsers and goes on', async () => {
    const thread = open();
    const broken = raw(MEDIA_TYPES.pdf, 'no pdf', 'b.pdf');
    await expect(thread.parse({ document: broken, options: {} })).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
      message: expect.stringContaining('b.pdf'),
    });
    expect((await thread.parse({ document: PDF, options: {} })).text).toBe('Text of a page.');
  });

  it('is killed by what takes too long, and the next document finds another', async () => {
    const thread = open({ timeoutMs: 1_500, memoryMb: 4_096 });
    const slow = thread.parse({ document: LARGE, options: {} });
    const next = thread.parse({ document: CODE, options: {} });
    await expect(slow).rejects.toMatchObject({ reason: 'DOCUMENT_PARSE_TIMEOUT' });
    await expect(next).resolves.toMatchObject({ text: CODE.content });
  });

  it('reads a table of many short rows in little memory', async () => {
    const rows = 500_000;
    const table = raw(MEDIA_TYPES.csv, 'a\n'.repeat(rows), 'a.csv');
    const { metadata, blocks } = await open({ memoryMb: 64 }).parse({ document: table, options: {} });
    expect(metadata.rowCount).toBe(rows - 1);
    expect(blocks[0]?.breaks?.length).toBeLessThan(rows / 10);
  });

  it('is replaced after what breaks a grammar, which is cut at blank lines and says so', async () => {
    const thread = open();
    const bad = raw(codeMediaType('java'), 'a=>\n'.repeat(5_000), 'Bad.java');
    const parsed = await Promise.all(
      [CODE, bad, CODE, HTML, bad, CODE].map((document) => thread.parse({ document, options: {} })),
    );
    expect(parsed.map(({ code, warnings }) => [code?.units.length, warnings])).toEqual([
      [1, []],
      [undefined, [expect.stringContaining('the grammar of java failed on it')]],
      [1, []],
      [undefined, []],
      [undefined, [expect.stringContaining('the grammar of java failed on it')]],
      [1, []],
    ]);
  });

  it('parses anew what fails where an earlier document may be the cause, once', async () => {
    let opened = 0;
    const thread = new ParsingThread({ timeoutMs: 30_000, memoryMb: 64 }, async () => {
      opened += 1;
      return new Worker(SPENT_SILENTLY, { eval: true });
    });
    threads.push(thread);
    const parse = (content: string): Promise<unknown> =>
      thread.parse({ document: raw(MEDIA_TYPES.html, content), options: {} });
    await expect(parse('spends silently')).resolves.toEqual('spends silently');
    await expect(parse('good')).resolves.toEqual('good');
    expect(opened).toBe(2);
    await expect(parse('bad')).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
    await expect(parse('good')).resolves.toEqual('good');
    expect(opened).toBe(4);
  });

  it('is killed by what takes too much memory', async () => {
    const thread = open({ memoryMb: 64, timeoutMs: 60_000 });
    await expect(thread.parse({ document: LARGE, options: {} })).rejects.toMatchObject({
      reason: 'DOCUMENT_PARSE_MEMORY',
    });
    await expect(thread.parse({ document: CODE, options: {} })).resolves.toMatchObject({
      text: CODE.content,
    });
  });
});
