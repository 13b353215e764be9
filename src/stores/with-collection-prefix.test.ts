import { expect, test } from 'vitest';
import { EVERYTHING } from '../core/filter.js';
import { record } from '../testing/vector-store/records.js';
import { createMemoryStore } from './memory/memory-store.js';
import { withCollectionPrefix } from './with-collection-prefix.js';

test('two projects on one store never see, replace or drop the collections of each other', async () => {
  const server = createMemoryStore();
  const [mine, theirs] = [withCollectionPrefix(server, 'a'), withCollectionPrefix(server, 'b')];
  const spec = { name: 'chunks-1', dimensions: 8, fingerprint: 'model' };
  await (await mine.open(spec)).upsert([record('mine')]);
  expect(await theirs.describe('chunks-1')).toBeUndefined();
  await (await theirs.open({ ...spec, fingerprint: 'another model' })).upsert([record('theirs')]);
  await theirs.drop('chunks-1');
  expect(await mine.describe('chunks-1')).toEqual(spec);
  expect(await (await mine.open(spec)).count(EVERYTHING)).toBe(1);
});
