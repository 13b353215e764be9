import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

const open = async (provider: 'libsql' | 'memory', settings = {}): Promise<Engine> => {
  const engine = await createEngine({ config: { provider, ...settings }, cwd: temporaryFolder() });
  onTestFinished(() => engine.close());
  return engine;
};

const A = { tenant: 'a' };
const textOf = async (engine: Engine, id: string, scope = A) => (await engine.get(id, scope))?.text;

describe.each(['libsql', 'memory'] as const)('writes that wait for each other over %s', (provider) => {
  test('are told what came of their own documents, and of no others', async () => {
    const engine = await open(provider);
    await engine.push([{ id: 'kept', text: 'a quokka that stays' }], A);
    const [first, unchanged, two, bad, deleted] = await Promise.all([
      engine.push([{ id: 'one', text: 'the first quokka' }], A),
      engine.push([{ id: 'kept', text: 'a quokka that stays' }], A),
      engine.push(
        [
          { id: 'two', text: 'the second quokka' },
          { id: 'three', text: 'the third quokka' },
        ],
        A,
      ),
      engine.push([{ id: 'bad', text: '{', mediaType: 'application/x-unknown' }], A),
      engine.index({ deleted: ['absent'] }, A),
    ]);
    expect(first.stats).toMatchObject({ documentsProcessed: 1, chunksCreated: 1, documentsUnchanged: 0 });
    expect(unchanged.stats).toMatchObject({ documentsProcessed: 0, documentsUnchanged: 1 });
    expect(two.stats).toMatchObject({ documentsProcessed: 2, chunksCreated: 2, embeddingsComputed: 2 });
    expect([first, unchanged, two, deleted].map(({ success }) => success)).toEqual([true, true, true, true]);
    expect(bad).toMatchObject({ success: false, stats: { documentsFailed: 1, errors: [{ item: 'bad' }] } });
    expect(deleted.stats).toMatchObject({ documentsDeleted: 0, documentsFailed: 0 });
    expect((await engine.status(A)).lastRun).toMatchObject({ success: false });
    const { results } = await engine.search({ text: 'quokka', options: { topK: 10 } }, A);
    expect(results.map(({ metadata }) => metadata.source).sort()).toEqual(['kept', 'one', 'three', 'two']);
    expect(await engine.verify({}, A)).toMatchObject({ ok: true });
  });

  test('one that is refused refuses none beside it', async () => {
    const engine = await open(provider, { limits: { maxFileBytes: 1000 } });
    const outcomes = await Promise.allSettled([
      engine.push([{ id: 'first', text: 'the first quokka' }], A),
      engine.push([{ id: 'large', bytes: new Uint8Array(2000) }], A),
      engine.push(
        [
          { id: 'twin', text: 'x' },
          { id: 'twin', text: 'y' },
        ],
        A,
      ),
      engine.push([{ id: 'good', text: 'a good quokka' }], A),
    ]);
    expect(outcomes).toMatchObject([
      { value: { success: true } },
      { reason: { reason: 'DOCUMENT_TOO_LARGE' } },
      { reason: { reason: 'DOCUMENT_DUPLICATE_ID' } },
      { value: { success: true } },
    ]);
    expect(await textOf(engine, 'good')).toBe('a good quokka');
    expect(await textOf(engine, 'twin')).toBeUndefined();
  });

  test('keep their order where they write the same document, deletions among them', async () => {
    const engine = await open(provider);
    const write = (text: string) => engine.push([{ id: 'x', text }], A);
    const done = await Promise.all([
      write('first'),
      write('second'),
      engine.push([{ id: 'y', text: 'another' }], A),
      engine.delete(['x'], A),
      write('third'),
      write('fourth'),
      engine.delete(['y'], A),
    ]);
    expect(done[3]).toBe(1);
    expect(done[6]).toBe(1);
    expect(await textOf(engine, 'x')).toBe('fourth');
    expect(await textOf(engine, 'y')).toBeUndefined();
  });

  test('never lend each other rights or places', async () => {
    const engine = await open(provider);
    const hr = { tenant: 'a', groups: ['hr'], clearance: 1 };
    const project = { tenant: 'a', project: 'p' };
    await engine.push([{ id: 'pay', text: 'salaries', access: { groups: ['hr'], level: 1 } }], hr);
    const outcomes = await Promise.allSettled([
      engine.push([{ id: 'own', text: 'of a' }], A),
      engine.push([{ id: 'pay', text: 'taken over' }], A),
      engine.push([{ id: 'pay', text: 'raised salaries' }], hr),
      engine.push([{ id: 'own', text: 'of b' }], { tenant: 'b' }),
      engine.push([{ id: 'own', text: 'of the project' }], project),
      engine.delete(['pay'], A),
      engine.delete(['own'], { tenant: 'c' }),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.reason : 'done')),
    ).toEqual(['done', 'DOCUMENT_DUPLICATE_ID', 'done', 'done', 'done', 'done', 'done']);
    expect(outcomes.slice(-2)).toMatchObject([{ value: 0 }, { value: 0 }]);
    expect(await textOf(engine, 'pay')).toBeUndefined();
    expect(await engine.get('pay', hr)).toMatchObject({
      text: 'raised salaries',
      access: { groups: ['hr'], level: 1 },
    });
    expect(await textOf(engine, 'own', { tenant: 'b' })).toBe('of b');
    expect(await textOf(engine, 'own', project)).toBe('of the project');
    expect((await engine.list({}, { tenant: 'b' })).documents).toHaveLength(1);
  });

  test('who gives up takes nobody along, and what is cleared after it is gone', async () => {
    const engine = await open(provider);
    const caller = new AbortController();
    const given = engine.index({ documents: [{ id: 'gone', text: 'x' }], signal: caller.signal }, A);
    const others = Array.from({ length: 3 }, (_, i) =>
      engine.push([{ id: `other-${i}`, text: `the quokka ${i}` }], A),
    );
    caller.abort();
    await expect(given).rejects.toMatchObject({ reason: 'ABORTED' });
    for (const other of await Promise.all(others)) expect(other.success).toBe(true);
    const before = engine.push([{ id: 'before', text: 'before' }], A);
    const cleared = engine.clear();
    const after = engine.push([{ id: 'after', text: 'after' }], A);
    await Promise.all([before, cleared, after]);
    expect((await engine.list({}, A)).documents.map(({ externalId }) => externalId)).toEqual(['after']);
  });
});
