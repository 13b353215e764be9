import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger, PlannedDocument } from './ledger.js';
import { openLedger } from './open-ledger.js';

const AT = '2026-01-01T00:00:00.000Z';

let folder: string;
let ledger: Ledger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
});

afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A revision of a document: chunk names and the digest of each. */
type Content = readonly { readonly name: string; readonly digest: string }[];

function planned(document: string, content: Content): PlannedDocument {
  return {
    documentId: document,
    tenant: 'default',
    source: 'docs',
    sourceType: 'markdown',
    itemId: `${document}.md`,
    externalId: `${document}.md`,
    revision: JSON.stringify(content),
    metadata: {},
    text: JSON.stringify(content),
    chunks: content.map(({ name, digest }) => ({ chunkId: `${document}/${name}`, digest })),
  };
}

const version = (names: string, digest = 'a'): Content => [...names].map((name) => ({ name, digest }));

describe('plan', () => {
  const plan = (names: string, digest = 'a') => ledger.plan([planned('d', version(names, digest))])[0];
  const commit = () => ledger.commit(['d'], AT);

  it('writes what is new, leaves what is live, deletes what is gone', () => {
    expect(plan('ab')).toMatchObject({ toWrite: ['d/a', 'd/b'], unchanged: [], toRewrite: [], toDelete: [] });
    commit();
    expect(plan('bc')).toMatchObject({
      toWrite: ['d/c'],
      unchanged: ['d/b'],
      toRewrite: [],
      toDelete: ['d/a'],
    });
  });

  it('rewrites a live chunk whose digest changed, and writes it for certain after a crash', () => {
    plan('a', 'old');
    commit();
    expect(plan('a', 'new')).toMatchObject({ toRewrite: ['d/a'], toWrite: [], unchanged: [] });
    // Killed here: the store may hold either version, so neither digest may count as unchanged.
    expect(plan('a', 'new')).toMatchObject({ toWrite: ['d/a'], toRewrite: [], unchanged: [] });
    expect(plan('a', 'old')).toMatchObject({ toWrite: ['d/a'], toRewrite: [], unchanged: [] });
  });

  it('deletes a chunk of a crashed attempt that the new revision lacks', () => {
    plan('ab');
    expect(plan('b')).toMatchObject({ toWrite: ['d/b'], toDelete: ['d/a'] });
    expect(plan('b')).toMatchObject({ toWrite: ['d/b'], toDelete: ['d/a'] });
    commit();
    expect(plan('b')).toMatchObject({ unchanged: ['d/b'], toDelete: [] });
  });

  it('writes a chunk again whose deletion was begun', () => {
    plan('ab');
    commit();
    plan('b');
    expect(plan('ab')).toMatchObject({ toWrite: ['d/a'], unchanged: ['d/b'], toDelete: [] });
  });

  it('keeps the document order when unchanged chunks move', () => {
    plan('abc');
    commit();
    expect(plan('cab')).toMatchObject({ unchanged: ['d/c', 'd/a', 'd/b'] });
    commit();
    expect(ledger.chunks('d').map(({ chunkId }) => chunkId)).toEqual(['d/c', 'd/a', 'd/b']);
  });

  it('makes the item pending, so that going back to the version before is not taken for unchanged', () => {
    plan('a');
    commit();
    const item = { tenant: 'default', source: 'docs', itemId: 'd.md', version: '1', processingKey: 'k' };
    ledger.completeItems([item]);
    expect(ledger.items('default', 'docs').get('d.md')).toMatchObject({ version: '1', status: 'indexed' });
    plan('b');
    expect(ledger.items('default', 'docs').get('d.md')).toMatchObject({ version: '1', status: 'pending' });
    ledger.completeItems([item]);
    ledger.planDeletion(['d']);
    expect(ledger.items('default', 'docs').get('d.md')?.status).toBe('pending');
  });

  it('is one transaction over all documents', () => {
    const twice = planned('x', [...version('a'), ...version('a')]);
    expect(() => ledger.plan([planned('d', version('a')), twice])).toThrow();
    expect(ledger.document('d')).toBeUndefined();
    expect(ledger.allChunks(undefined, 10)).toEqual([]);
  });
});

describe('forget', () => {
  it('refuses a document whose chunks may still be in the store', () => {
    ledger.plan([planned('d', version('a'))]);
    ledger.commit(['d'], AT);
    expect(() => ledger.forget(['d'])).toThrow(/before its deletion was planned/);
    expect(ledger.planDeletion(['d', 'unknown'])).toEqual(['d/a']);
    ledger.forget(['d', 'unknown']);
    expect(ledger.document('d')).toBeUndefined();
    expect(ledger.text('d')).toBeUndefined();
  });
});

