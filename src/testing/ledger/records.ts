import assert from 'node:assert/strict';
import { RAGError } from '../../core/errors.js';
import type {
  CompletedItem,
  DocumentPlan,
  GenerationTarget,
  GenerationWriter,
  PlannedDocument,
} from '../../ledger/ledger.js';

export const AT = '2026-01-01T00:00:00.000Z';
export const LATER = '2026-01-02T00:00:00.000Z';
export const TENANT = 'default';
export const SOURCE = 'docs';
export const MINUTE = 60_000;

export const targetOf = (generation: number): GenerationTarget => ({
  provider: 'memory',
  collection: `chunks-${generation}`,
  dimensions: 8,
  fingerprint: 'model@1:8',
  embedder: 'builtin',
});

/** A valid document of one chunk; what a test is about is given in `changes`. */
export function planned(documentId: string, changes: Partial<PlannedDocument> = {}): PlannedDocument {
  return {
    documentId,
    tenant: TENANT,
    source: SOURCE,
    sourceType: 'markdown',
    itemId: itemOf(documentId),
    externalId: `${documentId}.md`,
    revision: 'r1',
    metadata: {},
    text: 'text',
    chunks: [{ chunkId: `${documentId}-1`, digest: 'x' }],
    ...changes,
  };
}

/** The item that `planned` puts a document in. */
export const itemOf = (documentId: string): string => `${documentId}.md`;

export const itemKey = (documentId: string) => ({
  tenant: TENANT,
  source: SOURCE,
  itemId: itemOf(documentId),
});

export const completed = (documentId: string, version = '1'): CompletedItem => ({
  ...itemKey(documentId),
  version,
  processingKey: 'k',
});

/** Plans, commits and completes documents, as a run over an obedient store does. */
export async function indexDocuments(
  writer: GenerationWriter,
  ...documents: readonly PlannedDocument[]
): Promise<void> {
  await writer.plan(documents);
  await writer.commit(
    documents.map(({ documentId }) => documentId),
    AT,
  );
  await writer.completeItems(
    documents.map(({ tenant, source, itemId }) => ({
      tenant,
      source,
      itemId,
      version: '1',
      processingKey: 'k',
    })),
  );
}

/** The plan of one document. */
export async function planOne(writer: GenerationWriter, document: PlannedDocument): Promise<DocumentPlan> {
  const [plan] = await writer.plan([document]);
  assert.ok(plan, 'a document has a plan');
  return plan;
}

/** The parts of an object that a test is about. */
export function pick<T extends object, K extends keyof T>(
  value: T | undefined,
  ...keys: K[]
): Partial<Pick<T, K>> {
  assert.ok(value !== undefined, 'it is there');
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Partial<Pick<T, K>>;
}

/** An object without the keys whose value is undefined: absent and undefined mean the same. */
export const defined = (value: object | undefined): object | undefined =>
  value && Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));

/** Every page of a listing, joined. */
export async function allPages<T>(
  list: (after: string | undefined, limit: number) => Promise<T[]>,
  idOf: (entry: T) => string,
  limit = 2,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = await list(undefined, limit); page.length > 0; ) {
    assert.ok(page.length <= limit, 'a page is no longer than asked for');
    all.push(...page);
    const last = page.at(-1);
    page = await list(last === undefined ? undefined : idOf(last), limit);
  }
  return all;
}

/** Texts in the order of their code points, which is not that of their UTF-16 units. */
export function inCodePointOrder(texts: readonly string[]): string[] {
  return [...texts].sort((a, b) => {
    const [left, right] = [Array.from(a, codePoint), Array.from(b, codePoint)];
    const at = left.findIndex((point, i) => point !== right[i]);
    return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
  });
}

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

/** Work that was refused because another one has taken over. */
export async function losesLease(work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(RAGError.isInstance(error), `expected a RAGError INDEX_LEASE_LOST, got ${String(error)}`);
    assert.equal(error.reason, 'INDEX_LEASE_LOST', error.message);
    assert.equal(error.retryable, true);
    return true;
  });
}
