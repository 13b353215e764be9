import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** A store apart from the ledger, some of whose calls go as a test says. */
function storeOf(
  changed: (name: string | symbol, call: Call) => Call,
  lexical: VectorStore['capabilities']['lexical'] = 'bm25',
): VectorStore {
  const over = <T extends object>(part: T, own: (name: string | symbol) => unknown): T =>
    new Proxy(part, {
      get: (target, name) => {
        const member: unknown = own(name) ?? Reflect.get(target, name, target);
        return typeof member === 'function' ? changed(name, member.bind(target) as Call) : member;
      },
    });
  const memory = createMemoryStore();
  return over<VectorStore>(memory, (name) => {
    if (name === 'name') return 'apart';
    if (name === 'capabilities') return { ...memory.capabilities, persistent: true, lexical };
    if (name !== 'open') return undefined;
    return async (spec: Parameters<VectorStore['open']>[0]) =>
      over<VectorCollection>(await memory.open(spec), () => undefined);
  });
}

const silent: Call = () => Promise.reject(new RAGError('STORE_UNAVAILABLE', 'It does not answer.'));

it('a rebuild copies one revision of what a push that was interrupted left', async () => {
  let mayDelete = true;
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs', 'door.md'), 'The door is shut at dusk.');
  const engine = await createEngine({
    cwd,
    // A push ends there, between the new chunks and the old ones.
    store: storeOf((name, call) => (name === 'delete' && !mayDelete ? silent : call)),
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: {
      sources: [{ name: 'docs', type: 'files', root: 'docs' }],
      chunking: { unit: 'characters', minSize: 1, maxSize: 60, overlap: 0 },
    },
  });
  try {
    await engine.index();
    await engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk by Ada.' }]);
    mayDelete = false;
    await expect(
      engine.push([{ id: 'lamp', text: 'The lamp is put out at dawn by Ben.' }]),
    ).rejects.toThrow();
    mayDelete = true;
    await engine.index({ options: { force: true } });
    const { results } = await engine.search({
      text: 'lamp Ada Ben',
      options: { mode: 'lexical', minSimilarity: 0 },
    });
    const found = results.filter(({ metadata }) => metadata.source === 'lamp').map(({ content }) => content);
    expect(found).toEqual(['The lamp is put out at dawn by Ben.']);
    for (const word of ['Ada', 'Ben'])
      expect(
        (await engine.search({ text: word, options: { mode: 'lexical', minSimilarity: 0 } })).results,
      ).toHaveLength(word === 'Ben' ? 1 : 0);
    expect((await engine.verify()).drift).toEqual([]);
  } finally {
    await engine.close();
  }
});

it('two pushes of one document that die in a row leave one whole revision, wherever each dies', async () => {
  const texts = ['Ada', 'Ben', 'Cyd'].map((name) =>
    [
      `The gate is opened by ${name} at dawn.`,
      'Nobody passes it at noon.',
      `At night ${name} shuts it.`,
    ].join('\n\n'),
  );
  for (const first of [0, 1, 2])
    for (const second of [0, 1, 2, 3]) {
      let writes = Infinity;
      const engine = await createEngine({
        cwd: temporaryFolder(),
        store: storeOf((name, call) => {
          if (name !== 'upsert' && name !== 'delete') return call;
          writes -= 1;
          return writes < 0 ? silent : call;
        }),
        embedder: createHashEmbedder({ dimensions: 8 }),
        config: { chunking: { unit: 'characters', minSize: 1, maxSize: 45, overlap: 0 } },
      });
      try {
        const push = (text = '') => engine.push([{ id: 'gate', text }]);
        await push(texts[0]);
        for (const [i, mostWrites] of [first, second].entries()) {
          writes = mostWrites;
          await push(texts[i + 1]).catch(() => undefined);
        }
        writes = Infinity;
        await engine.verify({ repair: true });
        expect((await engine.verify()).drift, `${first} ${second}`).toEqual([]);
        const [document] = (await engine.list()).documents;
        const text = (await engine.get(document?.id ?? ''))?.text ?? '';
        expect(texts).toContain(text);
        const { results } = await engine.search({
          text: 'gate dawn noon night',
          options: { mode: 'lexical', minSimilarity: 0, collapse: 'none', topK: 50 },
        });
        expect(results.length).toBeGreaterThan(1);
        for (const { content } of results) expect(text).toContain(content);
      } finally {
        await engine.close();
      }
    }
});

