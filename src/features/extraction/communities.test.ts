import { expect, it } from 'vitest';
import type { FactRecord } from '../../relations/graph/facts.js';
import { communitiesIn } from './communities.js';
import { communitiesOf } from './louvain.js';

const record = (chunkId: string, ...keys: readonly string[]): FactRecord => ({
  chunkId,
  documentId: chunkId,
  inputKey: chunkId,
  model: 'm',
  promptVersion: 1,
  outcome: 'read',
  attempts: 0,
  entities: keys.map((key) => ({ name: key, key, type: 'other', description: '', start: 0, end: 1 })),
  relations: keys.slice(1).map((to, at) => ({ from: keys[at] ?? '', to, label: 'l', evidence: 'e' })),
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
  ms: 0,
  at: '',
});

it('finds what hangs together, alike whatever the order', () => {
  const records = [
    record('1', 'a', 'b', 'c'),
    record('2', 'a', 'c', 'b'),
    record('3', 'x', 'y', 'z'),
    record('4', 'z', 'x', 'y'),
    record('5', 'c', 'x'),
    record('6', 'alone'),
  ];
  const found = (of: readonly FactRecord[]) =>
    communitiesIn({ key: 'k', project: undefined, records: of }, communitiesOf);
  const { communities, alone } = found(records);
  expect(communities.map(({ entities }) => entities.join(''))).toEqual(['abc', 'xyz']);
  expect(communities.map(({ records: of }) => of.map(({ chunkId }) => chunkId).join(''))).toEqual([
    '12',
    '34',
  ]);
  expect(alone).toBe(1);
  const told = (of: readonly FactRecord[]) =>
    found(of).communities.map(({ entities, records: from }) => [entities, from]);
  expect(told(records.toReversed())).toEqual(told(records));
});

it('of nothing there is nothing, and of what is not connected no group', () => {
  const found = (...records: readonly FactRecord[]) =>
    communitiesIn({ key: 'k', project: undefined, records }, communitiesOf);
  expect(found()).toEqual({ communities: [], alone: 0 });
  expect(found(record('1', 'a'), record('2', 'b'))).toEqual({ communities: [], alone: 2 });
});
