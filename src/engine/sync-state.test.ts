import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../tests/e2e/temporary-folder.js';
import { RAGError } from '../core/errors.js';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import { OPEN_ACCESS } from '../core/scope.js';
import type { Engine } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import type { ListChangesOptions, ListedChange, Source, SourceItem } from '../sources/source.js';
import { createEngine } from './create-engine.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const later = (ms: number): string => new Date(START + ms).toISOString();

const open: Engine[] = [];
let time = START;
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
  time = START;
});

type Settings = Extract<NonNullable<CreateEngineOptions['config']>, { provider?: unknown }>;

async function opened(sources: readonly Source[], settings: Settings = {}, cwd = temporaryFolder()) {
  const engine = await createEngine({
    cwd,
    sources,
    // A wait is half of the longest one.
    runtime: { ...SYSTEM_RUNTIME, now: () => time, random: () => 0.5 },
    config: { provider: 'libsql', ...settings },
  });
  open.push(engine);
  return engine;
}

/** A source of texts, which may fail, shrink, and tell or not tell what changed. */
class Shelf implements Source {
  readonly type = 'shelf';
  readonly listing = 'complete';
  readonly texts = new Map<string, string>();
  /** Items that cannot be read. */
  readonly broken = new Set<string>();
  reads: string[] = [];
  isAway = false;

  constructor(
    readonly name: string,
    texts: Readonly<Record<string, string>> = {},
  ) {
    for (const [id, text] of Object.entries(texts)) this.texts.set(id, text);
  }

  async *list(): AsyncGenerator<SourceItem> {
    for (const [id, version] of this.texts) {
      yield { id, version };
      // Half of the listing came.
      if (this.isAway) throw new RAGError('SOURCE_UNREADABLE', `"${this.name}" does not answer.`);
    }
  }

  async read({ id }: SourceItem) {
    this.reads.push(id);
    if (this.broken.has(id)) throw new RAGError('DOCUMENT_UNREADABLE', `"${id}" is torn.`);
    const content = this.texts.get(id) ?? '';
    return {
      documents: [
        { externalId: id, mediaType: 'text/plain', content, metadata: {}, access: OPEN_ACCESS } as const,
      ],
      failures: [],
    };
  }

  takeReads(): string[] {
    return this.reads.splice(0).sort();
  }
}

/** One that tells what changed, and of deletions only those that are named. */
class ChangingShelf extends Shelf {
  readonly sinces: (string | undefined)[] = [];
  readonly changed = new Set<string>();
  readonly deleted = new Set<string>();

  async *listChanges({ since }: ListChangesOptions): AsyncGenerator<ListedChange> {
    this.sinces.push(since);
    for (const [id, version] of this.texts)
      if (since === undefined || this.changed.has(id)) yield { id, version };
    for (const id of this.deleted) yield { id, isDeleted: true };
    this.changed.clear();
    this.deleted.clear();
    yield {
      cursor: `c${this.sinces.length}`,
      ...(since === undefined ? { present: 'listed' as const } : {}),
    };
  }
}

