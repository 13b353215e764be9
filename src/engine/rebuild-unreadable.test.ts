import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { RAGError } from '../core/errors.js';
import { OPEN_ACCESS } from '../core/scope.js';
import type { Engine } from '../operations/engine.js';
import type { Source, UnreadableItem } from '../sources/source.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

/** A source of pages, of which some cannot be listed or read now. */
class Shelf {
  readonly pages = new Map<string, string>();
  readonly unlistable: UnreadableItem[] = [];
  readonly unreadable = new Set<string>();

  readonly source: Source = {
    name: 'shelf',
    type: 'shelf',
    listing: 'complete',
    list: () => this.#list(),
    read: async ({ id }) => {
      if (this.unreadable.has(id)) throw new RAGError('DOCUMENT_UNREADABLE', 'It cannot be read.');
      const content = this.pages.get(id) ?? '';
      const document = {
        externalId: id,
        content,
        mediaType: 'text/plain',
        metadata: {},
        access: OPEN_ACCESS,
      };
      return { documents: [document], failures: [] };
    },
  };

  async *#list(): AsyncGenerator<{ id: string; version: string } | UnreadableItem> {
    yield* this.unlistable;
    for (const [id, version] of this.pages)
      if (!this.unlistable.some((folder) => id.startsWith(folder.id))) yield { id, version };
  }
}

async function withShelf(work: (engine: Engine, shelf: Shelf) => Promise<void>): Promise<void> {
  const shelf = new Shelf();
  shelf.pages.set('lamp', 'The lamp is lit at dusk.').set('attic/trunk', 'The trunk is locked at dusk.');
  const engine = await createEngine({
    cwd: temporaryFolder(),
    embedder: createHashEmbedder({ dimensions: 8 }),
    sources: [shelf.source],
    config: { provider: 'memory' },
  });
  try {
    await engine.index();
    await work(engine, shelf);
  } finally {
    await engine.close();
  }
}

const options = { mode: 'lexical', minSimilarity: 0 } as const;
const shown = async (engine: Engine): Promise<string[]> =>
  (await engine.search({ text: 'dusk noon', options })).results.map(({ content }) => content).sort();
const error = new RAGError('DOCUMENT_UNREADABLE', 'The folder cannot be listed.');

it.each([
  ['a folder', { id: 'attic/', error }],
  ['a folder that is read by default', { id: 'attic/', error, isOptional: true }],
])('a rebuild keeps what is in %s that cannot be listed, as it is indexed now', async (_, unlistable) => {
  await withShelf(async (engine, shelf) => {
    shelf.unlistable.push(unlistable);
    const { stats } = await engine.index({ options: { force: true } });
    expect(stats.errors).toMatchObject([{ source: 'shelf', item: 'attic/' }]);
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['live', 'retired']);
    expect(await shown(engine)).toEqual(['The lamp is lit at dusk.', 'The trunk is locked at dusk.']);
    // What cannot be listed now is known: it can still be gone later.
    shelf.unlistable.pop();
    shelf.pages.delete('attic/trunk');
    await engine.index();
    expect(await shown(engine)).toEqual(['The lamp is lit at dusk.']);
    expect(await engine.failures()).toEqual([]);
  });
});

it('a rebuild that goes on takes of such a folder what was indexed since, and not what it had read before', async () => {
  await withShelf(async (engine, shelf) => {
    const stop = new AbortController();
    shelf.pages.set('zinc', 'The zinc is shown at dusk.');
    const stopped = engine.index({
      options: { force: true, batchSize: 1, parallel: 1 },
      signal: stop.signal,
      onProgress: ({ itemsDone }) => itemsDone > 1 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ reason: 'ABORTED' });
    shelf.pages.set('attic/trunk', 'The trunk is open at noon.');
    await engine.index();
    shelf.unlistable.push({ id: 'attic/', error });
    await engine.index({ options: { force: true } });
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['live', 'retired']);
    expect(await shown(engine)).toContain('The trunk is open at noon.');
  });
});

it('a rebuild keeps what was indexed of an item that had failed before, and its failure', async () => {
  await withShelf(async (engine, shelf) => {
    shelf.unreadable.add('lamp');
    shelf.pages.set('lamp', 'The lamp is put out at noon.').set('never', 'Nobody reads it at noon.');
    shelf.unreadable.add('never');
    await engine.index();
    expect(await shown(engine)).toContain('The lamp is lit at dusk.');
    await engine.index({ options: { force: true } });
    expect(await shown(engine)).toEqual(['The lamp is lit at dusk.', 'The trunk is locked at dusk.']);
    expect((await engine.failures()).map(({ item }) => item).sort()).toEqual(['lamp', 'never']);
    shelf.unreadable.clear();
    await engine.retry();
    expect(await shown(engine)).toEqual([
      'Nobody reads it at noon.',
      'The lamp is put out at noon.',
      'The trunk is locked at dusk.',
    ]);
    expect(await engine.failures()).toEqual([]);
  });
});
