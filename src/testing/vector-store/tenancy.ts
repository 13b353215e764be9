import assert from 'node:assert/strict';
import { and, EVERYTHING, exists, type Filter, not, or } from '../../core/filter.js';
import { EVERYONE, type Scope, scopeFilter } from '../../core/scope.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import type { ContractPart } from './contract.js';
import { idsOf, record } from './records.js';

// The same text, vector and document id everywhere, so that only the scope can tell them apart.
const access = (groups: string[], level = 0) => ({ access: { groups, level } });
const RECORDS = [
  record('a-all', { tenant: 'acme', project: 'one', ...access([EVERYONE]) }),
  record('a-dev', { tenant: 'acme', project: 'one', ...access(['dev']) }),
  record('a-dev-secret', { tenant: 'acme', project: 'two', ...access(['dev'], 2) }),
  record('a-nobody', { tenant: 'acme', project: 'two', ...access([]) }),
  record('a-plain', { tenant: 'acme', ...access([EVERYONE, 'dev']) }),
  record('b-all', { tenant: 'acme2', project: 'one', ...access([EVERYONE]) }),
  record('b-dev', { tenant: "acme' OR '1'='1", project: 'one', ...access(['dev', EVERYONE]) }),
  record('b-forged', { tenant: 'Acme', metadata: { $tenant: 'acme', tenant: 'acme', $groups: ['*'] } }),
];

const SCOPES: readonly { readonly scope: Scope; readonly sees: readonly string[] }[] = [
  { scope: { tenant: 'acme', groups: [], clearance: 9 }, sees: ['a-all', 'a-plain'] },
  { scope: { tenant: 'acme', groups: ['dev'], clearance: 0 }, sees: ['a-all', 'a-dev', 'a-plain'] },
  {
    scope: { tenant: 'acme', groups: ['dev'], clearance: 2 },
    sees: ['a-all', 'a-dev', 'a-dev-secret', 'a-plain'],
  },
  { scope: { tenant: 'acme', project: 'two', groups: ['dev'], clearance: 2 }, sees: ['a-dev-secret'] },
  { scope: { tenant: 'acme', groups: ['DEV', 'de'], clearance: 9 }, sees: ['a-all', 'a-plain'] },
  { scope: { tenant: 'acme', groups: [], clearance: -1 }, sees: [] },
  { scope: { tenant: 'acme', groups: ["' OR true --"], clearance: 9 }, sees: ['a-all', 'a-plain'] },
  { scope: { tenant: "acme' OR '1'='1", groups: [], clearance: 9 }, sees: ['b-dev'] },
  { scope: { tenant: "acme' --", groups: [], clearance: 9 }, sees: [] },
  { scope: { tenant: 'acm%', groups: [], clearance: 9 }, sees: [] },
];

/** Nothing outside a scope is found, counted, listed or deleted. */
export const testScopes: ContractPart = (test) => {
  for (const [index, { scope, sees }] of SCOPES.entries()) {
    test(`scope ${index + 1} (${JSON.stringify(scope)}) sees its own only`, async ({ open, settle }) => {
      const collection = await open();
      await collection.upsert(RECORDS);
      await settle();
      await expectSeen(collection, scopeFilter(scope), sees);
      await collection.optimize();
      await expectSeen(collection, scopeFilter(scope), sees);
    });
  }

  test('a caller filter cannot widen a scope', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert(RECORDS);
    await settle();
    const scope = scopeFilter({ tenant: 'acme', groups: [], clearance: 0 });
    for (const widening of [EVERYTHING, or(EVERYTHING, exists('x')), not(exists('x')), not(or())])
      await expectSeen(collection, and(scope, widening), ['a-all', 'a-plain']);
  });

  test('deleting in a scope never touches another', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert(RECORDS);
    await settle();
    assert.equal(await collection.delete(scopeFilter({ tenant: 'acme', groups: ['dev'], clearance: 0 })), 3);
    await settle();
    const left = idsOf((await collection.list({ filter: EVERYTHING, limit: 50 })).chunks);
    assert.deepEqual(left, ['a-dev-secret', 'a-nobody', 'b-all', 'b-dev', 'b-forged']);
  });

  test('access follows the last write', async ({ open, settle }) => {
    const collection = await open();
    const everyone = scopeFilter({ tenant: 'acme', groups: [], clearance: 0 });
    await collection.upsert([record('a', access([EVERYONE]))]);
    await settle();
    await expectSeen(collection, everyone, ['a']);
    await collection.upsert([record('a', access(['dev']))]);
    await settle();
    await expectSeen(collection, everyone, []);
  });
};

async function expectSeen(
  collection: VectorCollection,
  filter: Filter,
  sees: readonly string[],
): Promise<void> {
  const vector = RECORDS[0]?.vector ?? new Float32Array();
  const expected = [...sees];
  assert.deepEqual(idsOf((await collection.list({ filter, limit: 50 })).chunks), expected, 'list');
  assert.equal(await collection.count(filter), expected.length, 'count');
  assert.deepEqual(
    idsOf(await collection.searchVector({ vector, topK: 50, filter })),
    expected,
    'searchVector',
  );
  const texts = await collection.searchText?.({ terms: ['content'], topK: 50, filter });
  if (texts !== undefined) assert.deepEqual(idsOf(texts).sort(), expected, 'searchText');
}
