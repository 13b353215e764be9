import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { EVERYTHING, oneOf } from '../../core/filter.js';
import { contentHash } from '../../core/ids.js';
import { openEngine } from '../../engine/create-engine.js';
import { letterEmbedder } from '../../features/upgrading/test-embedder.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { Engine } from '../../operations/engine.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { listAll } from '../../stores/list-pages.js';
import { migrateIndex } from './migrate-index.js';
import type { MigrateRequest, MigrationProgress } from './migration-types.js';

let folder: string;
const engines: Engine[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrate-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await rm(folder, { recursive: true });
});

type Provider = 'libsql' | 'lancedb' | 'usearch';

const SOURCES = [{ name: 'docs', type: 'files', root: 'docs' }] as const;

function place(provider: Provider, data = 'data', settings: object = {}): MigrateRequest['from'] {
  const config = { provider, sources: SOURCES, ...settings } as unknown as RAGConfigInput;
  return { config, dataDir: join(folder, data) };
}

interface Opened {
  readonly engine: Engine;
  readonly resources: EngineResources;
}

async function open(of: MigrateRequest['from']): Promise<Opened> {
  const opened = await openEngine({ ...of, cwd: folder });
  engines.push(opened.engine);
  return opened;
}

const closeAll = async (): Promise<void> => {
  for (const engine of engines.splice(0)) await engine.close();
};

