import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexFacts, Ledger, PlannedDocument } from './ledger.js';
import { openLedger } from './open-ledger.js';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';
const FACTS: IndexFacts = {
  provider: 'memory',
  generation: 1,
  collection: 'chunks-1',
  dimensions: 8,
  fingerprint: 'f',
  embedder: 'builtin',
};

let folder: string;
let ledger: Ledger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
  ledger = openLedger({ path: join(folder, 'ledger.db'), keepRevisions: 2 });
});

afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

function planned(documentId: string, changes: Partial<PlannedDocument> = {}): PlannedDocument {
  return {
    documentId,
    tenant: 'default',
    source: 'docs',
    sourceType: 'markdown',
    itemId: `${documentId}.md`,
    externalId: `${documentId}.md`,
    revision: 'r1',
    metadata: {},
    text: 'text',
    chunks: [{ chunkId: `${documentId}-1`, digest: 'x' }],
    ...changes,
  };
}

function index(...documents: PlannedDocument[]): void {
  ledger.plan(documents);
  ledger.commit(
    documents.map(({ documentId }) => documentId),
    AT,
  );
  ledger.completeItems(
    documents.map(({ tenant, source, itemId }) => ({
      tenant,
      source,
      itemId,
      version: '1',
      processingKey: 'k',
    })),
  );
}

describe('documents', () => {
  it('come back as they were planned', () => {
    const document = planned('d', {
      project: 'p',
      title: 'NUL \0, SOH \u0001\u0002, half a pair \ud800',
      itemId: 'a\0b/\u0001\u0001😀\n.md',
      externalId: '',
      metadata: { list: [1, null, 'x\0'], nested: { 'a.b': true } },
    });
    index(document);
    const { text: _text, chunks: _chunks, ...facts } = document;
    expect(ledger.document('d')).toEqual({ ...facts, status: 'indexed', chunkCount: 1, indexedAt: AT });
    expect(ledger.documentsOfItem('default', 'docs', document.itemId)).toHaveLength(1);
    expect([...ledger.items('default', 'docs').keys()]).toEqual([document.itemId]);
    expect(ledger.documentCounts('default', 'docs')).toEqual(new Map([[document.itemId, 1]]));
  });

  it('are pending from plan to commit, and keep the time they were indexed last', () => {
    index(planned('d'));
    ledger.plan([planned('d', { revision: 'r2' })]);
    expect(ledger.document('d')).toMatchObject({ status: 'pending', revision: 'r2', indexedAt: AT });
    ledger.commit(['d'], LATER);
    expect(ledger.document('d')).toMatchObject({ status: 'indexed', indexedAt: LATER });
  });

  it('are paged in id order, each once', () => {
    index(...['c', 'a', 'b', 'e', 'd'].map((id) => planned(id)));
    const ids: string[] = [];
    for (let page = ledger.documents(undefined, 2); page.length > 0; page = ledger.documents(ids.at(-1), 2))
      ids.push(...page.map(({ documentId }) => documentId));
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e']);
    const chunks: string[] = [];
    for (
      let page = ledger.allChunks(undefined, 2);
      page.length > 0;
      page = ledger.allChunks(chunks.at(-1), 2)
    )
      chunks.push(...page.map(({ chunkId }) => chunkId));
    expect(chunks).toEqual(['a-1', 'b-1', 'c-1', 'd-1', 'e-1']);
  });

  it('cannot be committed before they are planned', () => {
    expect(() => ledger.commit(['nobody'], AT)).toThrow(/before it was planned/);
  });
});

describe('texts', () => {
  const save = (revision: string, text: string) => ledger.plan([planned('d', { revision, text })]);
  const commit = () => ledger.commit(['d'], AT);

  it.each(['', 'a\0b', '\ufeff😀\r\n', 'half \udc00 pair', '\u0001\u0002'])(
    'come back exactly: %j',
    (text) => {
      save('r', text);
      expect(ledger.text('d')).toBe(text);
      expect(ledger.text('d', 'r')).toBe(text);
      expect(ledger.text('d', 'other')).toBeUndefined();
      expect(ledger.text('nobody')).toBeUndefined();
    },
  );

  it('of the newest indexed revisions are kept, whatever attempts failed between', () => {
    for (const revision of ['r1', 'r2', 'r3']) {
      save(revision, revision);
      commit();
    }
    save('crashed-1', 'x');
    save('crashed-2', 'x');
    save('crashed-3', 'x');
    expect(ledger.text('d', 'r2')).toBe('r2');
    save('r4', 'r4');
    commit();
    const kept = ['r1', 'r2', 'r3', 'r4', 'crashed-1', 'crashed-3'].filter((r) => ledger.text('d', r));
    expect(kept).toEqual(['r3', 'r4']);
  });

  it('of a revision that came back count as new', () => {
    for (const revision of ['r1', 'r2', 'r1', 'r3']) {
      save(revision, revision);
      commit();
    }
    expect(['r1', 'r2', 'r3'].filter((revision) => ledger.text('d', revision))).toEqual(['r1', 'r3']);
  });
});