it('a rebuild that goes on brings back nothing of which the deletion was interrupted since it was copied', async () => {
  let mayDelete = true;
  const cwd = temporaryFolder();
  const docs = join(cwd, 'docs');
  mkdirSync(docs);
  writeFileSync(join(docs, 'door.md'), 'The door is shut at dusk.');
  const engine = await createEngine({
    cwd,
    store: storeOf((name, call) => (name === 'delete' && !mayDelete ? silent : call)),
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: { sources: [{ name: 'docs', type: 'files', root: 'docs' }] },
  });
  try {
    await engine.index();
    await engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk by Ada.' }]);
    const lamp = (await engine.list()).documents.find(({ externalId }) => externalId === 'lamp');
    // What cannot be read now keeps the new generation from its end.
    renameSync(docs, `${docs}.away`);
    await engine.index({ options: { force: true } });
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['building', 'live']);
    mayDelete = false;
    await expect(engine.delete([lamp?.id ?? ''])).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    mayDelete = true;
    renameSync(`${docs}.away`, docs);
    await engine.index({ options: { force: true } });
    expect((await engine.generations()).map(({ state }) => state)).toEqual(['live', 'retired']);
    const options = { mode: 'lexical', minSimilarity: 0 } as const;
    expect((await engine.search({ text: 'Ada', options })).results).toEqual([]);
    expect((await engine.list()).documents.map(({ externalId }) => externalId)).toEqual(['door.md']);
    expect((await engine.verify()).drift).toEqual([]);
  } finally {
    await engine.close();
  }
});

it('a deletion that ended between two generations is ended by the next run in those that are kept', async () => {
  let deletions = Infinity;
  const cwd = temporaryFolder();
  const docs = join(cwd, 'docs');
  mkdirSync(docs);
  for (const name of ['door', 'lamp'])
    writeFileSync(join(docs, `${name}.md`), `The ${name} is shut at dusk.`);
  const engine = await createEngine({
    cwd,
    store: storeOf((name, call) => {
      if (name !== 'delete') return call;
      deletions -= 1;
      return deletions < 0 ? silent : call;
    }),
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: { sources: [{ name: 'docs', type: 'files', root: 'docs' }] },
  });
  try {
    await engine.index();
    await engine.index({ options: { force: true } });
    rmSync(join(docs, 'lamp.md'));
    // From the live generation it is deleted, from the one that is kept it is not.
    deletions = 1;
    await expect(engine.index()).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    deletions = Infinity;
    await engine.index();
    await engine.useGeneration(1);
    const options = { mode: 'lexical', minSimilarity: 0 } as const;
    expect((await engine.search({ text: 'lamp', options })).results).toEqual([]);
    expect((await engine.list()).documents.map(({ externalId }) => externalId)).toEqual(['door.md']);
  } finally {
    await engine.close();
  }
});

it('a document that somebody else replaces meanwhile is not taken for one that may not be read', async () => {
  let gets = 0;
  const engine = await createEngine({
    cwd: temporaryFolder(),
    // It is gone when the store is asked again.
    store: storeOf((name, call) => async (...args) => {
      if (name !== 'get') return call(...args);
      gets += 1;
      return gets === 1 ? call(...args) : [];
    }),
    embedder: createHashEmbedder({ dimensions: 8 }),
  });
  try {
    await engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk.' }]).catch(() => undefined);
    gets = 0;
    const again = engine.push([{ id: 'lamp', text: 'The lamp is put out at dawn.' }]);
    // The store that lost it is found out later.
    await again.catch((error: unknown) =>
      expect(error).not.toMatchObject({ reason: 'DOCUMENT_DUPLICATE_ID' }),
    );
    expect(gets).toBeGreaterThan(0);
  } finally {
    await engine.close();
  }
});

it('the next run finishes what interrupted pushes and deletions left', async () => {
  let mayDelete = true;
  const cwd = temporaryFolder({ 'docs/door.md': 'The door is shut at dusk.' });
  const engine = await createEngine({
    cwd,
    store: storeOf((name, call) => (name === 'delete' && !mayDelete ? silent : call)),
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: { sources: [{ name: 'docs', type: 'files', root: 'docs' }] },
  });
  try {
    await engine.index();
    await engine.push([
      { id: 'lamp', text: 'The lamp is lit at dusk by Ada.' },
      { id: 'gate', text: 'The gate is kept by Ben.' },
    ]);
    mayDelete = false;
    await expect(engine.push([{ id: 'lamp', text: 'The lamp is put out by Eve.' }])).rejects.toThrow();
    await expect(engine.delete(['gate'])).rejects.toThrow();
    mayDelete = true;
    expect((await engine.verify()).ok).toBe(false);
    const { notices } = await engine.index();
    expect(notices).toContain('Pushes and deletions that were interrupted: 2 finished, 0 taken back.');
    expect(await engine.verify()).toMatchObject({ ok: true, drift: [] });
    expect((await engine.index()).notices).toEqual([]);
  } finally {
    await engine.close();
  }
});

