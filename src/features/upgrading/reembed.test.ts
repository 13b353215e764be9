import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Chunker } from '../../chunking/chunker.js';
import { EVERYTHING } from '../../core/filter.js';
import { contentHash } from '../../core/ids.js';
import { EVERYONE } from '../../core/scope.js';
import { openEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import type { ReembedProgress } from '../../operations/upgrade-types.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { listAll } from '../../stores/list-pages.js';
import { startUpgrade } from './start-upgrade.js';
import { letterEmbedder } from './test-embedder.js';

const MODEL = join(import.meta.dirname, '../../../../shared/models/all-MiniLM-L6-v2');

let folder: string;
const engines: Engine[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reembed-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await rm(folder, { recursive: true });
});

const PROVIDERS = ['libsql', 'lancedb'] as const;
type Provider = (typeof PROVIDERS)[number];

interface Opened {
  readonly engine: Engine;
  readonly resources: EngineResources;
}

/** An index by a model that knows letters; `builtin` is what it is upgraded to. */
async function open(provider: Provider, settings: object = {}, data = 'data'): Promise<Opened> {
  const opened = await openEngine({
    config: { provider, ...settings },
    embedder: letterEmbedder(),
    dataDir: join(folder, data),
    cwd: folder,
  });
  engines.push(opened.engine);
  return opened;
}

/** The same documents in a new index that the built-in model makes at once. */
async function clean(provider: Provider): Promise<Opened> {
  const opened = await openEngine({
    config: { provider },
    dataDir: join(folder, `clean-${engines.length}`),
    cwd: folder,
  });
  engines.push(opened.engine);
  return opened;
}

const write = (name: string, text: string) => writeFile(join(folder, name), text);

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

async function writeDocuments(): Promise<void> {
  for (const name of ['oak', 'elm', 'ash'])
    await write(
      `${name}.md`,
      `# The ${name}\n\nThe ${name} stands by the gate, and its leaves fall in the autumn of the year.\n`,
    );
  await write('codes.md', TABLE);
  await write('same.md', '# Twice\n\nThe very same line.\n\n# Twice\n\nThe very same line.\n');
  await write('empty.md', '');
}

describe.each(PROVIDERS)('an upgrade (%s)', (provider) => {
  beforeEach(writeDocuments);

  test('makes the very vectors and words that an index of that model has, and is taken back', async () => {
    const mine = await open(provider);
    await mine.engine.index({ paths: ['.'] });
    const before = await held(mine);
    const result = await mine.engine.reembed({ model: 'builtin', switch: 'always' });
    expect(result).toMatchObject({
      outcome: 'switched',
      from: { generation: 1 },
      to: { generation: 2, embedder: 'builtin' },
    });
    const reference = await clean(provider);
    await reference.engine.index({ paths: ['.'] });
    expect(await held(mine)).toEqual(await held(reference));
    const question = { text: 'part 7 of the machine', options: { mode: 'lexical', topK: 20 } } as const;
    const found = async ({ engine }: Opened) =>
      (await engine.search(question)).results.map(({ id, score }) => [id, score]);
    expect(await found(mine)).toEqual(await found(reference));
    expect(await mine.engine.verify()).toMatchObject({ ok: true });
    // Nothing is read again.
    const { stats } = await mine.engine.index();
    expect(stats).toMatchObject({ documentsProcessed: 0, embeddingsComputed: 0 });
    await mine.engine.useGeneration(1);
    expect(await held(mine)).toEqual(before);
    expect(await mine.engine.verify()).toMatchObject({ ok: true });
  });

  test('later runs embed with the model that is in use, also after a rebuild and in a new process', async () => {
    const first = await open(provider);
    await first.engine.index({ paths: ['.'] });
    await first.engine.reembed({ model: 'builtin', switch: 'always' });
    await write('fir.md', '# The fir\n\nThe fir is green in winter.\n');
    await first.engine.index();
    await first.engine.close();
    const next = await open(provider);
    await write('yew.md', '# The yew\n\nThe yew is old.\n');
    await next.engine.index();
    await next.engine.index({ options: { force: true } });
    await write('pine.md', '# The pine\n\nThe pine is tall.\n');
    await next.engine.index();
    const reference = await clean(provider);
    await reference.engine.index({ paths: ['.'] });
    expect(await held(next)).toEqual(await held(reference));
    expect(await next.engine.status()).toMatchObject({ embedder: 'builtin', upgrade: { state: 'live' } });
  });

  test('what is edited, deleted, restricted and pushed meanwhile is in it, and nothing else', async () => {
    const mine = await open(provider);
    await mine.engine.index({ paths: ['.'] });
    const push = (id: string, level = 0) =>
      mine.engine.push(
        [{ id, text: `The note ${id} lies on the table.`, access: { groups: [EVERYONE], level } }],
        {
          tenant: 'default',
          clearance: 9,
        },
      );
    await push('one');
    await push('two');
    let turns = 0;
    const edits = [
      async () => {
        await write('oak.md', '# The oak\n\nIt was felled in spring.\n');
        await mine.engine.index();
      },
      async () => {
        await rm(join(folder, 'elm.md'));
        await mine.engine.index({ options: { allowShrink: true } });
        await push('one', 5);
      },
      async () => {
        await mine.engine.delete(['two']);
        await push('three');
      },
    ];
    const waiting: Promise<void>[] = [];
    await mine.engine.reembed({
      model: 'builtin',
      switch: 'always',
      onProgress: () => {
        const edit = edits[turns++];
        if (edit !== undefined) waiting.push(edit());
      },
    });
    await Promise.all(waiting);
    expect(turns).toBeGreaterThanOrEqual(edits.length);
    const contents = (await held(mine)).map(({ content }) => content).join('\n');
    expect(contents).toContain('felled');
    expect(contents).toContain('note three');
    expect(contents).not.toContain('note two');
    expect(contents).not.toContain('The elm stands');
    const notes = async (clearance: number) =>
      (
        await mine.engine.search(
          { text: 'note table', options: { mode: 'lexical' } },
          { tenant: 'default', clearance },
        )
      ).results.length;
    expect(await notes(0)).toBe(1);
    expect(await notes(5)).toBe(2);
    expect(await mine.engine.verify()).toMatchObject({ ok: true });
  });
});