describe('items', () => {
  const key = { tenant: 'default', source: 'docs', itemId: 'd.md' };
  const failure = (version?: string) => ({
    reason: 'DOCUMENT_NOT_TEXT' as const,
    message: 'm',
    at: AT,
    ...(version === undefined ? {} : { version }),
  });

  it('count the failures of a version and forget them on success', () => {
    index(planned('d'));
    ledger.failItem(key, failure('2'));
    ledger.failItem(key, failure('2'));
    expect(ledger.items('default', 'docs').get('d.md')).toEqual({
      ...key,
      version: '1',
      processingKey: 'k',
      status: 'failed',
      attempts: 2,
      error: failure('2'),
    });
    ledger.failItem(key, failure('3'));
    expect(ledger.failures(10)).toMatchObject([{ attempts: 1, error: { version: '3' } }]);
    ledger.failItem(key, failure());
    ledger.failItem(key, failure());
    expect(ledger.failures(10)).toMatchObject([{ attempts: 2 }]);
    expect(ledger.document('d')?.status).toBe('indexed');
    ledger.completeItems([{ ...key, version: '3', processingKey: 'k' }]);
    expect(ledger.failures(10)).toEqual([]);
    expect(ledger.items('default', 'docs').get('d.md')).toMatchObject({ attempts: 0, status: 'indexed' });
  });

  it('are kept apart by tenant and source', () => {
    index(planned('d'), planned('e', { tenant: 'other' }), planned('f', { source: 'wiki' }));
    expect([...ledger.items('default', 'docs').keys()]).toEqual(['d.md']);
    ledger.forgetItems('default', 'docs', ['d.md', 'e.md', 'f.md']);
    expect(ledger.items('default', 'docs').size).toBe(0);
    expect(ledger.items('other', 'docs').size).toBe(1);
    expect(ledger.items('default', 'wiki').size).toBe(1);
  });
});

describe('the index as a whole', () => {
  it('keeps the cursor of each source until a new generation', () => {
    ledger.setFacts(FACTS);
    ledger.setSourceCursor('default', 'wiki', 'c1');
    ledger.setSourceCursor('default', 'wiki', 'c2');
    ledger.setSourceCursor('other', 'wiki', 'c3');
    expect(ledger.sourceCursor('default', 'wiki')).toBe('c2');
    expect(ledger.sourceCursor('other', 'wiki')).toBe('c3');
    expect(ledger.sourceCursor('default', 'bugs')).toBeUndefined();
    ledger.setFacts(FACTS);
    expect(ledger.sourceCursor('default', 'wiki')).toBe('c2');
    ledger.setFacts({ ...FACTS, generation: 2 });
    expect(ledger.sourceCursor('default', 'wiki')).toBeUndefined();
  });

  it('forgets all chunks with a new generation and marks everything outdated', () => {
    ledger.setFacts(FACTS);
    index(planned('d'));
    ledger.setFacts({ ...FACTS, embedder: 'renamed' });
    expect(ledger.allChunks(undefined, 10)).toHaveLength(1);
    expect(ledger.facts()?.embedder).toBe('renamed');
    ledger.setFacts({ ...FACTS, generation: 2 });
    expect(ledger.facts()?.generation).toBe(2);
    expect(ledger.allChunks(undefined, 10)).toEqual([]);
    expect(ledger.document('d')).toMatchObject({ status: 'outdated', chunkCount: 0 });
    expect(ledger.items('default', 'docs').get('d.md')?.status).toBe('outdated');
    expect(ledger.text('d')).toBe('text');
  });

  it('plans chunks again that are missing from the store', () => {
    index(planned('d'), planned('e'));
    ledger.markChunksMissing(['d-1', 'unknown']);
    expect(ledger.chunks('d')).toMatchObject([{ state: 'planned' }]);
    expect(ledger.document('d')?.status).toBe('outdated');
    expect(ledger.items('default', 'docs').get('d.md')?.status).toBe('outdated');
    expect(ledger.document('e')?.status).toBe('indexed');
    expect(ledger.plan([planned('d')])).toMatchObject([{ toWrite: ['d-1'] }]);
  });

  it('counts per source and state', () => {
    index(planned('d'), planned('e'), planned('f', { source: 'wiki', sourceType: 'confluence' }));
    ledger.plan([planned('g')]);
    ledger.failItem(
      { tenant: 'default', source: 'empty', itemId: 'x' },
      { reason: 'DOCUMENT_INVALID', message: 'm', at: AT },
    );
    const none = { pending: 0, indexed: 0, failed: 0, outdated: 0 };
    expect(ledger.sources()).toEqual([
      {
        tenant: 'default',
        source: 'docs',
        sourceType: 'markdown',
        documents: { ...none, indexed: 2, pending: 1 },
        failedItems: 0,
        chunks: 3,
      },
      {
        tenant: 'default',
        source: 'empty',
        sourceType: 'unknown',
        documents: none,
        failedItems: 1,
        chunks: 0,
      },
      {
        tenant: 'default',
        source: 'wiki',
        sourceType: 'confluence',
        documents: { ...none, indexed: 1 },
        failedItems: 0,
        chunks: 1,
      },
    ]);
  });

  it('remembers runs, killed ones as unfinished', () => {
    expect(ledger.lastRun()).toBeUndefined();
    const first = ledger.startRun('index docs', AT);
    ledger.finishRun(first, { at: LATER, success: true, stats: '{"chunks":1}' });
    expect(ledger.lastRun()).toEqual({
      runId: first,
      command: 'index docs',
      startedAt: AT,
      finishedAt: LATER,
      success: true,
      stats: '{"chunks":1}',
    });
    const second = ledger.startRun('index', LATER);
    expect(ledger.lastRun()).toEqual({ runId: second, command: 'index', startedAt: LATER });
  });
});