// Each write goes to the index of words first: see `withLexicalIndex`.
it.each([
  ['new chunks', 'upsert', 'The lamp is lit at dusk by Ada.', 'taken back'],
  ['the deletion of old ones', 'delete', 'The lamp is put out at dawn by Ben.', 'finished'],
])(
  'a push whose death kept %s from a store with an index of words beside it is ended by the next run',
  async (_, call, text, outcome) => {
    let isDead = false;
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'docs'));
    writeFileSync(join(cwd, 'docs', 'door.md'), 'The door is shut at dusk.');
    let collection: VectorCollection | undefined;
    const store = storeOf((name, member) => {
      if (name === 'open')
        return async (...args) => {
          collection = (await member(...args)) as VectorCollection;
          return collection;
        };
      return name === call && isDead ? silent : member;
    }, 'none');
    const engine = await createEngine({
      cwd,
      store,
      embedder: createHashEmbedder({ dimensions: 8 }),
      config: { sources: [{ name: 'docs', type: 'files', root: 'docs' }] },
    });
    try {
      await engine.index();
      await engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk by Ada.' }]);
      isDead = true;
      await expect(
        engine.push([{ id: 'lamp', text: 'The lamp is put out at dawn by Ben.' }]),
      ).rejects.toThrow();
      isDead = false;
      const { notices } = await engine.index();
      expect(notices.join()).toContain(`1 ${outcome}`);
      for (const mode of ['lexical', 'dense'] as const) {
        const { results } = await engine.search({
          text: 'lamp Ada Ben',
          options: { mode, minSimilarity: 0 },
        });
        const found = results.filter(({ metadata }) => metadata.source === 'lamp');
        expect(found.map(({ content }) => content)).toEqual([text]);
      }
      expect((await engine.verify()).drift).toEqual([]);
      expect(await collection?.count(EVERYTHING)).toBe(2);
    } finally {
      await engine.close();
    }
  },
);

it('what an interrupted push left in the store can be listed, read and deleted, for searches show it', async () => {
  let isDead = false;
  const engine = await createEngine({
    cwd: temporaryFolder(),
    // It ends between the last chunk and the ledger.
    store: storeOf((name, call) => async (...args) => {
      const result = await call(...args);
      if (name === 'upsert' && isDead) await silent();
      return result;
    }),
    embedder: createHashEmbedder({ dimensions: 8 }),
  });
  try {
    await engine.push([{ id: 'door', text: 'The door is shut at dusk.' }]);
    isDead = true;
    await expect(engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk by Ada.' }])).rejects.toThrow();
    isDead = false;
    const search = async () =>
      (await engine.search({ text: 'Ada', options: { mode: 'lexical', minSimilarity: 0 } })).results;
    expect(await search()).toHaveLength(1);
    const { documents } = await engine.list();
    expect(documents.map(({ externalId }) => externalId).sort()).toEqual(['door', 'lamp']);
    expect((await engine.get('lamp'))?.text).toBe('The lamp is lit at dusk by Ada.');
    expect(await engine.delete(['lamp'])).toBe(1);
    expect(await search()).toEqual([]);
    expect((await engine.verify()).drift).toEqual([]);
  } finally {
    await engine.close();
  }
});

it('what an interrupted push left is not overwritten by somebody who may not read it', async () => {
  let isDead = false;
  const engine = await createEngine({
    cwd: temporaryFolder(),
    store: storeOf((name, call) => async (...args) => {
      const result = await call(...args);
      if (name === 'upsert' && isDead) await silent();
      return result;
    }),
    embedder: createHashEmbedder({ dimensions: 8 }),
  });
  const staff = { tenant: 'default', groups: ['staff'] };
  try {
    isDead = true;
    const lamp = { id: 'lamp', text: 'The lamp is lit at dusk by Ada.', access: { groups: ['staff'] } };
    await expect(engine.push([lamp], staff)).rejects.toThrow();
    isDead = false;
    const theirs = { id: 'lamp', text: 'The lamp is ours.' };
    await expect(engine.push([theirs], { tenant: 'default' })).rejects.toMatchObject({
      reason: 'DOCUMENT_DUPLICATE_ID',
    });
    expect((await engine.get('lamp', staff))?.text).toBe(lamp.text);
    expect(await engine.delete(['lamp'], { tenant: 'default' })).toBe(0);
  } finally {
    await engine.close();
  }
});

it('a push that was interrupted after an interrupted deletion leaves nothing', async () => {
  let died: string | undefined;
  const engine = await createEngine({
    cwd: temporaryFolder({ 'docs/door.md': 'The door is shut at dusk.' }),
    store: storeOf((name, call) => async (...args) => {
      // What is deleted is gone, and nobody hears of it; what is written never arrives.
      if (name === 'upsert' && died === 'upsert') return silent();
      const result = await call(...args);
      return name === 'delete' && died === 'delete' ? silent() : result;
    }),
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: { sources: [{ name: 'docs', type: 'files', root: 'docs' }] },
  });
  try {
    await engine.index();
    await engine.push([{ id: 'lamp', text: 'The lamp is lit at dusk by Ada.' }]);
    died = 'delete';
    await expect(engine.delete(['lamp'])).rejects.toThrow();
    died = 'upsert';
    await expect(engine.push([{ id: 'lamp', text: 'The lamp is put out by Eve.' }])).rejects.toThrow();
    died = undefined;
    const { notices } = await engine.index();
    expect(notices).toContain('Pushes and deletions that were interrupted: 0 finished, 1 taken back.');
    expect((await engine.list()).documents.map(({ externalId }) => externalId)).toEqual(['door.md']);
    expect(await engine.verify()).toMatchObject({ ok: true, drift: [] });
  } finally {
    await engine.close();
  }
});
