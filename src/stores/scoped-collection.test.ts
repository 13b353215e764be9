import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChunkRecord } from '../core/chunk.js';
import { EVERYTHING, type Filter, not, oneOf, or } from '../core/filter.js';
import { EVERYONE, LOCAL_SCOPE, type Scope } from '../core/scope.js';
import { axis, record } from '../testing/vector-store/records.js';
import { membersOf } from './collection-members.js';
import { createLibsqlStore } from './libsql/libsql-store.js';
import { createMemoryStore } from './memory/memory-store.js';
import { scopeCollection } from './scoped-collection.js';
import type { VectorCollection, VectorStore } from './vector-store.js';

const tenants = fc.constantFrom('acme', 'globex', 'Acme');
const projects = fc.option(fc.constantFrom('apollo', 'gemini'), { nil: undefined });
const groups = fc.uniqueArray(fc.constantFrom(EVERYONE, 'eng', 'hr', 'legal'), { maxLength: 3 });

const records: fc.Arbitrary<ChunkRecord[]> = fc
  .array(fc.tuple(tenants, projects, groups, fc.integer({ min: 0, max: 3 })), { maxLength: 12 })
  .map((rows) =>
    rows.map(([tenant, project, readers, level], i) => ({
      id: `c${i}`,
      documentId: `d${i % 3}`,
      tenant,
      ...(project === undefined ? {} : { project }),
      source: 'docs',
      access: { groups: readers, level },
      content: `content ${i}`,
      searchText: 'content word',
      identifiers: [],
      vector: Float32Array.of(1, 0),
      metadata: { n: i },
    })),
  );

const scopes: fc.Arbitrary<Scope> = fc
  .record({ tenant: tenants, project: projects, groups, clearance: fc.integer({ min: 0, max: 3 }) })
  .map(({ project, ...rest }) => (project === undefined ? rest : { ...rest, project }));

const filters: fc.Arbitrary<Filter> = fc.constantFrom<Filter>(
  EVERYTHING,
  oneOf('$tenant', ['acme', 'globex']),
  not(oneOf('$documentId', ['d0'])),
  or(EVERYTHING, oneOf('n', [1, 2])),
);

/** The rule in words, apart from the filter algebra that the wrapper uses. */
const mayRead = (scope: Scope, record: ChunkRecord): boolean =>
  record.tenant === scope.tenant &&
  (scope.project === undefined || record.project === scope.project) &&
  record.access.level <= scope.clearance &&
  record.access.groups.some((group) => group === EVERYONE || scope.groups.includes(group));

async function collectionOf(content: readonly ChunkRecord[]): Promise<VectorCollection> {
  const collection = await createMemoryStore().open({ name: 'c', dimensions: 2, fingerprint: 'f' });
  await collection.upsert(content);
  return collection;
}

async function everyRead(scoped: VectorCollection, filter: Filter): Promise<string[][]> {
  const query = { topK: 50, filter };
  const reads = [
    await scoped.get(Array.from({ length: 12 }, (_, i) => `c${i}`)),
    (await scoped.list({ filter, limit: 50 })).chunks,
    (await scoped.searchVector({ ...query, vector: Float32Array.of(1, 0) })).map((hit) => hit.chunk),
    ((await scoped.searchText?.({ ...query, terms: ['word'] })) ?? []).map((hit) => hit.chunk),
  ];
  return reads.map((chunks) => chunks.map((chunk) => chunk.id));
}

