import { expect, test } from 'vitest';
import { RAGError } from '../core/errors.js';
import type { LedgerItem } from '../ledger/ledger.js';
import { DEFAULT_RETRY_POLICY } from '../operations/retry-policy.js';
import type { ListedChange, ListedItem, Source } from '../sources/source.js';
import { listChanges, onlyOf } from './list-changes.js';

const MAX_ATTEMPTS = DEFAULT_RETRY_POLICY.attempts;

const known = (itemId: string, changes: Partial<LedgerItem> = {}): LedgerItem => ({
  tenant: 'default',
  source: 'docs',
  itemId,
  version: '1',
  processingKey: 'k',
  status: 'indexed',
  attempts: 0,
  ...changes,
});

const failed = (itemId: string, attempts: number, version: string): LedgerItem =>
  known(itemId, {
    status: 'failed',
    attempts,
    error: { reason: 'DOCUMENT_INVALID', message: 'bad', at: '2026-01-01T00:00:00.000Z', version },
  });

const unreadable = (id: string): ListedItem => ({ id, error: new RAGError('DOCUMENT_UNREADABLE', 'no') });

async function changesOf(
  listed: readonly ListedItem[],
  before: readonly LedgerItem[],
  { force = false, listing = 'complete' }: { force?: boolean; listing?: Source['listing'] } = {},
) {
  const source: Source = {
    name: 'docs',
    type: 'test',
    listing,
    async *list() {
      yield* listed;
    },
    read: () => Promise.reject(new Error('A listing reads nothing.')),
  };
  const items = new Map(before.map((item) => [item.itemId, item]));
  const changes = await listChanges(source, {
    tenant: 'default',
    ledger: { items: async () => items },
    processingKey: 'k',
    force,
    signal: undefined,
  });
  return {
    toRead: changes.toRead.map(({ id }) => id),
    unreadable: changes.unreadable.map(({ id }) => id),
    waived: changes.waived.map(({ id }) => id),
    deadLetters: changes.deadLetters.map(({ itemId }) => itemId),
    waiting: changes.waiting.map(({ itemId }) => itemId),
    gone: changes.goneItemIds,
    unchanged: changes.unchangedItemIds,
  };
}

const NOTHING = {
  toRead: [],
  unreadable: [],
  waived: [],
  deadLetters: [],
  waiting: [],
  gone: [],
  unchanged: [],
};
const item = (id: string, version = '1'): ListedItem => ({ id, version });

test('an item is read when it is new, or its version, its settings or its state say so', async () => {
  const listed = ['new', 'same', 'edited', 'settings', 'pending', 'outdated'].map((id) => item(id));
  const before = [
    known('same'),
    known('edited', { version: '0' }),
    known('settings', { processingKey: 'other' }),
    known('pending', { status: 'pending' }),
    known('outdated', { status: 'outdated' }),
  ];
  expect(await changesOf(listed, before)).toEqual({
    ...NOTHING,
    toRead: ['new', 'edited', 'settings', 'pending', 'outdated'],
    unchanged: ['same'],
  });
});

test('force reads everything', async () => {
  expect(await changesOf([item('same')], [known('same')], { force: true })).toEqual({
    ...NOTHING,
    toRead: ['same'],
  });
});

test('what failed too often is given up until it changes', async () => {
  const before = [
    failed('again', MAX_ATTEMPTS - 1, '1'),
    failed('given up', MAX_ATTEMPTS, '1'),
    failed('repaired', MAX_ATTEMPTS, '0'),
  ];
  const listed = before.map(({ itemId }) => item(itemId));
  expect(await changesOf(listed, before)).toEqual({
    ...NOTHING,
    toRead: ['again', 'repaired'],
    deadLetters: ['given up'],
  });
  expect((await changesOf(listed, before, { force: true })).toRead).toEqual([
    'again',
    'given up',
    'repaired',
  ]);
});

test('what is no longer listed is gone, but not what nobody could look at', async () => {
  const before = ['gone', 'secret', 'closed/a', 'closed/b/c', 'closed-too'].map((id) => known(id));
  expect(await changesOf([unreadable('secret'), unreadable('closed/')], before)).toEqual({
    ...NOTHING,
    unreadable: ['secret', 'closed/'],
    gone: ['gone', 'closed-too'],
  });
});