describe('a crash at any point', () => {
  const DOCUMENTS = ['p', 'q', 'r'];

  const contents = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
    .chain((names) =>
      fc
        .tuple(...names.map(() => fc.constantFrom('1', '2')))
        .map((digests) => names.map((name, i) => ({ name, digest: digests[i] ?? '1' }))),
    );

  /** One run over a source: what the source holds now, and after how many steps the process is killed. */
  const runs = fc.array(
    fc.record({
      source: fc.dictionary(fc.constantFrom(...DOCUMENTS), contents, { noNullPrototype: true }),
      stepsBeforeKill: fc.option(fc.nat({ max: 25 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  class Killed extends Error {}

  /** A run as the index pipeline does it; every step of the store and of the ledger may be the last one. */
  function index(source: Readonly<Record<string, Content>>, store: Map<string, string>, steps: number): void {
    let left = steps;
    const step = (work: () => void): void => {
      if (left-- <= 0) throw new Killed();
      work();
    };
    for (const document of DOCUMENTS) {
      const content = source[document];
      if (content === undefined) remove(document, store, step);
      else write(document, content, store, step);
    }
  }

  type Step = (work: () => void) => void;

  function write(document: string, content: Content, store: Map<string, string>, step: Step): void {
    const key = { tenant: 'default', source: 'docs', itemId: `${document}.md` };
    const known = ledger.items(key.tenant, key.source).get(key.itemId);
    const version = JSON.stringify(content);
    if (known?.status === 'indexed' && known.version === version) return;
    const digests = new Map(content.map(({ name, digest }) => [`${document}/${name}`, digest]));
    step(() => {});
    const [plan] = ledger.plan([planned(document, content)]);
    if (plan === undefined) throw new Error('no plan');
    for (const id of [...plan.toWrite, ...plan.toRewrite]) step(() => store.set(id, digests.get(id) ?? ''));
    for (const id of plan.toDelete) step(() => store.delete(id));
    step(() => ledger.commit([document], AT));
    step(() => ledger.completeItems([{ ...key, version, processingKey: 'k' }]));
  }

  function remove(document: string, store: Map<string, string>, step: Step): void {
    if (ledger.document(document) === undefined) return;
    let ids: string[] = [];
    step(() => {
      ids = ledger.planDeletion([document]);
    });
    for (const id of ids) step(() => store.delete(id));
    step(() => ledger.forget([document]));
    step(() => ledger.forgetItems('default', 'docs', [`${document}.md`]));
  }

  function expectNothingOrphaned(store: ReadonlyMap<string, string>): void {
    const chunks = new Map(ledger.allChunks(undefined, 1000).map((chunk) => [chunk.chunkId, chunk]));
    for (const id of store.keys()) expect(chunks.has(id), `${id} is orphaned`).toBe(true);
    for (const chunk of chunks.values())
      if (chunk.state === 'live') expect(store.get(chunk.chunkId)).toBe(chunk.digest);
  }

  it('leaves a state that the next run brings to exactly what the source holds', () => {
    fc.assert(
      fc.property(runs, (script) => {
        ledger.setFacts({ ...(ledger.facts() ?? FACTS), generation: (ledger.facts()?.generation ?? 0) + 1 });
        ledger.forget(DOCUMENTS);
        ledger.forgetItems(
          'default',
          'docs',
          DOCUMENTS.map((document) => `${document}.md`),
        );
        const store = new Map<string, string>();
        let last: Readonly<Record<string, Content>> = {};
        for (const { source, stepsBeforeKill } of script) {
          last = source;
          try {
            index(source, store, stepsBeforeKill ?? Number.POSITIVE_INFINITY);
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
          }
          expectNothingOrphaned(store);
        }
        index(last, store, Number.POSITIVE_INFINITY);
        const wanted = Object.entries(last).flatMap(([document, content]) =>
          content.map(({ name, digest }) => [`${document}/${name}`, digest] as const),
        );
        expect(new Map([...store].sort())).toEqual(new Map([...wanted].sort()));
        const chunks = ledger.allChunks(undefined, 1000);
        expect(chunks.map(({ chunkId, digest }) => [chunkId, digest])).toEqual([...wanted].sort());
        expect(chunks.every(({ state }) => state === 'live')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

const FACTS = {
  provider: 'memory',
  generation: 0,
  collection: 'chunks',
  dimensions: 8,
  fingerprint: 'f',
  embedder: 'test',
};
