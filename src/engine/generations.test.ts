import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVERYONE } from '../core/scope.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

let folder: string;
const engines: Engine[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generations-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await rm(folder, { recursive: true });
});

const PROVIDERS = ['libsql', 'lancedb'] as const;
type Provider = (typeof PROVIDERS)[number];

async function open(provider: Provider, settings: object = {}): Promise<Engine> {
  const engine = await createEngine({
    config: { provider, ...settings },
    dataDir: join(folder, 'data'),
    cwd: folder,
  });
  engines.push(engine);
  return engine;
}

const write = (name: string, text: string) => writeFile(join(folder, `${name}.md`), text);

async function foundBy(engine: Engine, query: string, clearance = 0): Promise<string[]> {
  const { results } = await engine.search(
    { text: query, options: { mode: 'lexical' } },
    { tenant: 'default', clearance },
  );
  return results.map(({ content }) => content);
}

describe.each(PROVIDERS)('a rebuild (%s)', (provider) => {
  beforeEach(async () => {
    for (const name of ['oak', 'elm']) await write(name, `The ${name} stands by the gate.`);
  });
  const index = (engine: Engine, force = false) => engine.index({ paths: ['.'], options: { force } });

  test('fills another generation while the live one answers, and pushed documents go with it', async () => {
    const engine = await open(provider);
    await index(engine);
    await engine.push([{ id: 'note', text: 'The note lies on the table.' }]);
    const during: string[] = [];
    let isDone = false;
    const rebuilt = engine.index({ options: { force: true } }).finally(() => {
      isDone = true;
    });
    while (!isDone) during.push((await foundBy(engine, 'gate table')).sort().join('|'));
    await rebuilt;
    expect(new Set(during).size).toBe(1);
    expect(await foundBy(engine, 'table')).toEqual(['The note lies on the table.']);
    expect(await engine.generations()).toMatchObject([
      { generation: 2, state: 'live', documents: 3 },
      { generation: 1, state: 'retired', documents: 3 },
    ]);
    expect(await engine.verify()).toMatchObject({ ok: true });
  });

  test('that was stopped leaves the live one, and goes on', async () => {
    const engine = await open(provider);
    await index(engine);
    const stop = new AbortController();
    const stopped = engine.index({
      options: { force: true, batchSize: 1 },
      signal: stop.signal,
      onProgress: ({ itemsDone }) => itemsDone > 0 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(await foundBy(engine, 'gate')).toHaveLength(2);
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['building', 'live']);
    expect(await engine.verify()).toMatchObject({ ok: true });
    const meanwhile = await engine.search('gate', { tenant: 'default' });
    expect(meanwhile.notices.join()).toContain('`ragstone index --force` completes it');
    const { stats } = await engine.index({ options: { force: true } });
    expect(stats.documentsProcessed).toBeLessThan(2);
    expect((await engine.search('gate', { tenant: 'default' })).notices.join()).not.toContain('completes it');
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['live', 'retired']);
    expect(await foundBy(engine, 'gate')).toHaveLength(2);
  });

  test('of a folder that is away for a moment loses nothing of it', async () => {
    const notes = join(folder, 'notes');
    await mkdir(notes);
    await writeFile(join(notes, 'ash.md'), 'The ash stands on the hill.');
    const engine = await open(provider, { sources: [{ name: 'notes', type: 'files', root: notes }] });
    await engine.index();
    await rename(notes, `${notes}.away`);
    const { notices, stats } = await engine.index({ options: { force: true } });
    expect(stats.errors).toMatchObject([{ source: 'notes', reason: 'SOURCE_NOT_FOUND' }]);
    expect(notices.join()).toContain('is not in use, because these sources could not be read: notes');
    expect(await foundBy(engine, 'ash')).toEqual(['The ash stands on the hill.']);
    await rename(`${notes}.away`, notes);
    expect((await engine.index({ options: { force: true } })).stats.errors).toEqual([]);
    expect(await foundBy(engine, 'ash')).toHaveLength(1);
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['live', 'retired']);
  });

  test('that nobody knows is neither gone back to nor dropped', async () => {
    const engine = await open(provider);
    await index(engine);
    const unknown = { reason: 'USAGE', message: expect.stringContaining('no generation 999') };
    await expect(engine.dropGeneration(999)).rejects.toMatchObject(unknown);
    await expect(engine.useGeneration(999)).rejects.toMatchObject(unknown);
  });

  test('can be taken back, and what was deleted, changed or restricted since holds in it too', async () => {
    const engine = await open(provider);
    await index(engine);
    const push = (level: number) =>
      engine.push([{ id: 'pay', text: 'Salaries of the year.', access: { groups: [EVERYONE], level } }], {
        tenant: 'default',
        clearance: 9,
      });
    await push(0);
    await index(engine, true);
    await engine.index({ options: { force: true } });
    expect(await foundBy(engine, 'salaries')).toHaveLength(1);
    await push(5);
    await write('oak', 'The oak was felled in spring.');
    await rm(join(folder, 'elm.md'));
    await index(engine);
    const [, before] = await engine.generations();
    await engine.useGeneration(before?.generation ?? 0);
    expect(await engine.generations()).toMatchObject([{ state: 'retired' }, { state: 'live' }]);
    expect(await foundBy(engine, 'salaries')).toEqual([]);
    expect(await foundBy(engine, 'salaries', 5)).toHaveLength(1);
    expect(await foundBy(engine, 'gate')).not.toContain('The elm stands by the gate.');
    expect(await foundBy(engine, 'oak spring')).toContain('The oak was felled in spring.');
    expect(await engine.verify()).toMatchObject({ ok: true });
    await expect(engine.useGeneration(before?.generation ?? 0)).rejects.toMatchObject({ reason: 'USAGE' });
    await expect(engine.dropGeneration(before?.generation ?? 0)).rejects.toMatchObject({ reason: 'USAGE' });
    await engine.dropGeneration((await engine.generations())[0]?.generation ?? 0);
    expect(await engine.generations()).toMatchObject([{ state: 'live' }]);
  });

  test('leaves no text of what is deleted in the generation that is kept', async () => {
    const engine = await open(provider);
    await index(engine);
    await engine.index({ options: { force: true } });
    await rm(join(folder, 'elm.md'));
    await index(engine);
    const ledger = openLedger({ path: join(folder, 'data', 'ledger.db'), readOnly: true });
    const held = await Promise.all(
      [1, 2].map(async (generation) => (await ledger.reader(generation).documents(undefined, 9)).length),
    );
    await ledger.close();
    expect(held).toEqual([1, 1]);
  });

  test('is followed by an engine that was open before, and one with another store or model says what it reads', async () => {
    const reader = await open(provider);
    const writer = await open(provider);
    await index(writer);
    expect(await foundBy(reader, 'gate')).toHaveLength(2);
    await write('ash', 'The ash stands by the gate.');
    await index(writer, true);
    expect(await foundBy(reader, 'gate')).toHaveLength(3);
    const other = await open(provider === 'libsql' ? 'lancedb' : 'libsql');
    expect(await foundBy(other, 'gate')).toHaveLength(3);
    await index(other, true);
    expect(await foundBy(reader, 'gate')).toHaveLength(3);
    expect((await reader.status()).provider).toBe(provider === 'libsql' ? 'lancedb' : 'libsql');
  });
});

