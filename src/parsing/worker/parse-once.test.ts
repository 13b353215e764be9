import { expect, test } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { parseOnce } from './parse-once.js';

const requestOf = (content: Uint8Array | string, externalId = 'a') => ({
  document: { externalId, mediaType: 'text/html', content, metadata: {}, access: OPEN_ACCESS },
  options: {},
});

function counting() {
  let times = 0;
  const parse = async (): Promise<ParsedDocument> => {
    times += 1;
    return { text: `${times}` } as ParsedDocument;
  };
  const parsed = async (request: ReturnType<typeof requestOf>) => (await parseOnce(request, parse)).text;
  return { parse, parsed, times: () => times };
}

test('bytes that are tried and then written are parsed once, and later again', async () => {
  const { parsed } = counting();
  const bytes = Buffer.from('one');
  expect(await parsed(requestOf(bytes))).toBe('1');
  expect(await parsed(requestOf(bytes))).toBe('1');
  expect(await parsed(requestOf(bytes))).toBe('2');
});

test('what is not the same is parsed for itself', async () => {
  const { parsed, times } = counting();
  const bytes = Buffer.from('one');
  await parsed(requestOf(bytes));
  await parsed(requestOf(Buffer.from('one')));
  await parsed(requestOf(bytes, 'another name'));
  bytes.write('two');
  await parsed(requestOf(bytes, 'another name'));
  await parsed(requestOf('text'));
  await parsed(requestOf('text'));
  expect(times()).toBe(6);
});

test('what fails is tried again', async () => {
  const bytes = Buffer.from('one');
  const fail = async (): Promise<ParsedDocument> => Promise.reject(new Error('It took too long.'));
  await expect(parseOnce(requestOf(bytes), fail)).rejects.toThrow();
  const { parsed } = counting();
  expect(await parsed(requestOf(bytes))).toBe('1');
});