test('an incremental listing says nothing of what it does not name', async () => {
  expect(await changesOf([], [known('a')], { listing: 'incremental' })).toEqual(NOTHING);
});

test('an item listed twice counts once', async () => {
  expect((await changesOf([item('a'), item('a', '2')], [])).toRead).toEqual(['a']);
});

async function incrementalChanges(listed: readonly ListedChange[], before: readonly LedgerItem[]) {
  const source: Source = {
    name: 'docs',
    type: 'test',
    listing: 'complete',
    list: () => {
      throw new Error('A source that can name changes is asked for them.');
    },
    async *listChanges({ since }) {
      expect(since).toBe('c1');
      yield* listed;
    },
    read: () => Promise.reject(new Error('A listing reads nothing.')),
  };
  return listChanges(source, {
    tenant: 'default',
    ledger: { items: async () => new Map(before.map((known) => [known.itemId, known])) },
    processingKey: 'k',
    force: false,
    since: 'c1',
    signal: undefined,
  });
}

test('a listing of changes names deletions and where the next one goes on', async () => {
  const changes = await incrementalChanges(
    [item('a', '2'), { id: 'b', isDeleted: true }, { cursor: 'c2' }],
    [known('a'), known('b'), known('c')],
  );
  expect(changes.toRead).toEqual([item('a', '2')]);
  expect(changes.goneItemIds).toEqual(['b']);
  expect(changes.cursor).toBe('c2');
});

test('what a listing of changes does not name is read again where an earlier run could not finish it', async () => {
  const before = [
    known('done'),
    known('pending', { status: 'pending' }),
    known('settings', { processingKey: 'other' }),
    failed('failed', 1, '7'),
    failed('folder/', 1, '1'),
    failed('given up', MAX_ATTEMPTS, '1'),
  ];
  const changes = await incrementalChanges([{ cursor: 'c2' }], before);
  expect(changes.toRead).toEqual([item('pending'), item('settings'), item('failed', '7')]);
  expect(changes.deadLetters.map(({ itemId }) => itemId)).toEqual(['given up']);
  expect(changes.goneItemIds).toEqual([]);
});

test('ids that are present tell what is gone, and a complete listing does', async () => {
  const before = [known('a'), known('b'), known('c')];
  const some = await incrementalChanges(
    [item('a', '2'), { cursor: 'c2', present: new Set(['a', 'b']) }],
    before,
  );
  expect(some.goneItemIds).toEqual(['c']);
  const all = await incrementalChanges([item('a', '2'), { cursor: 'c2', present: 'listed' }], before);
  expect(all.goneItemIds).toEqual(['b', 'c']);
});

test('what is optional and cannot be read is waived, until something of it is held', async () => {
  const wikis: ListedItem = {
    id: 'wiki/',
    error: new RAGError('SOURCE_DENIED', 'no'),
    isOptional: true,
  };
  expect(await changesOf([wikis], [])).toEqual({ ...NOTHING, waived: ['wiki/'] });
  // A failure that an earlier run recorded is forgotten.
  expect(await changesOf([wikis], [failed('wiki/', 1, '1')])).toEqual({
    ...NOTHING,
    waived: ['wiki/'],
    gone: ['wiki/'],
  });
  expect(await changesOf([wikis], [known('wiki/a/1')])).toEqual({ ...NOTHING, unreadable: ['wiki/'] });
});

test('of some of the items, a folder that cannot be listed is told where it may hold one of them', () => {
  const error = new RAGError('SOURCE_UNREADABLE', 'no');
  const changes = {
    ...{ toRead: [], waived: [], deadLetters: [], waiting: [], goneItemIds: [], unchangedItemIds: [] },
    ...{
      blockedItemIds: [],
      known: new Map(),
      unreadable: ['a/', 'b/', 'c.md'].map((id) => ({ id, error })),
    },
  };
  const of = (...ids: string[]) => onlyOf(changes, new Set(ids)).unreadable.map(({ id }) => id);
  expect(of('a/cellar.md', 'd.md')).toEqual(['a/']);
  expect(of('c.md', 'bell.md')).toEqual(['c.md']);
});
