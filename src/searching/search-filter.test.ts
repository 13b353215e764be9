import { describe, expect, test } from 'vitest';
import { matchesFilter } from '../core/filter.js';
import type { MetadataValue } from '../core/metadata.js';
import type { SearchQuery } from '../operations/engine.js';
import { searchFilter } from './search-filter.js';

const RECORD: Readonly<Record<string, MetadataValue>> = {
  $source: 'docs',
  sourceType: 'documentation',
  state: 'open',
  points: 3,
  tags: ['payments', 'queues'],
  'author.name': 'Ada',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.000Z',
};

const admits = (
  filters: SearchQuery['filters'],
  record: Readonly<Record<string, MetadataValue>> = RECORD,
): boolean => matchesFilter(searchFilter(filters === undefined ? {} : { filters }), (field) => record[field]);

describe('the filters of a query', () => {
  test('none admits everything', () => {
    expect(admits(undefined)).toBe(true);
    expect(admits({})).toBe(true);
  });

  test.each<[SearchQuery['filters'], boolean]>([
    [{ sourceType: ['documentation', 'pbi'] }, true],
    [{ sourceType: ['pbi'] }, false],
    [{ sourceType: [] }, false],
    [{ source: ['docs'] }, true],
    [{ source: ['other'] }, false],
    [{ tags: ['payments', 'queues'] }, true],
    [{ tags: ['payments', 'other'] }, false],
    [{ metadata: { state: 'open' } }, true],
    [{ metadata: { state: 'closed' } }, false],
    [{ metadata: { points: 3 } }, true],
    [{ metadata: { points: '3' } }, false],
    [{ metadata: { tags: 'queues' } }, true],
    [{ metadata: { state: ['closed', 'open'] } }, true],
    [{ metadata: { state: [] } }, false],
    [{ metadata: { author: { name: 'Ada' } } }, true],
    [{ metadata: { author: { name: 'Bob' } } }, false],
    [{ metadata: { missing: 'x' } }, false],
    [{ sourceType: ['documentation'], metadata: { state: 'closed' } }, false],
  ])('%j admits the record: %s', (filters, expected) => {
    expect(admits(filters)).toBe(expected);
  });

  test('dates are of the last change, both ends inclusive; of creation where there was none', () => {
    const at = new Date('2026-03-01T00:00:00.000Z');
    expect(admits({ dateRange: { start: at, end: at } })).toBe(true);
    expect(admits({ dateRange: { start: new Date(at.getTime() + 1) } })).toBe(false);
    expect(admits({ dateRange: { end: new Date(at.getTime() - 1) } })).toBe(false);
    const { updatedAt: _, ...unchanged } = RECORD;
    expect(admits({ dateRange: { end: new Date('2026-02-01') } }, unchanged)).toBe(true);
    expect(admits({ dateRange: { start: new Date('2026-02-01') } }, unchanged)).toBe(false);
    expect(admits({ dateRange: { start: at } }, {})).toBe(false);
  });

  test('the filter algebra holds in addition', () => {
    const filter = searchFilter({
      filters: { metadata: { state: 'open' } },
      filter: { op: 'eq', field: 'points', value: 4 },
    });
    expect(matchesFilter(filter, (field) => RECORD[field])).toBe(false);
  });

  test('a system field is refused, and so is a date that is none', () => {
    expect(() => searchFilter({ filters: { metadata: { $tenant: 'other' } } })).toThrow(
      expect.objectContaining({ reason: 'QUERY_INVALID' }),
    );
    expect(() => searchFilter({ filters: { dateRange: { start: new Date('never') } } })).toThrow(
      expect.objectContaining({ reason: 'QUERY_INVALID' }),
    );
  });
});
