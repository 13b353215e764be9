import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../config/load-config.js';
import { eq, exists, type Filter, not } from '../core/filter.js';
import { rotateEncryption } from '../features/maintenance/rotate-encryption.js';
import type { Engine } from '../operations/engine.js';
import { EngineResources } from '../resources/engine-resources.js';
import { createEngine, engineOver } from './create-engine.js';

const OLD = { id: 'old', key: randomBytes(32).toString('base64') };
const NEW = { id: 'new', key: randomBytes(32).toString('base64') };

type Key = typeof OLD;

const configOf = (keys: readonly Key[], fields = ['salary']) => ({
  provider: 'libsql' as const,
  security: { encryption: { fields, keys: [...keys] } },
});

async function openEngine(cwd: string, keys: readonly Key[], fields?: string[]): Promise<Engine> {
  const engine = await createEngine({ config: configOf(keys, fields), cwd });
  onTestFinished(() => engine.close());
  return engine;
}

const DOCUMENT = {
  id: 'ann',
  text: 'Ann works in the archive.',
  metadata: { salary: 'ninety-thousand-florins', state: 'New' },
};

/** What is in all files of a folder. */
const bytesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

const salaryOf = async (engine: Engine, id = 'ann') => (await engine.get(id))?.metadata.salary;

describe('an encrypted field', () => {
  test('is shown to readers of the document, and stands in no file', async () => {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, [OLD]);
    await engine.push([DOCUMENT, { ...DOCUMENT, id: 'bob', access: { groups: ['hr'] } }]);
    expect(await salaryOf(engine)).toBe('ninety-thousand-florins');
    const { results } = await engine.search('who works in the archive?');
    expect(results.map(({ metadata }) => [metadata.salary, metadata.state])).toEqual([
      ['ninety-thousand-florins', 'New'],
    ]);
    const [listed] = (await engine.list()).documents;
    expect(listed?.metadata).toMatchObject({ salary: 'ninety-thousand-florins', state: 'New' });
    expect(JSON.stringify([results, listed])).not.toContain('sealed');
    expect(await engine.get('bob')).toBeUndefined();
    expect((await engine.verify()).drift).toEqual([]);
    await engine.close();
    expect(bytesIn(cwd)).toContain('archive');
    expect(bytesIn(cwd)).not.toContain('florins');
  });

  test('is not asked for by any filter', async () => {
    const engine = await openEngine(temporaryFolder(), [OLD]);
    await engine.push([DOCUMENT]);
    const filters = { metadata: { salary: 'ninety-thousand-florins' } };
    const filter = { op: 'prefix' as const, field: 'salary', value: 'n' };
    const refused = { reason: 'QUERY_INVALID', message: expect.stringContaining('cannot be filtered') };
    await expect(engine.search({ text: 'archive', filters })).rejects.toMatchObject(refused);
    await expect(engine.ask({ question: 'archive?', filter })).rejects.toMatchObject(refused);
    await expect(engine.list({ filter })).rejects.toMatchObject(refused);
    expect(
      (await engine.search({ text: 'archive', filters: { metadata: { state: 'New' } } })).results,
    ).toHaveLength(1);
  });

  test('is matched by no filter that says what it is not, also where it is encrypted no longer', async () => {
    const cwd = temporaryFolder();
    const before = await openEngine(cwd, [OLD]);
    await before.push([DOCUMENT]);
    await before.close();
    const engine = await openEngine(cwd, [], []);
    await engine.push([{ id: 'bob', text: 'Bob works in the archive.', metadata: { salary: 'none' } }]);
    const asked = (filter: Filter) =>
      Promise.all([engine.search({ text: 'archive', filter }), engine.list({ filter })]);
    for (const filter of [not(eq('salary', 'x')), not(not(exists('salary')))]) {
      const [{ results }, { documents }] = await asked(filter);
      expect(results.map(({ metadata }) => metadata.source)).toEqual(['bob']);
      expect(documents.map(({ externalId }) => externalId)).toEqual(['bob']);
    }
  });

  test('cannot be made by a document that names the place of encrypted values', async () => {
    const engine = await openEngine(temporaryFolder(), [OLD]);
    const sealed = { salary: '1.old.AAAA' };
    await engine.push([{ ...DOCUMENT, metadata: { sealed, state: 'New' } }]);
    expect((await engine.get('ann'))?.metadata).not.toHaveProperty('salary');
  });

  test.each([
    ['without keys', []],
    ['with other keys', [NEW]],
    ['with another key under its id', [{ ...NEW, id: 'old' }]],
  ])('is left out %s, which is told, and can be replaced and deleted', async (_, keys) => {
    const cwd = temporaryFolder();
    const before = await openEngine(cwd, [OLD]);
    await before.push([DOCUMENT]);
    await before.close();
    const engine = await openEngine(cwd, keys, keys.length === 0 ? [] : undefined);
    await engine.push([{ id: 'open', text: 'The archive opens at nine.' }]);
    const { results, notices, noticeKinds } = await engine.search('Who works in the archive?');
    expect(results.map(({ metadata }) => metadata.source).sort()).toEqual(['ann', 'open']);
    expect([noticeKinds, notices]).toEqual([
      ['metadata-undecryptable'],
      [expect.stringContaining('Metadata of 1 document cannot be decrypted and is left out ("salary")')],
    ]);
    const listed = (await engine.list()).documents.find(({ externalId }) => externalId === 'ann');
    const read = await engine.get('ann');
    for (const shown of [listed, read]) expect(shown?.undecryptable).toEqual(['salary']);
    expect(JSON.stringify([results, listed, read])).not.toMatch(/salary":|florins|sealed/);
    expect((await engine.ask({ question: 'Who works in the archive?' })).noticeKinds).toContain(
      'metadata-undecryptable',
    );
    expect((await engine.push([{ ...DOCUMENT, text: 'Another text.' }])).stats.errors).toEqual([]);
    expect(await engine.delete(['ann'])).toBe(1);
  });

  test.each([
    [['title'], [OLD]],
    [['tags'], [OLD]],
    [['pbi_id'], [OLD]],
    [['timestamp'], [OLD]],
    [['date'], [OLD]],
    [['Last_Updated'], [OLD]],
    [['knowledgeMetadata'], [OLD]],
    [['salary'], []],
    [['a.b'], [OLD]],
    [['salary'], [OLD, { ...NEW, id: 'old' }]],
  ])('%j with %j is refused', async (fields, keys) => {
    await expect(openEngine(temporaryFolder(), keys, fields)).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
  });
});