describe('an engine', () => {
  test('that is closed while it indexes and searches stops the work and waits for it', async () => {
    for (let i = 0; i < 60; i++) await write(`n${i}`, `Note ${i} of the gardener.\n\n`.repeat(30));
    const engine = await open('libsql');
    const indexing = engine.index({ paths: ['.'] });
    await Promise.race([indexing, new Promise((resolve) => setImmediate(resolve))]);
    const searches = Array.from({ length: 20 }, () => engine.search('gardener'));
    const settled = Promise.allSettled([indexing, ...searches]);
    await engine.close();
    for (const outcome of await settled)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          reason: expect.stringMatching(/^(ABORTED|USAGE|INDEX_EMPTY)$/),
        });
    await expect(engine.search('gardener')).rejects.toMatchObject({ reason: 'USAGE' });
    const next = await open('libsql');
    await next.index({ paths: ['.'] });
    expect(await next.verify()).toMatchObject({ ok: true });
  });

  test('takes pushes one after the other', async () => {
    const engine = await open('libsql');
    const texts = ['one', 'two', 'three'];
    const results = await Promise.all(texts.map((id) => engine.push([{ id, text: `Note ${id}.` }])));
    expect(results.map(({ success }) => success)).toEqual([true, true, true]);
    expect(await foundBy(engine, 'note')).toHaveLength(3);
  });

  test('that was open while another one cleared the index sees it empty, then what came after', async () => {
    const [one, two] = [await open('libsql'), await open('libsql')];
    await one.push([{ id: 'a', text: 'The first gate.' }]);
    expect(await foundBy(two, 'gate')).toHaveLength(1);
    await one.clear();
    await expect(two.search('gate')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await one.push([{ id: 'b', text: 'The second gate.' }]);
    expect(await foundBy(two, 'gate')).toEqual(['The second gate.']);
    await two.push([{ id: 'c', text: 'The third gate.' }]);
    expect(await foundBy(one, 'gate')).toHaveLength(2);
  });

  test('finds nothing once the data folder is gone, and begins anew in its place', async () => {
    const engine = await open('libsql');
    await engine.push([{ id: 'a', text: 'The first gate.' }]);
    expect(await foundBy(engine, 'gate')).toHaveLength(1);
    await rm(join(folder, 'data'), { recursive: true });
    await expect(engine.search('gate')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await engine.push([{ id: 'b', text: 'The second gate.' }]);
    expect(await foundBy(engine, 'gate')).toEqual(['The second gate.']);
  });

  test('repairs what another process left, at its first call', async () => {
    const engine = await open('libsql');
    await engine.push([{ id: 'a', text: 'The first gate.' }]);
    const ledger = openLedger({ path: join(folder, 'data', 'ledger.db') });
    const books = ledger.writer(1, 'test');
    const [document] = await books.documents(undefined, 1);
    await books.planDeletion([document?.documentId ?? '']);
    await ledger.close();
    await engine.close();
    const fresh = await open('libsql');
    const { drift } = await fresh.verify();
    expect(drift).toMatchObject([{ kind: 'document-pending' }]);
    await fresh.verify({ repair: true });
  });
});
