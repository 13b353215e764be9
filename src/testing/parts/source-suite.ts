import assert from 'node:assert/strict';
import { RAGError } from '../../core/errors.js';
import {
  isDeleted,
  isListingEnd,
  isUnreadable,
  type ListedItem,
  type Source,
  type SourceItem,
} from '../../sources/source.js';
import { type PartContractOptions, registerTests } from './contract.js';

/** A place that a source reads, and the levers that only its test knows. */
export interface SourceFixture {
  /** Opens the source, each time as another process would. */
  readonly open: () => Promise<Source>;
  /** Changes the content of one item that is there, and returns its id. */
  readonly change: () => Promise<string>;
  /** Adds an item and returns its id. */
  readonly add: () => Promise<string>;
  /** Removes an item that is there, and returns its id. Left out where nothing is ever removed. */
  readonly remove?: (() => Promise<string>) | undefined;
  readonly cleanup?: (() => Promise<void>) | undefined;
}

export interface SourceContractOptions extends Omit<PartContractOptions<SourceFixture>, 'create'> {
  /** Makes a fresh place with at least two items that can be read. Called once per test. */
  readonly create: () => Promise<SourceFixture>;
}

/**
 * Registers the contract that every `Source` must keep:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testSourceContract({ name: 'mine', runner: { describe, it }, create: async () => {
 *   const place = await makePlaceWithTwoPages();
 *   return {
 *     open: async () => createMySource(place),
 *     change: () => place.write('a', 'other text'),
 *     add: () => place.write('c', 'text'),
 *     remove: () => place.remove('b'),
 *   };
 * } });
 * ```
 *
 * Failures are `AssertionError`s of `node:assert`.
 */
export function testSourceContract(options: SourceContractOptions): void {
  const { create } = options;
  const closing = async (): Promise<SourceFixture & { close(): Promise<void> }> => {
    const fixture = await create();
    return { ...fixture, close: async () => fixture.cleanup?.() };
  };
  registerTests<SourceFixture>(
    'Source',
    { ...options, create: closing },
    {
      'it has a name, a type and items with ids and versions': async ({ open }) => {
        const source = await open();
        assert.ok(source.name !== '' && source.type !== '', 'name and type are texts');
        const items = await itemsOf(source);
        assert.ok(items.length >= 2, 'the fixture has at least two items');
        for (const { id, version } of items) assert.ok(id !== '' && version !== '', `${id} has a version`);
        assert.equal(new Set(items.map(({ id }) => id)).size, items.length, 'each item is listed once');
      },

      'what has not changed has the same versions, for another process too': async ({ open }) => {
        const source = await open();
        const before = await versionsOf(source);
        assert.deepEqual(await versionsOf(source), before);
        assert.deepEqual(await versionsOf(await open()), before);
      },

      'every item can be read, and its documents are complete': async ({ open }) => {
        const source = await open();
        const seen = new Set<string>();
        for (const item of await itemsOf(source)) {
          const { documents, failures } = await source.read(item);
          assert.deepEqual([...failures], []);
          for (const { externalId, mediaType, content, access } of documents) {
            assert.ok(externalId !== '' && !seen.has(externalId), `${externalId} is one document`);
            seen.add(externalId);
            assert.match(mediaType, /^[\w.+-]+\/[\w.+-]+$/);
            assert.ok(
              typeof content === 'string' || content instanceof Uint8Array,
              'content is text or bytes',
            );
            assert.ok(Array.isArray(access.groups) && access.level >= 0, 'access is stated');
          }
        }
        assert.ok(seen.size > 0, 'there are documents');
      },

      'a changed item has another version, and no other item has': async ({ open, change }) => {
        const before = await versionsOf(await open());
        const id = await change();
        const after = await versionsOf(await open());
        assert.ok(before.has(id), `${id} was listed`);
        for (const [item, version] of after)
          if (item === id) assert.notEqual(version, before.get(item), `${item} changed`);
          else assert.equal(version, before.get(item), `${item} did not change`);
      },

      'what is added and removed is seen': async ({ open, add, remove }) => {
        const source = await open();
        const before = await versionsOf(source);
        const added = await add();
        const removed = await remove?.();
        const after = await versionsOf(await open());
        assert.ok(!before.has(added) && after.has(added), `${added} is new`);
        if (removed !== undefined && source.listing === 'complete')
          assert.ok(before.has(removed) && !after.has(removed), `${removed} is gone`);
      },

      'an item that is gone cannot be read, and is said to be so': async ({ open, remove }) => {
        if (remove === undefined) return;
        const source = await open();
        const items = await itemsOf(source);
        const removed = await remove();
        const item = items.find(({ id }) => id === removed);
        assert.ok(item !== undefined, `${removed} was listed`);
        const read = await (await open()).read(item).catch((error: unknown) => error);
        const isGone = RAGError.isInstance(read) || isEmptyRead(read);
        assert.ok(isGone, 'reading it gives a RAGError, a failure, or no document');
      },

      'changes since a cursor are those that were made': async ({ open, change, remove }) => {
        const source = await open();
        if (source.listChanges === undefined) return;
        const first = await changesOf(source);
        assert.ok(first.cursor !== undefined, 'a listing of changes ends with a cursor');
        const ids = [...(await versionsOf(source)).keys()].sort();
        assert.deepEqual(first.listed.toSorted(), ids, 'the first listing names everything');
        const changed = await change();
        const removed = await remove?.();
        const next = await changesOf(await open(), first.cursor);
        assert.ok(next.listed.includes(changed), `${changed} is among the changes`);
        if (removed !== undefined)
          assert.ok(
            next.deleted.includes(removed) || (next.present !== undefined && !next.present.has(removed)),
            `${removed} is named as deleted, or missing from what is there`,
          );
      },

      'a cancelled listing ends': async ({ open }) => {
        const source = await open();
        await assert.rejects(async () => {
          for await (const _ of source.list({ signal: AbortSignal.abort() }));
        });
      },
    },
  );
}

async function itemsOf(source: Source): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of source.list()) {
    assert.ok(isReadable(item), `${item.id} can be read`);
    items.push(item);
  }
  return items;
}

const isReadable = (item: ListedItem): item is SourceItem => !isUnreadable(item);

const versionsOf = async (source: Source): Promise<Map<string, string>> =>
  new Map((await itemsOf(source)).map(({ id, version }) => [id, version]));

interface Changes {
  readonly listed: string[];
  readonly deleted: string[];
  readonly cursor?: string | undefined;
  /** Every id that there is, where the source says. */
  readonly present?: ReadonlySet<string> | undefined;
}

async function changesOf(source: Source, since?: string): Promise<Changes> {
  const listed: string[] = [];
  const deleted: string[] = [];
  const options = since === undefined ? {} : { since };
  for await (const change of source.listChanges?.(options) ?? []) {
    if (isListingEnd(change)) {
      const present = change.present === 'listed' ? new Set(listed) : change.present;
      return { listed, deleted, cursor: change.cursor, present };
    }
    if (isDeleted(change)) deleted.push(change.id);
    else listed.push(change.id);
  }
  return { listed, deleted };
}

const isEmptyRead = (read: unknown): boolean => {
  if (typeof read !== 'object' || read === null || !('documents' in read)) return false;
  return Array.isArray(read.documents) && read.documents.length === 0;
};