describe('a rotation of keys', () => {
  const COUNT = 100;
  const documents = Array.from({ length: COUNT }, (_, n) => ({
    ...DOCUMENT,
    id: `d${n}`,
    text: `Person ${n} works in the archive.`,
  }));

  async function encrypted(): Promise<string> {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, [OLD]);
    await engine.push(documents);
    await engine.close();
    return cwd;
  }

  test('leaves nothing that needs the old key, and searches work meanwhile and after', async () => {
    const cwd = await encrypted();
    const engine = await openEngine(cwd, [NEW, OLD]);
    await engine.push([{ ...DOCUMENT, id: 'later' }]);
    const [rotated, during] = await Promise.all([engine.rotateEncryption(), salaryOf(engine, 'd99')]);
    expect([rotated, during]).toEqual([
      { documents: COUNT + 1, rewritten: COUNT },
      'ninety-thousand-florins',
    ]);
    expect(await engine.rotateEncryption()).toEqual({ documents: COUNT + 1, rewritten: 0 });
    expect((await engine.verify()).drift).toEqual([]);
    await engine.close();
    const after = await openEngine(cwd, [NEW]);
    expect(await salaryOf(after, 'd0')).toBe('ninety-thousand-florins');
    expect((await after.search('who works in the archive?')).results.length).toBeGreaterThan(0);
    expect((await after.index({ documents })).stats).toMatchObject({ documentsUnchanged: COUNT });
  });

  test('writes many documents at once', async () => {
    const cwd = await encrypted();
    const writesIn = (): number => {
      const database = new Database(join(cwd, '.ragstone', 'ledger.db'), { readonly: true });
      const [writes] = database.prepare('SELECT version FROM store_collection').raw().get([]) as [number];
      database.close();
      return writes;
    };
    const before = writesIn();
    const engine = await openEngine(cwd, [NEW, OLD]);
    expect(await engine.rotateEncryption()).toMatchObject({ rewritten: COUNT });
    await engine.close();
    expect(writesIn() - before).toBeLessThan(COUNT / 10);
  });

  test('names what it leaves, because it is damaged', async () => {
    const cwd = await encrypted();
    const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
    database.exec(
      "UPDATE document SET status = 'outdated' WHERE external_id = 'd7'; DELETE FROM store_chunk WHERE document_id = (SELECT document_id FROM document WHERE external_id = 'd7')",
    );
    database.close();
    const engine = await openEngine(cwd, [NEW, OLD]);
    expect(await engine.rotateEncryption()).toEqual({
      documents: COUNT,
      rewritten: COUNT - 1,
      unfinished: ['d7'],
    });
    await engine.push([{ ...DOCUMENT, id: 'd7', text: 'Person 7 has left.' }]);
    expect(await engine.rotateEncryption()).toEqual({ documents: COUNT, rewritten: 0 });
  });

  test.each(['an index', 'none'])(
    'removes what was tried, which encrypts nothing, beside %s',
    async (beside) => {
      const cwd = beside === 'none' ? temporaryFolder() : await encrypted();
      const tried = await createEngine({
        config: { provider: 'libsql' },
        cwd,
        dataDir: join(cwd, '.ragstone', 'try', 'docs-1'),
      });
      await tried.push([DOCUMENT]);
      await tried.close();
      const engine = await openEngine(cwd, [OLD]);
      const documents = beside === 'none' ? 0 : COUNT;
      expect(await engine.rotateEncryption()).toEqual({ documents, rewritten: 0, removedTries: 1 });
      await engine.close();
      expect(bytesIn(join(cwd, '.ragstone'))).not.toContain('florins');
      const unmarked = await openEngine(cwd, [OLD], []);
      if (beside === 'an index') expect(await unmarked.rotateEncryption()).not.toHaveProperty('removedTries');
    },
  );

  test('that was killed goes on where it stopped', async () => {
    const cwd = await encrypted();
    const resources = new EngineResources(await loadConfig({ config: configOf([NEW, OLD]), cwd }));
    const engine = engineOver(resources, cwd);
    let turns = 0;
    const killed = rotateEncryption({
      sealing: await resources.stores.sealing.open(),
      eraseCopies: async () => undefined,
      storeOf: (facts) => resources.stores.of(facts),
      embedderOf: async (facts) => (await resources.models.embedderOf(facts)).embedder,
      signal: undefined,
      now: () => '2026-05-01T00:00:00.000Z',
      alone: async (work) => {
        turns += 1;
        if (turns > 3) throw new Error('killed');
        return work(await resources.ledger.writing({ check: false }));
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const { documents: seen, rewritten } = await engine.rotateEncryption();
    expect([seen, rewritten > 0 && rewritten < COUNT]).toEqual([COUNT, true]);
    expect((await engine.verify()).drift).toEqual([]);
    await engine.close();
    const after = await openEngine(cwd, [NEW]);
    for (const { id } of documents) expect(await salaryOf(after, id)).toBe('ninety-thousand-florins');
  });
});
