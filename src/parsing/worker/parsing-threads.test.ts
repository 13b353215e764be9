import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { ParsingThreads, parsingFor } from './parsing-threads.js';

const LIMITS = { timeoutMs: 90_000, memoryMb: 512 };

/** Threads that parse until they are told that they are done. */
function threads(most: number) {
  const underWay = new Map<string, () => void>();
  const order: string[] = [];
  let opened = 0;
  const shared = new ParsingThreads(LIMITS, {
    most,
    open: () => {
      opened += 1;
      return {
        parse: ({ document: { externalId } }) =>
          new Promise<ParsedDocument>((resolve, reject) => {
            order.push(externalId);
            underWay.set(externalId, () => {
              underWay.delete(externalId);
              if (externalId.endsWith('!')) reject(new Error('It took too long.'));
              else
                resolve({
                  text: externalId,
                  blocks: [],
                  metadata: {},
                  warnings: [],
                });
            });
          }),
      };
    },
  });
  const parse = (tenant: string, externalId: string): Promise<ParsedDocument> =>
    parsingFor(tenant, () =>
      shared.parse({
        document: { externalId, mediaType: 'text/html', content: 'x', metadata: {}, access: OPEN_ACCESS },
        options: {},
      }),
    );
  const end = async (externalId: string): Promise<void> => {
    underWay.get(externalId)?.();
    await nextTurn();
  };
  return { parse, end, order, underWay: () => [...underWay.keys()], opened: () => opened };
}

test('files of one tenant that never end hold up no other tenant', async () => {
  const { parse, end, underWay, opened } = threads(4);
  for (let n = 0; n < 20; n++) void parse('acme', `hangs ${n}`);
  const others = ['a', 'b', 'c'].map((id) => parse('globex', id));
  expect(underWay()).toEqual(['hangs 0', 'a']);
  for (const id of ['a', 'b', 'c']) await end(id);
  expect((await Promise.all(others)).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  expect([underWay(), opened()]).toEqual([['hangs 0'], 2]);
});

test('where more tenants wait than there are threads each has its turn', async () => {
  const { parse, end, order } = threads(1);
  for (const id of ['a1', 'a2', 'a3']) void parse('a', id);
  for (const id of ['b1', 'b2']) void parse('b', id);
  void parse('c', 'c1');
  for (const id of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(id);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('what fails makes room for the next', async () => {
  const { parse, end } = threads(1);
  const failed = parse('a', 'late!');
  const next = parse('a', 'next');
  await Promise.all([expect(failed).rejects.toThrow('too long'), end('late!')]);
  await end('next');
  expect((await next).text).toBe('next');
});
