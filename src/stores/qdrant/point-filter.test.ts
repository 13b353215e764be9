import { describe, expect, it } from 'vitest';
import { and, contains, eq, not, oneOf, or, range } from '../../core/filter.js';
import { scopeFilter } from '../../core/scope.js';
import { FILTERS } from '../../testing/vector-store/filters.js';
import { compileFilter } from '../compile-filter.js';
import { factKey, fieldKey } from '../record-facts.js';
import { toFilter } from './point-filter.js';
import { PAYLOAD_INDEXES } from './point-payload.js';
import { pointId } from './qdrant-names.js';

const unread = async (): Promise<readonly string[]> => [];

async function compiled(filter: Parameters<typeof compileFilter>[0], maxValues = Number.POSITIVE_INFINITY) {
  const condition = await compileFilter(filter, unread);
  if (typeof condition === 'boolean') throw new Error('a constant');
  return toFilter(condition, maxValues);
}

const INDEXED: ReadonlySet<string> = new Set(PAYLOAD_INDEXES.map(({ field }) => field));

/** Every payload field that a filter names, as its index is called. */
function fieldsIn(part: unknown, path = ''): string[] {
  if (Array.isArray(part)) return part.flatMap((one) => fieldsIn(one, path));
  if (typeof part !== 'object' || part === null) return [];
  if ('nested' in part) {
    const { key, filter } = part.nested as { key: string; filter: unknown };
    return fieldsIn(filter, `${path}${key}[].`);
  }
  if ('key' in part) return [`${path}${String(part.key)}`];
  return Object.values(part).flatMap((one) => fieldsIn(one, path));
}

// What filters admit is asked of Qdrant's own engine, by the contract.
describe('toFilter', () => {
  it('asks for the tenant, groups and level of a scope by their own keys', async () => {
    const filter = await compiled(scopeFilter({ tenant: 'acme', groups: ['dev'], clearance: 2 }));
    const said = JSON.stringify(filter);
    expect(said).toContain('{"key":"tenant","match":{"value":"acme"}}');
    expect(said).toContain('"key":"groups"');
    expect(said).toContain('{"key":"level","range":{"lte":2}}');
  });

  it('names no field that has no index', async () => {
    const filter = await compiled(
      and(
        or(eq('a', 1), not(contains('$groups', 'x'))),
        range('updatedAt', { gte: '2026-01-05T00:00:00.000Z' }),
        range('n', { gt: 1 }),
        eq('$project', 'p'),
        eq('$source', 's'),
        eq('$documentId', 'd'),
        contains('$identifiers', 'I-1'),
      ),
    );
    const fields = fieldsIn(filter);
    expect(fields).toContain('ordered[].p0');
    expect(fields.filter((field) => !INDEXED.has(field))).toEqual([]);
  });

  it('finds chunks by their point ids, and cuts lists that strict mode would refuse', async () => {
    expect(await compiled(oneOf('$chunkId', ['a', 'b']))).toEqual({
      must: [{ has_id: [pointId('a'), pointId('b')] }],
    });
    const lists = await compiled(oneOf('$source', ['a', 'b', 'c']), 2);
    expect(lists).toEqual({
      should: [
        { key: 'source', match: { any: ['a', 'b'] } },
        { key: 'source', match: { value: 'c' } },
      ],
    });
  });

  it('says something in every list, for the server takes an empty one for no condition', async () => {
    for (const filter of FILTERS)
      for (const maxValues of [1, 2, Number.POSITIVE_INFINITY]) {
        const condition = await compileFilter(filter, unread);
        if (typeof condition === 'boolean') continue;
        expect(JSON.stringify(toFilter(condition, maxValues)), JSON.stringify(filter)).not.toMatch(
          /\[\]|\{\}/,
        );
      }
  });

  it('lets no text of the caller be a key', async () => {
    const hostile = 'a"].b[]';
    const filter = await compiled(and(eq(hostile, hostile), range(hostile, { gt: 1 })));
    expect(JSON.stringify(filter)).not.toContain('].b');
    expect(fieldKey(hostile)).toMatch(/^[\w-]{22}$/);
    expect(factKey({ is: 'value', field: hostile, value: hostile })).toMatch(/^[\w-]{22}$/);
  });
});
