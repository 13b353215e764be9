import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { RAGError } from '../core/errors.js';
import type { SearchResponse } from '../operations/engine.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

const HR = { tenant: 'a', groups: ['hr'] };
const IT = { tenant: 'a', groups: ['it'] };
const BOTH = { tenant: 'a', groups: ['hr', 'it'] };

/** A store that ranks no text, so that words are kept beside it, and whose calls fail where the test says so. */
function storeWithout(isOut: (call: string) => boolean): VectorStore {
  const memory = createMemoryStore();
  const collection = (inner: VectorCollection): VectorCollection =>
    new Proxy(inner, {
      get: (target, name) => {
        if (name === 'searchText' || name === 'rankText') return undefined;
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]): Promise<unknown> => {
          if (isOut(String(name))) throw new RAGError('STORE_UNAVAILABLE', 'It does not answer.');
          return member.apply(target, given) as unknown;
        };
      },
    });
  return {
    name: 'apart',
    capabilities: { ...memory.capabilities, persistent: true, lexical: 'none' },
    open: async (spec) => collection(await memory.open(spec)),
    describe: (name) => memory.describe(name),
    drop: (name) => memory.drop(name),
    health: () => memory.health(),
    close: async () => undefined,
  };
}

async function engineOver(isOut: (call: string) => boolean) {
  const engine = await createEngine({
    cwd: temporaryFolder(),
    store: storeWithout(isOut),
    embedder: createHashEmbedder({ dimensions: 8 }),
  });
  onTestFinished(() => engine.close());
  return engine;
}

const shown = ({ results }: SearchResponse): string[] => results.map(({ content }) => content);

test('a deletion that broke off is finished by the next one, though the words say no more who may read it', async () => {
  let out = '';
  const engine = await engineOver((call) => call === out);
  await engine.push([{ id: 'lamp', text: 'The lamp is lit.', access: { groups: ['hr'] } }], HR);
  out = 'delete';
  await expect(engine.delete(['lamp'], HR)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
  out = '';
  // Who knows nothing of it learns nothing.
  expect(await engine.delete(['lamp'], IT)).toBe(0);
  expect(shown(await engine.search('lamp', HR))).toEqual([]);
  expect((await engine.verify()).ok).toBe(true);
});

test('what a push that broke off has written is deleted as it is found', async () => {
  let out = '';
  const engine = await engineOver((call) => call === out);
  await engine.push([{ id: 'first', text: 'The door is shut.' }], BOTH);
  out = 'upsert';
  const failing = engine.push([{ id: 'lamp', text: 'The lamp is lit.', access: { groups: ['hr'] } }], HR);
  expect((await failing.catch(() => undefined))?.success).not.toBe(true);
  out = '';
  expect(shown(await engine.search('lamp lit', HR))).toContain('The lamp is lit.');
  expect(await engine.delete(['lamp'], IT)).toBe(0);
  expect(await engine.delete(['lamp'], HR)).toBe(1);
  expect(shown(await engine.search('lamp lit', HR))).not.toContain('The lamp is lit.');
  expect((await engine.verify()).ok).toBe(true);
});