/** Everything that the store holds of the live generation, with vectors. */
async function held({ resources }: Opened) {
  const { collection } = await resources.stores.collection();
  const chunks = await listAll(collection, { filter: EVERYTHING });
  const whole = await collection.get(
    chunks.map(({ id }) => id),
    { includeVectors: true },
  );
  return whole
    .map(({ vector, ...chunk }) => ({ ...chunk, vector: contentHash(JSON.stringify([...(vector ?? [])])) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const TABLE = `# Codes\n\nWhat each means.\n\n| code | meaning |\n| --- | --- |\n${Array.from({ length: 80 }, (_, i) => `| E${i} | The part ${i} of the machine has failed and was replaced. |`).join('\n')}\n\n\`\`\`ts\n${Array.from({ length: 60 }, (_, i) => `export const value${i} = compute(${i}, 'of the kind');`).join('\n')}\n\`\`\`\n`;

const write = async (name: string, text: string): Promise<void> => {
  await writeFile(join(folder, 'docs', name), text);
};

async function makeIndex(of: MigrateRequest['from']): Promise<void> {
  mkdirSync(join(folder, 'docs'), { recursive: true });
  for (const name of ['oak', 'elm', 'ash'])
    await write(
      `${name}.md`,
      `# The ${name}\n\nThe ${name} stands by the gate, and its leaves fall in the autumn of the year.\n`,
    );
  await write('codes.md', TABLE);
  await write('same.md', '# Twice\n\nThe very same line.\n\n# Twice\n\nThe very same line.\n');
  await write('empty.md', '');
  const { engine } = await open(of);
  await engine.index();
  await engine.push([{ id: 'note-1', title: 'A note', text: 'The bakery opens at seven in the morning.' }]);
  await engine.push(
    [{ id: 'secret', text: 'The vault is behind the mill.', access: { groups: ['board'], level: 2 } }],
    { tenant: 'acme', project: 'north', groups: ['board'], clearance: 2 },
  );
  await closeAll();
}

const migrate = (
  from: MigrateRequest['from'],
  to: MigrateRequest['to'],
  more: Partial<MigrateRequest> = {},
) => migrateIndex({ from, to, cwd: folder, ...more });

const BOARD = { tenant: 'acme', project: 'north', groups: ['board'], clearance: 2 };

const PAIRS: readonly (readonly [Provider, Provider, 'one' | 'two'])[] = [
  ['libsql', 'lancedb', 'one'],
  ['lancedb', 'libsql', 'two'],
  ['libsql', 'usearch', 'two'],
  ['usearch', 'lancedb', 'one'],
  ['libsql', 'libsql', 'two'],
];

describe.each(PAIRS)('from %s to %s (%s ledger)', (a, b, ledgers) => {
  const from = () => place(a);
  const to = () => place(b, ledgers === 'one' ? 'data' : 'other');

  test('copies vectors, words, access and what the ledger knows, and the next run has nothing to do', async () => {
    await makeIndex(from());
    const before = await open(from());
    const chunks = await held(before);
    const question = { text: 'part 7 of the machine', options: { mode: 'lexical', topK: 20 } } as const;
    const found = async ({ engine }: Opened) =>
      (await engine.search(question)).results.map(({ id }) => id).sort();
    const words = await found(before);
    await closeAll();
    const progress: MigrationProgress[] = [];
    const result = await migrate(from(), to(), { onProgress: (told) => progress.push(told) });
    expect(result).toMatchObject({
      outcome: 'switched',
      from: { store: a, generation: 1 },
      to: { store: b },
      copied: chunks.length,
      check: { chunks: chunks.length, vectors: chunks.length },
      comparison: { overlap: 1 },
      notices: [],
    });
    expect(result.comparison?.questions).toBeGreaterThan(3);
    expect(new Set(progress.map(({ stage }) => stage))).toEqual(
      new Set(['copying', 'checking', 'comparing', 'switching']),
    );
    const after = await open(to());
    expect(await held(after)).toEqual(chunks);
    expect(await found(after)).toEqual(words);
    expect(
      (await after.engine.search('behind the mill')).results.map(({ metadata }) => metadata.source),
    ).not.toContain('secret');
    const [secret] = (await after.engine.search('behind the mill', BOARD)).results;
    expect(secret?.content).toBe('The vault is behind the mill.');
    expect(await after.engine.verify()).toMatchObject({ ok: true, drift: [] });
    const { stats } = await after.engine.index();
    expect(stats).toMatchObject({ documentsProcessed: 0, embeddingsComputed: 0 });
    expect((await after.engine.get('note-1'))?.text).toBe('The bakery opens at seven in the morning.');
    await closeAll();
    expect(await migrate(from(), to())).toMatchObject({ outcome: 'already', copied: 0 });
  });

  test('changes meanwhile are in the copy, and the way back brings changes since', async () => {
    await makeIndex(from());
    const writer = await open(from());
    let edits: Promise<unknown> | undefined;
    const onProgress = ({ stage }: MigrationProgress): void => {
      if (stage !== 'comparing' || edits !== undefined) return;
      edits = Promise.all([
        writer.engine.push([{ id: 'note-2', text: 'The ferry leaves at noon.' }]),
        writer.engine.delete(['note-1']),
      ]);
    };
    const result = await migrate(from(), to(), { onProgress });
    await edits;
    expect(result).toMatchObject({ outcome: 'switched' });
    await closeAll();
    const after = await open(to());
    expect((await after.engine.get('note-2'))?.text).toBe('The ferry leaves at noon.');
    expect(await after.engine.get('note-1')).toBeUndefined();
    if (ledgers === 'two') return;
    await after.engine.push([{ id: 'note-3', text: 'The well is deep.' }]);
    await closeAll();
    expect(result.wayBack).toContain('ragstone migrate');
    const back = await migrate(to(), from());
    expect(back).toMatchObject({ outcome: 'switched', to: { generation: 1 }, copied: 1 });
    const again = await open(from());
    expect((await again.engine.get('note-3'))?.text).toBe('The well is deep.');
    expect(await again.engine.verify()).toMatchObject({ ok: true, drift: [] });
  });
});

test('one that was stopped goes on where it was, and a copy that was not switched is no index', async () => {
  const [from, to] = [place('libsql'), place('lancedb', 'other')];
  await makeIndex(from);
  const first = await open(from);
  const documents = Array.from({ length: 1_300 }, (_, i) => ({
    id: `bulk-${i}`,
    text: `Parcel ${i} lies in row ${i % 40}.`,
  }));
  await first.engine.push(documents);
  await closeAll();
  const stop = new AbortController();
  const onProgress = ({ stage, done }: MigrationProgress): void => {
    if (stage === 'copying' && done > 900) stop.abort();
  };
  await expect(migrate(from, to, { onProgress, signal: stop.signal })).rejects.toMatchObject({
    reason: 'ABORTED',
  });
  const between = await open(to);
  await expect(between.engine.search('parcel 7')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
  await closeAll();
  const dry = await migrate(from, to, { dryRun: true });
  const result = await migrate(from, to);
  expect(dry).toMatchObject({ outcome: 'dry-run', chunks: result.copied });
  expect(result.outcome).toBe('switched');
  expect(result.copied).toBeLessThan(result.chunks - 900);
  expect(result.check?.chunks).toBe(result.chunks);
});

test('a copy whose results differ is kept, and switched to where that is wanted', async () => {
  const [from, to] = [place('libsql'), place('lancedb', 'other')];
  await makeIndex(from);
  expect(await migrate(from, to, { switch: false })).toMatchObject({ outcome: 'kept' });
  expect(await migrate(from, to)).toMatchObject({ outcome: 'switched', copied: 0 });
});

describe('what is refused', () => {
  test('another model, and nothing is made', async () => {
    await makeIndex(place('libsql'));
    const to = { ...place('lancedb', 'other'), embedder: letterEmbedder() };
    await expect(migrate(place('libsql'), to)).rejects.toMatchObject({
      reason: 'STORE_FINGERPRINT_MISMATCH',
    });
    expect(existsSync(join(folder, 'other', 'ledger.db'))).toBe(false);
  });

  test('an index in the place of the copy, unless it is replaced and kept', async () => {
    await makeIndex(place('libsql'));
    const to = place('libsql', 'other');
    const other = await open(to);
    await other.engine.push([{ id: 'theirs', text: 'Something of others.' }]);
    await closeAll();
    await expect(migrate(place('libsql'), to)).rejects.toMatchObject({ reason: 'USAGE' });
    expect(await migrate(place('libsql'), to, { replace: true })).toMatchObject({ outcome: 'switched' });
    const after = await open(to);
    expect(await after.engine.get('theirs')).toBeUndefined();
    await after.engine.useGeneration(1);
    expect(await after.engine.generations()).toHaveLength(2);
  });

  test('nothing to copy', async () => {
    await expect(migrate(place('libsql'), place('lancedb', 'other'))).rejects.toMatchObject({
      reason: 'INDEX_EMPTY',
    });
  });
});

test.each([
  ['one', 1],
  ['two', 0],
] as const)('a younger switch of another process is not undone (%s ledger)', async (ledgers, generations) => {
  const [from, to] = [place('libsql'), place('lancedb', ledgers === 'one' ? 'data' : 'other')];
  await makeIndex(from);
  const inner = openLedger({ path: join(folder, ledgers === 'one' ? 'data' : 'other', 'ledger.db') });
  // Another process switches just before, as where this one has lost its lock.
  const switchBefore = async (): Promise<void> => {
    const [facts] = await inner.generations();
    const { generation } = await inner.begin(() => facts as Generation, '2026-01-01T00:00:00.000Z');
    await inner.switchTo(generation, '2026-01-01T00:00:00.000Z');
  };
  const ledger: Ledger = new Proxy(inner, {
    get: (target, name) => {
      if (name === 'switchTo')
        return (...given: Parameters<Ledger['switchTo']>) =>
          switchBefore().then(() => target.switchTo(...given));
      if (name === 'makeFirst')
        return (...given: Parameters<Ledger['makeFirst']>) =>
          switchBefore().then(() => target.makeFirst(...given));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const ends = [from, to].map((one) => (ledgers === 'one' || one === to ? { ...one, ledger } : one));
  const [a = from, b = to] = ends;
  await expect(migrate(a, b)).rejects.toMatchObject({ reason: 'INDEX_LEASE_LOST' });
  expect((await inner.live())?.generation).toBe(generations + 2);
  await inner.close();
});

test('a chunk that the old store lost stands in the way, and is named', async () => {
  const [from, to] = [place('lancedb'), place('libsql', 'other')];
  await makeIndex(from);
  const { resources } = await open(from);
  const { collection } = await resources.stores.collection();
  const chunks = await listAll(collection, { filter: EVERYTHING });
  const note = chunks.find(({ content }) => content.includes('bakery'));
  await collection.delete(oneOf('$chunkId', [note?.id ?? '']));
  await closeAll();
  await expect(migrate(from, to)).rejects.toMatchObject({ reason: 'MIGRATION_FAILED' });
  const after = await open(to);
  await expect(after.engine.search('bakery')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
});

test('what was forgotten on purpose is kept out of the copy, too', async () => {
  const [from, to] = [place('libsql'), place('lancedb', 'other')];
  await makeIndex(from);
  const { engine } = await open(from);
  const receipt = await engine.forget({ documents: ['oak.md'] });
  expect(receipt.keptOut).toBeGreaterThan(0);
  await closeAll();
  await migrate(from, to);
  const after = await open(to);
  const result = await after.engine.index();
  expect(result.stats).toMatchObject({ documentsProcessed: 0 });
  expect((await after.engine.list()).documents.map(({ externalId }) => externalId)).not.toContain('oak.md');
  expect(await after.engine.letIn(receipt.id)).toBeGreaterThan(0);
});

describe('the history of the index', () => {
  const KEPT = { history: { keep: '90d' } };
  const later = () => new Promise((resolve) => setTimeout(resolve, 20));

  /** An index with history, whose note said something else at the moment that is returned. */
  async function changedIndex(of: MigrateRequest['from']): Promise<Date> {
    mkdirSync(join(folder, 'docs'), { recursive: true });
    await write(
      'oak.md',
      '# The oak\n\nThe oak stands by the gate, and its leaves fall in the autumn of the year.\n',
    );
    const { engine } = await open(of);
    await engine.index();
    await engine.push([{ id: 'note', title: 'A note', text: 'The bakery opens at seven in the morning.' }]);
    await later();
    const before = new Date();
    await later();
    await engine.push([{ id: 'note', title: 'A note', text: 'The bakery opens at nine in the morning.' }]);
    await later();
    await closeAll();
    return before;
  }

  const bakery = async (of: MigrateRequest['from'], asOf: Date) => {
    const { engine } = await open(of);
    const { results } = await engine.search({ text: 'When does the bakery open?', asOf });
    await closeAll();
    return results.map(({ content }) => content).filter((content) => content.includes('bakery'));
  };

  test('goes on in one ledger, before the switch and after it', async () => {
    const [from, to] = [place('libsql', 'data', KEPT), place('lancedb', 'data', KEPT)];
    const before = await changedIndex(from);
    expect(await migrate(from, to)).toMatchObject({ outcome: 'switched', notices: [] });
    await later();
    expect(await bakery(to, before)).toEqual(['The bakery opens at seven in the morning.']);
    const { engine } = await open(to);
    const switched = new Date();
    await later();
    await engine.push([{ id: 'note', title: 'A note', text: 'The bakery is closed.' }]);
    expect((await engine.verify({ sources: false })).drift).toEqual([]);
    await closeAll();
    expect(await bakery(to, switched)).toEqual(['The bakery opens at nine in the morning.']);
  });

  test('is not ended by a configuration that keeps none', async () => {
    const [from, to] = [place('libsql', 'data', KEPT), place('lancedb', 'data')];
    const before = await changedIndex(from);
    await expect(migrate(from, to)).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('rag.history.keep') as string,
    });
    expect(await bakery(from, before)).toEqual(['The bakery opens at seven in the morning.']);
  });

  test('stays behind where the copy has another ledger, which is said, and begins there', async () => {
    const [from, to] = [place('libsql', 'data', KEPT), place('lancedb', 'other', KEPT)];
    const before = await changedIndex(from);
    const said = [expect.stringMatching(/history .* is not copied: that of the copy begins/)];
    expect(await migrate(from, to, { dryRun: true })).toMatchObject({ notices: said });
    expect(await migrate(from, to)).toMatchObject({ outcome: 'switched', notices: said });
    await later();
    expect(await bakery(from, before)).toEqual(['The bakery opens at seven in the morning.']);
    await expect(bakery(to, before)).rejects.toMatchObject({
      reason: 'QUERY_INVALID',
      message: expect.stringContaining('history begins at') as string,
    });
    await closeAll();
    expect(await bakery(to, new Date())).toEqual(['The bakery opens at nine in the morning.']);
  });
});
