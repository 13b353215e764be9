import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVERYTHING } from '../core/filter.js';
import { contentHash } from '../core/ids.js';
import { EVERYONE } from '../core/scope.js';
import { openEngine } from '../engine/create-engine.js';
import type { Engine } from '../engine/engine.js';
import type { EngineResources } from '../engine/engine-resources.js';
import { listAll } from '../stores/list-pages.js';
import { letterEmbedder } from './test-embedder.js';

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
  const { collection } = await resources.collection();
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
