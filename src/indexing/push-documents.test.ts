import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let engine: Engine;
beforeEach(async () => {
  engine = await createEngine({
    config: { provider: 'libsql' },
    cwd: mkdtempSync(join(tmpdir(), 'ragstone-push-')),
  });
});
afterEach(() => engine.close());

const found = async (query: string): Promise<string[]> =>
  (await engine.search({ text: query, options: { mode: 'lexical', minSimilarity: 0 } })).results.map(
    ({ metadata }) => metadata.source,
  );

it('a list of documents is indexed, replaced by id, and deleted by id', async () => {
  await engine.index([
    { id: 'a', text: 'the quokka sleeps', metadata: { team: 'zoo' } },
    { id: 'b', text: 'the quokka eats' },
  ]);
  expect((await found('quokka')).sort()).toEqual(['a', 'b']);
  await engine.index([{ id: 'a', text: 'the wombat sleeps' }]);
  expect(await found('quokka')).toEqual(['b']);
  const result = await engine.index({
    documents: [{ id: 'c', text: 'the numbat digs' }],
    deleted: ['a', 'unknown'],
  });
  expect(result.stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 1 });
  expect(await found('wombat numbat quokka')).toEqual(expect.not.arrayContaining(['a']));
  expect((await engine.index({ deleted: ['b', 'c'] })).stats.documentsDeleted).toBe(2);
});

it('a document that is pushed and deleted at once is refused', async () => {
  await expect(engine.index({ documents: [{ id: 'a', text: 'x' }], deleted: ['a'] })).rejects.toMatchObject({
    reason: 'USAGE',
  });
});
