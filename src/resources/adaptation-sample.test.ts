import { describe, expect, it } from 'vitest';
import { contentHash } from '../core/ids.js';
import type { GenerationReader, LedgerChunk, LedgerDocument } from '../ledger/ledger.js';
import { ADAPTATION_SAMPLE, MAX_TENANTS, takeSamples } from './adaptation-sample.js';

type Held = Pick<LedgerDocument, 'documentId' | 'title' | 'revision' | 'chunkCount'> & {
  readonly tenant?: string;
};

/** A generation of these documents; a chunk's id is that of its document and its place. */
function readerOf(held: readonly Held[], isLive: (chunk: string) => boolean = () => true) {
  const documents = held
    .map((document) => ({ tenant: 'default', ...document }) as LedgerDocument)
    .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
  const chunksOf = ({ documentId, chunkCount }: LedgerDocument): LedgerChunk[] =>
    Array.from({ length: chunkCount }, (_, ordinal) => {
      const chunkId = `${documentId}/${ordinal}`;
      return { chunkId, documentId, ordinal, digest: '', state: isLive(chunkId) ? 'live' : 'planned' };
    });
  const reader: Pick<GenerationReader, 'documents' | 'chunksOf'> = {
    documents: async (after = '', limit) =>
      documents.filter(({ documentId }) => documentId > after).slice(0, limit),
    chunksOf: async (ids) =>
      new Map(
        documents
          .filter(({ documentId }) => ids.includes(documentId))
          .map((document) => [document.documentId, chunksOf(document)]),
      ),
  };
  return reader;
}

/** Documents of one to three chunks each, under ids that say nothing of them. */
const documentsAt = (place: string, count: number): Held[] =>
  Array.from({ length: count }, (_, i) => ({
    documentId: contentHash(`${place} ${i}`),
    title: `Page ${i}`,
    revision: `revision ${i}`,
    chunkCount: 1 + (i % 3),
  }));

const sampleOf = async (documents: readonly Held[], isLive?: (chunk: string) => boolean) =>
  (await takeSamples(readerOf(documents, isLive))).get('default')?.ids ?? [];

/** What the chunks of a sample hold, in its order. */
const contentsOf = (sample: readonly string[], documents: readonly Held[]): string[] => {
  const revisions = new Map(documents.map(({ documentId, revision }) => [documentId, revision]));
  return sample.map((id) => {
    const [documentId = '', ordinal] = id.split('/');
    return `${revisions.get(documentId)}, ${ordinal}`;
  });
};

describe('takeSamples', () => {
  it('takes the same content in the same order, whatever the ids of its documents are', async () => {
    const [here, there] = [documentsAt('here', 1_500), documentsAt('there', 1_500).reverse()];
    const [first, second] = [await sampleOf(here), await sampleOf(there)];
    expect(first).toHaveLength(ADAPTATION_SAMPLE);
    expect(contentsOf(second, there)).toEqual(contentsOf(first, here));
  });

  it('draws from all documents alike, and from all places of a long one', async () => {
    const documents = documentsAt('page', 3_000);
    const long = { documentId: 'long', title: 'Long', revision: 'long', chunkCount: 4_000 };
    const sample = await sampleOf([...documents, long]);
    const ofLong = sample.filter((id) => id.startsWith('long/')).map((id) => Number(id.slice(5)));
    expect(ofLong.length).toBeGreaterThan(350);
    expect(ofLong.length).toBeLessThan(450);
    expect(ofLong.filter((ordinal) => ordinal < 2_000).length / ofLong.length).toBeCloseTo(0.5, 1);
  });

  it('counts documents that are equal once, and takes all chunks where there are few', async () => {
    const documents = documentsAt('page', 20);
    const copies = documents.map((document) => ({ ...document, documentId: `copy-${document.documentId}` }));
    const sample = await sampleOf([...documents, ...copies]);
    expect([...new Set(contentsOf(sample, [...documents, ...copies]))]).toHaveLength(sample.length);
    expect(sample).toHaveLength(documents.reduce((sum, { chunkCount }) => sum + chunkCount, 0));
  });

  it('tells tenants apart, and leaves out chunks that are not in the store', async () => {
    const documents = [
      { ...documentsAt('a', 1)[0], documentId: 'a', tenant: 'acme', chunkCount: 3 },
      { ...documentsAt('b', 1)[0], documentId: 'b', tenant: 'globex', chunkCount: 3 },
    ] as Held[];
    const reader = readerOf(documents, (chunk) => chunk !== 'a/1');
    const taken = await takeSamples(reader, { only: 'acme' });
    const sorted = [...taken].map(([tenant, { ids, chunks }]) => [tenant, chunks, [...ids].sort()]);
    expect(sorted).toEqual([
      ['acme', 3, ['a/0', 'a/2']],
      ['globex', 0, []],
    ]);
  });

  it('takes none where there are too many tenants', async () => {
    const documents = documentsAt('page', MAX_TENANTS + 1);
    const ofTenants = (count: number) =>
      documents.slice(0, count).map((one, i) => ({ ...one, tenant: `t${i}` }));
    expect((await takeSamples(readerOf(ofTenants(MAX_TENANTS)))).size).toBe(MAX_TENANTS);
    expect((await takeSamples(readerOf(ofTenants(MAX_TENANTS + 1)))).size).toBe(0);
  });
});