describe('an upgrade', () => {
  test('is not felt by searches: none fails, and each reads one generation', async () => {
    for (let i = 0; i < 120; i++)
      await write(
        `note-${i}.md`,
        `# Note ${i}\n\nThe gate of house ${i} is closed, and its garden ${i % 7} is large.\n`,
      );
    // Results of a busy machine, which the reader has no time for, have another order.
    const { engine } = await open('libsql', { retrieval: { rerank: { enabled: false } } });
    await engine.index({ paths: ['.'] });
    const questions = ['gate of house 7', 'the large garden', 'note 44', 'what is closed?'];
    const ask = async (text: string): Promise<string> => {
      const { results, lanes } = await engine.search({ text, options: { topK: 8 } });
      expect(lanes.filter(({ status }) => status === 'failed')).toEqual([]);
      return JSON.stringify(results.map(({ id, score }) => [id, score]));
    };
    const answers = async () =>
      new Map(await Promise.all(questions.map(async (text) => [text, await ask(text)] as const)));
    const before = await answers();
    const during: (readonly [string, string])[] = [];
    let isDone = false;
    const upgrade = engine.reembed({ model: 'builtin', switch: 'always' }).finally(() => {
      isDone = true;
    });
    for (let i = 0; !isDone; i++) {
      const text = questions[i % questions.length] ?? '';
      during.push([text, await ask(text)]);
      await nextTurn();
    }
    await upgrade;
    const after = await answers();
    expect(during.length).toBeGreaterThan(10);
    for (const text of questions) expect(after.get(text)).not.toBe(before.get(text));
    const mixed = during.filter(([text, found]) => found !== before.get(text) && found !== after.get(text));
    expect(mixed).toEqual([]);
  });

  test('compares both models on questions, says what it found, and switches by the rule', async () => {
    await writeDocuments();
    const questions = ['oak', 'elm', 'ash'].map((name) => ({
      id: name,
      question: `where does the ${name} stand`,
      type: 'lookup',
      gold: [{ path: `${name}.md`, quote: `The ${name} stands by the gate` }],
    }));
    await write('questions.jsonl', questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
    const { engine } = await open('libsql');
    await engine.index({ paths: ['.'] });
    const asked = { model: 'builtin', questions: 'questions.jsonl' } as const;
    const kept = await engine.reembed({ ...asked, switch: 'if-better' });
    expect(kept).toMatchObject({
      outcome: 'kept',
      comparison: {
        verdict: 'no difference found',
        metric: 'hit@5',
        questions: 3,
        questionsFrom: 'questions.jsonl',
      },
    });
    expect(kept.notices.join()).toContain('--switch always');
    expect(await engine.status()).toMatchObject({
      embedder: 'letters',
      upgrade: { state: 'complete', comparison: { verdict: 'no difference found' } },
    });
    // Nothing is made twice.
    expect(await engine.reembed(asked)).toMatchObject({ outcome: 'switched', embedded: 0 });
    expect(await engine.reembed(asked)).toMatchObject({ outcome: 'already' });
    const [, first] = await engine.generations();
    await engine.useGeneration(first?.generation ?? 0);
    expect(await engine.status()).toMatchObject({ embedder: 'letters', upgrade: { state: 'taken back' } });
    await write('fir.md', '# The fir\n\nThe fir is green.\n');
    expect((await engine.index()).stats.documentsProcessed).toBe(1);
  });

  test('makes questions of headings where none are given, and says so', async () => {
    for (let i = 0; i < 6; i++)
      await write(
        `guide-${i}.md`,
        `# Repair of the pump number ${i}\n\nThe pump ${i} is repaired with a wrench and a new seal, by two people.\n`,
      );
    const { engine } = await open('libsql');
    await engine.index({ paths: ['.'] });
    const { comparison } = await engine.reembed({ model: 'builtin' });
    expect(comparison).toMatchObject({ questions: 6, questionsFrom: 'made of the indexed documents' });
  });

  test('is told of by a run and by status before it is made, and is not begun by a dry run', async () => {
    await writeDocuments();
    const { engine } = await open('libsql', { embedding: { upgrade: 'builtin' } });
    const { notices } = await engine.index({ paths: ['.'] });
    expect(notices.join()).toContain('`ragstone reembed`');
    const { upgrade, chunks } = await engine.status();
    expect(upgrade).toMatchObject({ wanted: 'builtin', state: 'waiting', done: 0, total: chunks });
    expect(await engine.reembed({ dryRun: true })).toMatchObject({ outcome: 'dry-run', chunks });
    expect(await engine.generations()).toHaveLength(1);
    const background = startUpgrade(engine);
    await expect.poll(async () => (await engine.status()).upgrade?.state).toBe('complete');
    await background.stop();
  });

  test.skipIf(!existsSync(MODEL))(
    'to a model of this machine is found again by its path in a new process',
    async () => {
      for (let i = 0; i < 12; i++)
        await write(
          `pump-${i}.md`,
          `# Repair of the pump number ${i}\n\nThe pump ${i} is repaired by two people.\n`,
        );
      const options = { config: { provider: 'libsql' }, dataDir: join(folder, 'data'), cwd: folder } as const;
      const first = await openEngine(options);
      await first.engine.index({ paths: ['.'] });
      const told: ReembedProgress[] = [];
      const result = await first.engine.reembed({
        model: MODEL,
        switch: 'always',
        onProgress: (progress) => told.push(progress),
      });
      expect(result).toMatchObject({ outcome: 'switched', embedded: 12, chunks: 12 });
      expect(told.at(-1)?.stage).toBe('switching');
      expect(told.some(({ stage, done, total }) => stage === 'embedding' && done === total)).toBe(true);
      await first.engine.close();
      const next = await openEngine(options);
      engines.push(next.engine);
      await write('new.md', '# The new pump\n\nIt stands in the cellar.\n');
      await next.engine.index();
      const { results, notices } = await next.engine.search('a pump below ground');
      expect(results[0]?.metadata.source).toBe('new.md');
      expect(notices.join()).not.toContain('configuration names');
      const clean = await openEngine({
        ...options,
        config: { provider: 'libsql', embedding: { model: MODEL, cache: { enabled: false } } },
        dataDir: join(folder, 'clean'),
      });
      engines.push(clean.engine);
      await clean.engine.index({ paths: ['.'] });
      const vectorsOf = async ({ resources }: Opened) => {
        const { collection } = await resources.stores.collection();
        const ids = (await listAll(collection, { filter: EVERYTHING })).map(({ id }) => id).sort();
        return collection.get(ids, { includeVectors: true });
      };
      const reference = await vectorsOf(clean);
      // The network rounds by what else is in a batch.
      for (const [i, { id, vector }] of (await vectorsOf(next)).entries()) {
        expect(id).toBe(reference[i]?.id);
        const other = reference[i]?.vector ?? new Float32Array();
        const cosine = (vector ?? new Float32Array()).reduce(
          (sum, value, at) => sum + value * (other[at] ?? 0),
          0,
        );
        expect(cosine).toBeGreaterThan(0.98);
      }
    },
    180_000,
  );

  test('by a model that nobody has, without a model, or of nothing says what to do', async () => {
    const { engine } = await open('libsql');
    await expect(engine.reembed({ model: 'builtin' })).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await writeDocuments();
    await engine.index({ paths: ['.'] });
    await expect(engine.reembed()).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('rag.embedding.upgrade'),
    });
    await expect(engine.reembed({ model: 'transformers:./nowhere' })).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringMatching(/^The model to upgrade to: .*ragstone model add/),
    });
    await expect(engine.reembed({ model: 'builtin', questions: 'none.jsonl' })).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
    });
    expect(await engine.generations()).toHaveLength(1);
  });

  test('counts what is in no stored text; the next run mends what a source still has', async () => {
    await writeDocuments();
    const chunker: Chunker = {
      strategy: 'beside',
      cut: ({ document: { text } }) =>
        text.trim() === '' ? [] : [{ start: 0, end: text.length, surroundings: ['words from elsewhere'] }],
    };
    const own = { chunkers: [chunker], embedder: letterEmbedder(), cwd: folder };
    const config = { provider: 'libsql', chunking: { strategy: 'beside' } } as const;
    const { engine } = await openEngine({ ...own, config, dataDir: join(folder, 'data') });
    engines.push(engine);
    await engine.index({ paths: ['.'] });
    await engine.push([{ id: 'note', text: 'A note.', surroundings: ['a pushed neighbour'] }]);
    const { notices } = await engine.reembed({ model: 'builtin', switch: 'always' });
    expect(notices.join()).toContain('6 passages');
    const { stats } = await engine.index();
    expect(stats.documentsProcessed).toBe(5);
    const found = await engine.search({
      text: 'elsewhere',
      options: { mode: 'lexical', topK: 9, nearDuplicates: 'keep' },
    });
    expect(found.results).toHaveLength(5);
  });
});