const many = (count: number, prefix = 'page'): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${prefix}-${i}`, `The text of ${prefix} ${i}.`]),
  );

async function indexedIds(engine: Engine): Promise<string[]> {
  const { documents } = await engine.list({ limit: 1000 });
  return documents.map(({ externalId }) => externalId).sort();
}

const stateOf = async (engine: Engine, name: string) =>
  (await engine.sourceStates()).find(({ source }) => source === name);

describe('an item that failed', () => {
  const indexing = { retry: { attempts: 3, initialDelay: '1m', maxDelay: '90s' } };

  it('is tried again when its wait is over, given up after the last attempt, and tried when that is asked for', async () => {
    const shelf = new Shelf('shelf', { good: 'A lamp.', bad: 'A torn page.' });
    shelf.broken.add('bad');
    const engine = await opened([shelf], { indexing });
    expect((await engine.index()).stats.errors).toMatchObject([
      { item: 'bad', reason: 'DOCUMENT_UNREADABLE' },
    ]);
    expect(shelf.takeReads()).toEqual(['bad', 'good']);
    expect(await engine.failures()).toMatchObject([
      { source: 'shelf', item: 'bad', attempts: 1, state: 'waiting', nextAttemptAt: later(MINUTE / 2) },
    ]);

    time = START + MINUTE / 2 - 1;
    const waiting = await engine.index();
    expect(shelf.takeReads()).toEqual([]);
    expect(waiting.success).toBe(false);
    expect(waiting.stats.errors[0]?.message).toContain(`tried again after ${later(MINUTE / 2)}`);

    time = START + MINUTE / 2;
    await engine.index();
    expect(shelf.takeReads()).toEqual(['bad']);
    // Doubled, and cut to the longest wait.
    expect(await engine.failures()).toMatchObject([
      { attempts: 2, state: 'waiting', nextAttemptAt: later(MINUTE / 2 + 45_000) },
    ]);

    time += MINUTE;
    await engine.index();
    expect(shelf.takeReads()).toEqual(['bad']);
    expect(await engine.failures()).toMatchObject([{ attempts: 3, state: 'given-up' }]);
    expect((await engine.failures())[0]).not.toHaveProperty('nextAttemptAt');

    time += 30 * DAY;
    expect((await engine.index()).stats.errors[0]?.message).toContain('Given up after 3 attempts');
    expect(shelf.takeReads()).toEqual([]);

    shelf.broken.clear();
    const retried = await engine.retry({ items: ['bad'] });
    expect(retried).toMatchObject({ success: true, stats: { documentsProcessed: 1 } });
    expect(shelf.takeReads()).toEqual(['bad']);
    expect(await engine.failures()).toEqual([]);
    expect(await indexedIds(engine)).toEqual(['bad', 'good']);
  });

  it('is tried at once when it changes, by force, and with other settings', async () => {
    const shelf = new Shelf('shelf', { bad: 'A torn page.', good: 'A lamp.' });
    shelf.broken.add('bad');
    const cwd = temporaryFolder();
    const engine = await opened([shelf], { indexing }, cwd);
    await engine.index();
    shelf.texts.set('bad', 'Another torn page.');
    shelf.takeReads();
    await engine.index();
    expect(shelf.takeReads()).toEqual(['bad']);
    expect(await engine.failures()).toMatchObject([{ attempts: 1 }]);
    await engine.index({ sources: ['shelf'], options: { force: true } });
    expect(shelf.takeReads()).toEqual(['bad', 'good']);
    await engine.close();
    const other = await opened([shelf], { indexing, chunking: { strategy: 'fixed' } }, cwd);
    await other.index();
    expect(shelf.takeReads()).toContain('bad');
  });

  it('is told with the source and items that were asked for; what did not fail is refused', async () => {
    const shelves = ['one', 'two'].map((name) => new Shelf(name, { bad: `Page of ${name}.` }));
    for (const shelf of shelves) shelf.broken.add('bad');
    const engine = await opened(shelves, { indexing });
    expect(await engine.failures()).toEqual([]);
    await engine.index();
    expect(await engine.failures({ sources: ['two'] })).toMatchObject([{ source: 'two' }]);
    await expect(engine.failures({ sources: ['three'] })).rejects.toMatchObject({ reason: 'USAGE' });
    await expect(engine.retry({ items: ['good'] })).rejects.toMatchObject({ reason: 'USAGE' });
    for (const shelf of shelves) shelf.takeReads();
    await engine.retry({ sources: ['one'] });
    expect(shelves.map((shelf) => shelf.takeReads())).toEqual([['bad'], []]);
  });

  it('is tried each time where a program hands it in', async () => {
    const engine = await opened([], { indexing });
    const torn = { id: 'torn', bytes: Uint8Array.of(0, 1, 2, 0), mediaType: 'text/plain' };
    for (const attempts of [1, 2, 3, 4]) {
      expect((await engine.push([torn])).success).toBe(false);
      expect(await engine.failures()).toMatchObject([
        { item: 'torn', attempts, state: attempts < 3 ? 'due' : 'given-up' },
      ]);
    }
    const { notices } = await engine.retry();
    expect(notices.join()).toContain('Hand it in again');
  });
});

describe('a source that fails', () => {
  it('deletes nothing, is told with its state, waits where schedules ask, and others go on', async () => {
    const wiki = new Shelf('wiki', many(30));
    const notes = new Shelf('notes', { note: 'A lamp.' });
    const engine = await opened([wiki, notes]);
    expect((await engine.index()).success).toBe(true);
    expect(await stateOf(engine, 'wiki')).toEqual({
      source: 'wiki',
      isConfigured: true,
      listingStartedAt: later(0),
      listingFinishedAt: later(0),
      lastSuccessAt: later(0),
      lastReconcileAt: later(0),
      consecutiveFailures: 0,
    });

    time = START + MINUTE;
    wiki.isAway = true;
    notes.texts.set('second', 'Another lamp.');
    const { success, stats } = await engine.index();
    expect(success).toBe(false);
    expect(stats.errors).toMatchObject([{ source: 'wiki', reason: 'SOURCE_UNREADABLE' }]);
    expect(stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 0 });
    expect((await indexedIds(engine)).length).toBe(32);
    expect(await stateOf(engine, 'wiki')).toMatchObject({
      listingStartedAt: later(MINUTE),
      listingFinishedAt: later(0),
      lastSuccessAt: later(0),
      consecutiveFailures: 1,
      lastError: { reason: 'SOURCE_UNREADABLE', at: later(MINUTE) },
      nextAttemptAt: later(MINUTE + MINUTE / 2),
    });
    expect((await engine.status()).sources.find(({ source }) => source === 'wiki')?.sync).toMatchObject({
      consecutiveFailures: 1,
    });

    wiki.isAway = false;
    const heeding = await engine.index({ options: { heedBackoff: true } });
    expect(heeding.notices.join()).toContain('"wiki" failed once and is tried again after');
    expect((await stateOf(engine, 'wiki'))?.consecutiveFailures).toBe(1);
    // A person who asks for a run gets one.
    expect((await engine.index()).success).toBe(true);
    expect(await stateOf(engine, 'wiki')).toMatchObject({
      consecutiveFailures: 0,
      lastSuccessAt: later(MINUTE),
    });
    expect(await stateOf(engine, 'wiki')).not.toHaveProperty('lastError');
  });

  it('leaves no trace in a dry run', async () => {
    const engine = await opened([new Shelf('wiki', many(2))]);
    await engine.index({ options: { dryRun: true } });
    await engine.index();
    const before = await engine.sourceStates();
    time += DAY;
    await engine.index({ options: { dryRun: true } });
    expect(await engine.sourceStates()).toEqual(before);
  });
});

describe('a listing that shrinks', () => {
  const lose = (shelf: Shelf, left: number): void => {
    for (const id of [...shelf.texts.keys()].slice(left)) shelf.texts.delete(id);
  };

  it('stops its source until that is allowed, and other sources go on', async () => {
    const wiki = new Shelf('wiki', many(50));
    const notes = new Shelf('notes', { note: 'A lamp.' });
    const engine = await opened([wiki, notes]);
    await engine.index();
    lose(wiki, 20);
    notes.texts.set('note', 'A brighter lamp.');
    const { stats } = await engine.index();
    expect(stats.errors).toMatchObject([{ source: 'wiki', reason: 'SOURCE_SHRUNK' }]);
    expect(stats.errors[0]?.message).toContain('lists 20 items where 50 were known');
    expect(stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 0 });
    expect((await indexedIds(engine)).length).toBe(51);
    expect((await engine.index({ options: { allowShrink: ['notes'] } })).success).toBe(false);
    const allowed = await engine.index({ options: { allowShrink: ['wiki'] } });
    expect(allowed).toMatchObject({ success: true, stats: { documentsDeleted: 30 } });
    expect((await indexedIds(engine)).length).toBe(21);
  });

  it('is told before anything is written by a dry run, and stops a rebuild', async () => {
    const wiki = new Shelf('wiki', many(50));
    const engine = await opened([wiki]);
    await engine.index();
    lose(wiki, 20);
    const dry = await engine.index({ options: { dryRun: true } });
    expect(dry.stats.errors).toMatchObject([{ reason: 'SOURCE_SHRUNK' }]);
    expect((await engine.index({ options: { force: true } })).stats.errors).toMatchObject([
      { reason: 'SOURCE_SHRUNK' },
    ]);
    expect((await indexedIds(engine)).length).toBe(50);
    expect((await engine.index({ options: { force: true, allowShrink: true } })).success).toBe(true);
    expect((await indexedIds(engine)).length).toBe(20);
  });

  it('goes on where little is lost, what moved is listed again, or the share is allowed', async () => {
    const wiki = new Shelf('wiki', many(50));
    const engine = await opened([wiki]);
    await engine.index();
    lose(wiki, 25);
    expect((await engine.index()).success).toBe(true);
    lose(wiki, 6);
    expect((await engine.index()).success).toBe(true);
    for (const [id, text] of Object.entries(many(60))) wiki.texts.set(id, text);
    await engine.index();
    wiki.texts.clear();
    for (const [id, text] of Object.entries(many(60, 'moved'))) wiki.texts.set(id, text);
    expect(await engine.index()).toMatchObject({ success: true, stats: { documentsDeleted: 60 } });
    wiki.texts.clear();
    const cwd = temporaryFolder();
    const lenient = await opened([new Shelf('wiki', many(50))], { indexing: { maxShrink: 1 } }, cwd);
    await lenient.index();
    await lenient.close();
    const emptied = await opened([new Shelf('wiki')], { indexing: { maxShrink: 1 } }, cwd);
    expect(await emptied.index()).toMatchObject({ success: true, stats: { documentsDeleted: 50 } });
  });

  it('holds for deletions that a listing of changes names, whose cursor stays', async () => {
    const wiki = new ChangingShelf('wiki', many(50));
    const engine = await opened([wiki]);
    await engine.index();
    const gone = Object.keys(many(40));
    const announce = (): void => {
      for (const id of gone) wiki.deleted.add(id);
    };
    for (const id of gone) wiki.texts.delete(id);
    announce();
    expect((await engine.index()).stats.errors).toMatchObject([{ reason: 'SOURCE_SHRUNK' }]);
    expect((await stateOf(engine, 'wiki'))?.cursor).toBe('c1');
    announce();
    expect((await engine.index({ options: { allowShrink: true } })).stats.documentsDeleted).toBe(40);
    expect(wiki.sinces).toEqual([undefined, 'c1', 'c1']);
    expect((await stateOf(engine, 'wiki'))?.cursor).toBe('c3');
  });

  it('is bounded for each source by itself, and files that become those of another source are no loss', async () => {
    const files = Object.fromEntries(Object.entries(many(60)).map(([id, text]) => [`docs/${id}.md`, text]));
    const cwd = temporaryFolder({ ...files, 'readme.md': 'Read me.' });
    const strict = { name: 'docs', type: 'markdown' as const, paths: ['docs/**/*.md'], maxShrink: 0.1 };
    const engine = await opened([], {}, cwd);
    await engine.index({ paths: ['.'] });
    await engine.close();
    const configured = await opened([], { sources: [strict] }, cwd);
    // The folder that was named leaves 60 of its 61 files to the source.
    expect(await configured.index()).toMatchObject({ success: true });
    writeFiles(cwd, {});
    const { rmSync } = await import('node:fs');
    for (const path of Object.keys(files).slice(0, 25)) rmSync(`${cwd}/${path}`);
    expect((await configured.index()).stats.errors).toMatchObject([
      { source: 'docs', reason: 'SOURCE_SHRUNK' },
    ]);
  });
});

describe('a folder that is empty suddenly', () => {
  const notes = { name: 'notes', type: 'files' as const, root: 'notes' };
  const clear = async (cwd: string, keep: readonly string[] = []): Promise<void> => {
    const { readdirSync, rmSync } = await import('node:fs');
    for (const name of readdirSync(`${cwd}/notes`)) if (!keep.includes(name)) rmSync(`${cwd}/notes/${name}`);
  };
  const filled = async (count: number) => {
    const texts = Object.entries(many(count)).map(([id, text]) => [`notes/${id}.md`, text]);
    const cwd = temporaryFolder(Object.fromEntries(texts));
    const engine = await opened([], { sources: [notes] }, cwd);
    await engine.index();
    return { cwd, engine };
  };

  it.each([
    [1, 'its document was deleted'],
    [5, 'all 5 documents of it were deleted'],
    [19, 'all 19 documents of it were deleted'],
  ])('and held %s: the run says that it is empty and how many were deleted', async (count, told) => {
    const { cwd, engine } = await filled(count);
    await clear(cwd);
    const dry = await engine.index({ options: { dryRun: true } });
    expect(dry.notices.join()).toContain('would be deleted');
    const { notices, stats } = await engine.index();
    expect(stats.documentsDeleted).toBe(count);
    expect(notices.join()).toContain(`The source "notes" is empty now: ${told} from the index.`);
    expect((await engine.index()).notices.join()).not.toContain('is empty now');
  });

  it('is not told of one that lost some, or got others', async () => {
    const { cwd, engine } = await filled(5);
    const [first = ''] = Object.keys(many(5));
    await clear(cwd, [`${first}.md`]);
    expect((await engine.index()).notices.join()).not.toContain('is empty now');
    await clear(cwd);
    writeFiles(cwd, { 'notes/other.md': 'Another one.' });
    expect((await engine.index()).notices.join()).not.toContain('is empty now');
  });

  it('is told of a folder that a call named, too', async () => {
    const cwd = temporaryFolder({ 'notes/a.md': 'The gate.', 'notes/b.md': 'The kiln.' });
    const engine = await opened([], {}, cwd);
    await engine.index({ paths: ['notes'] });
    await clear(cwd);
    expect((await engine.index()).notices.join()).toContain('is empty now: all 2 documents');
  });
});

describe('a source that tells what changed', () => {
  it('is listed whole when that is due, which finds what it did not tell', async () => {
    const wiki = new ChangingShelf('wiki', many(3));
    const engine = await opened([wiki], { indexing: { reconcileInterval: '2d' } });
    await engine.index();
    wiki.texts.delete('page-0');
    time = START + DAY;
    await engine.index();
    expect(await indexedIds(engine)).toHaveLength(3);
    expect(await stateOf(engine, 'wiki')).toMatchObject({ lastReconcileAt: later(0), cursor: 'c2' });
    time = START + 2 * DAY;
    await engine.index();
    expect(await indexedIds(engine)).toEqual(['page-1', 'page-2']);
    expect(await stateOf(engine, 'wiki')).toMatchObject({ lastReconcileAt: later(2 * DAY) });
    time += DAY;
    await engine.index();
    expect(wiki.sinces).toEqual([undefined, 'c1', undefined, 'c3']);
  });

  it('is never listed whole again where that is said', async () => {
    const wiki = new ChangingShelf('wiki', many(3));
    const engine = await opened([wiki], { indexing: { reconcileInterval: 'never' } });
    await engine.index();
    time += 365 * DAY;
    await engine.index();
    expect(wiki.sinces).toEqual([undefined, 'c1']);
  });

  it('is listed whole where it was given up and comes back', async () => {
    const wiki = new ChangingShelf('wiki', many(3));
    const cwd = temporaryFolder();
    const engine = await opened([wiki, new Shelf('notes', { note: 'A lamp.' })], {}, cwd);
    await engine.index();
    await engine.close();
    const without = await opened([new Shelf('notes', { note: 'A lamp.' })], {}, cwd);
    await without.index({ options: { prune: true } });
    expect(await indexedIds(without)).toEqual(['note']);
    expect(await stateOf(without, 'wiki')).toBeUndefined();
    await without.close();
    const back = await opened([wiki, new Shelf('notes', { note: 'A lamp.' })], {}, cwd);
    await back.index();
    expect(wiki.sinces).toEqual([undefined, undefined]);
    expect(await indexedIds(back)).toHaveLength(4);
  });
});

it('indexing states tell of each document and of what never was indexed, page by page', async () => {
  const shelf = new Shelf('shelf', { a: 'A lamp.', b: 'A page.', torn: 'No page.' });
  shelf.broken.add('torn');
  const engine = await opened([shelf]);
  expect(await engine.indexingStates()).toEqual({ states: [] });
  await engine.index();
  shelf.texts.set('b', 'Another page.');
  shelf.broken.add('b');
  await engine.index();
  const states = [];
  let cursor: string | undefined;
  do {
    const page = await engine.indexingStates({ limit: 1, cursor });
    expect(page.states.length).toBeLessThanOrEqual(1);
    states.push(...page.states);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(states.sort((x, y) => (x.source_path < y.source_path ? -1 : 1))).toMatchObject([
    {
      source_path: 'a',
      source_type: 'shelf',
      status: 'indexed',
      chunk_count: 1,
      retry_count: 0,
      last_indexed: new Date(START),
    },
    { source_path: 'b', status: 'failed', error_message: '"b" is torn.', retry_count: 1, chunk_count: 1 },
    {
      id: 'torn',
      source_path: 'torn',
      source_type: 'shelf',
      status: 'failed',
      chunk_count: 0,
      vector_ids: [],
      retry_count: 1,
    },
  ]);
  const { results } = await engine.search({ text: 'lamp', options: { minSimilarity: 0 } });
  expect(states[0]?.vector_ids).toEqual([results[0]?.id]);
  expect((await engine.indexingStates()).states).toHaveLength(3);
});