describe('scopeCollection', () => {
  it('reads exactly what the scope may read, through every member', async () => {
    await fc.assert(
      fc.asyncProperty(records, scopes, async (content, scope) => {
        const scoped = scopeCollection(await collectionOf(content), scope);
        const admitted = content.filter((record) => mayRead(scope, record)).map((record) => record.id);
        for (const ids of await everyRead(scoped, EVERYTHING))
          expect(ids.toSorted()).toEqual(admitted.toSorted());
        expect(await scoped.count(EVERYTHING)).toBe(admitted.length);
      }),
    );
  });

  it('no filter widens it, and a delete touches nothing outside', async () => {
    await fc.assert(
      fc.asyncProperty(records, scopes, filters, async (content, scope, filter) => {
        const collection = await collectionOf(content);
        const scoped = scopeCollection(collection, scope);
        const admitted = new Set(content.filter((r) => mayRead(scope, r)).map((r) => r.id));
        for (const ids of await everyRead(scoped, filter))
          expect(ids.every((id) => admitted.has(id))).toBe(true);
        const deleted = await scoped.delete(filter);
        expect(await collection.count(EVERYTHING)).toBe(content.length - deleted);
        const left = new Set(
          (await collection.list({ filter: EVERYTHING, limit: 50 })).chunks.map((c) => c.id),
        );
        for (const { id } of content) if (!admitted.has(id)) expect(left.has(id)).toBe(true);
      }),
    );
  });

  it('refuses a batch with a record of another tenant or project, and writes nothing of it', async () => {
    await fc.assert(
      fc.asyncProperty(records, scopes, async (content, scope) => {
        const collection = await collectionOf([]);
        const isOwn = content.every(
          (r) => r.tenant === scope.tenant && (scope.project === undefined || r.project === scope.project),
        );
        const written = scopeCollection(collection, scope).upsert(content);
        if (isOwn) await written;
        else await expect(written).rejects.toMatchObject({ reason: 'STORE_INVALID_RECORD' });
        expect(await collection.count(EVERYTHING)).toBe(isOwn ? content.length : 0);
      }),
    );
  });

  it('refuses a missing filter', async () => {
    const scoped = scopeCollection(await collectionOf([]), LOCAL_SCOPE);
    // @ts-expect-error callers in JavaScript can forget it
    await expect(scoped.delete(undefined)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  });

  describe('over a store that ranks ids', () => {
    let folder: string;
    let store: VectorStore;
    let collection: VectorCollection;
    const own = (id: string, searchText: string) => record(id, { tenant: 'acme', searchText });

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ragstone-scope-'));
      store = createLibsqlStore({ path: join(folder, 'store.db') });
      collection = await store.open({ name: 'c', dimensions: 8, fingerprint: 'f' });
      await collection.upsert([own('a', 'rare common'), own('b', 'common words')]);
    });
    afterEach(async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    });

    const scoped = () => scopeCollection(collection, { tenant: 'acme', groups: [], clearance: 0 });
    const query = { terms: ['rare', 'common'], topK: 9, filter: EVERYTHING, tenant: 'globex' };

    it('scores words by the chunks of its tenant alone, whatever tenant a query names', async () => {
      const scores = async () => [await scoped().searchText?.(query), await scoped().rankText?.(query)];
      const before = await scores();
      expect(before.map((hits) => hits?.length)).toEqual([2, 2]);
      await collection.upsert([
        record('x', { tenant: 'globex', searchText: 'rare and long text of theirs' }),
      ]);
      expect(await scores()).toEqual(before);
    });

    it('ranks what the scope may read and no more', async () => {
      const restricted = { ...own('hidden', 'rare common'), access: { groups: ['hr'], level: 0 } };
      await collection.upsert([restricted, record('theirs', { tenant: 'globex', searchText: 'common' })]);
      const near = { vector: axis(0), topK: 9, filter: EVERYTHING };
      for (const hits of [await scoped().rankText?.(query), await scoped().rankVector?.(near)])
        expect(hits?.map(({ id }) => id)).toEqual(['a', 'b']);
    });
  });

  it('has text search only where the collection has it', async () => {
    const { searchText: _, ...rest } = await collectionOf([]);
    expect(scopeCollection(await collectionOf([]), LOCAL_SCOPE).searchText).toBeDefined();
    expect('searchText' in scopeCollection(rest as VectorCollection, LOCAL_SCOPE)).toBe(false);
  });

  it('passes on no member that it does not name', async () => {
    const members = membersOf(await collectionOf([]));
    const rank = async () => [];
    const whole = { ...members, rankVector: rank, rankText: rank, enlist: () => undefined, addedLater: rank };
    expect(Object.keys(scopeCollection(whole as VectorCollection, LOCAL_SCOPE)).sort()).toEqual([
      'count',
      'delete',
      'get',
      'list',
      'optimize',
      'rankText',
      'rankVector',
      'searchText',
      'searchVector',
      'spec',
      'stats',
      'termsBeginning',
      'upsert',
    ]);
  });
});
