import { RAGError } from '../../src/core/errors.js';
import { compareText } from '../../src/core/filter.js';
import { documentPlan } from '../../src/ledger/document-plan.js';
import type {
  CompletedItem,
  DocumentPlan,
  DocumentStatus,
  IndexFacts,
  ItemKey,
  LedgerChunk,
  LedgerDocument,
  LedgerFailure,
  LedgerItem,
  PlannedDocument,
  SourceState,
  SourceSummary,
} from '../../src/ledger/ledger.js';
import { decodeText, encodeText } from '../../src/ledger/text-encoding.js';

/** A key of names that no other names have. */
export const keyOf = (...names: readonly string[]): string => JSON.stringify(names);
export const itemKeyOf = ({ tenant, source, itemId }: ItemKey): string => keyOf(tenant, source, itemId);

interface Revision {
  sequence: number;
  isIndexed: boolean;
  readonly text: string;
}

interface DocumentEntry {
  facts: Omit<LedgerDocument, 'chunkCount'>;
  readonly chunks: Map<string, LedgerChunk>;
  readonly revisions: Map<string, Revision>;
}

interface Lease {
  readonly holder: string;
  readonly token: number;
  readonly expiresAt: number;
}

/** Who writes, and the fencing tokens that it was given, by item. */
export interface LeaseHolder {
  readonly holder: string;
  readonly tokens: Map<string, number>;
}

/** One generation in memory. Every method is one step: it is done whole, or throws and changes nothing. */
export class LedgerBooks {
  facts: IndexFacts;
  readonly #now: () => number;
  readonly #keepRevisions: number;
  readonly #items = new Map<string, LedgerItem>();
  readonly #documents = new Map<string, DocumentEntry>();
  /** The document of each chunk. */
  readonly #chunks = new Map<string, DocumentEntry>();
  readonly #leases = new Map<string, Lease>();
  readonly #cursors = new Map<string, string>();
  readonly #states = new Map<string, readonly [tenant: string, source: string, state: SourceState]>();
  learned: Uint8Array | undefined;

  constructor(facts: IndexFacts, { now, keepRevisions }: { now: () => number; keepRevisions: number }) {
    this.facts = facts;
    this.#now = now;
    this.#keepRevisions = keepRevisions;
  }

  /** Empties it: it was dropped, and whoever still reads it finds nothing. */
  drop(): void {
    for (const map of [this.#items, this.#documents, this.#chunks, this.#leases, this.#cursors, this.#states])
      map.clear();
    this.learned = undefined;
  }

  items(tenant: string, source: string, itemIds?: readonly string[]): Map<string, LedgerItem> {
    const wanted = itemIds === undefined ? undefined : new Set(itemIds);
    const found = [...this.#items.values()].filter(
      (item) => item.tenant === tenant && item.source === source && wanted?.has(item.itemId) !== false,
    );
    return new Map(found.sort((a, b) => compareText(a.itemId, b.itemId)).map((item) => [item.itemId, item]));
  }

  hasItems(tenant: string, source: string): boolean {
    for (const item of this.#items.values())
      if (item.tenant === tenant && item.source === source) return true;
    return false;
  }

  sourceNames(tenant: string): string[] {
    const names = new Set<string>();
    for (const item of this.#items.values()) if (item.tenant === tenant) names.add(item.source);
    return [...names].sort(compareText);
  }

  cursor(tenant: string, source: string): string | undefined {
    return this.#cursors.get(keyOf(tenant, source));
  }

  setCursor(tenant: string, source: string, cursor: string): void {
    this.#cursors.set(keyOf(tenant, source), cursor);
  }

  forgetCursors(): void {
    this.#cursors.clear();
  }

  states(tenant: string): Map<string, SourceState> {
    const found = [...this.#states.values()].filter(([of]) => of === tenant);
    return new Map(
      found.sort(([, a], [, b]) => compareText(a, b)).map(([, source, state]) => [source, state]),
    );
  }

  setState(tenant: string, source: string, state: SourceState): void {
    this.#states.set(keyOf(tenant, source), [tenant, source, state]);
  }

  forgetSource(tenant: string, source: string): void {
    this.#cursors.delete(keyOf(tenant, source));
    this.#states.delete(keyOf(tenant, source));
  }

  documentsOfItems(tenant: string, source: string, itemIds: readonly string[]): LedgerDocument[] {
    const all = [...this.#documents.values()].filter(
      ({ facts }) => facts.tenant === tenant && facts.source === source,
    );
    return itemIds.flatMap((itemId) =>
      all
        .filter(({ facts }) => facts.itemId === itemId)
        .map(documentOf)
        .sort((a, b) => compareText(a.documentId, b.documentId)),
    );
  }

  documentCounts(tenant: string, source: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { facts } of this.#documents.values())
      if (facts.tenant === tenant && facts.source === source)
        counts.set(facts.itemId, (counts.get(facts.itemId) ?? 0) + 1);
    return counts;
  }

  document(documentId: string): LedgerDocument | undefined {
    const entry = this.#documents.get(documentId);
    return entry === undefined ? undefined : documentOf(entry);
  }

  documents(after: string | undefined, limit: number): LedgerDocument[] {
    return page([...this.#documents.keys()], after, limit).flatMap((id) => this.document(id) ?? []);
  }

  chunks(documentId: string): LedgerChunk[] {
    const chunks = [...(this.#documents.get(documentId)?.chunks.values() ?? [])];
    return chunks.sort((a, b) => a.ordinal - b.ordinal || compareText(a.chunkId, b.chunkId));
  }

  allChunks(after: string | undefined, limit: number): LedgerChunk[] {
    return page([...this.#chunks.keys()], after, limit).flatMap(
      (id) => this.#chunks.get(id)?.chunks.get(id) ?? [],
    );
  }

  preview(documents: readonly PlannedDocument[]): DocumentPlan[] {
    return documents.map((document) =>
      documentPlan(document, this.#documents.get(document.documentId)?.chunks ?? new Map()),
    );
  }

  text(documentId: string, revision?: string): string | undefined {
    const entry = this.#documents.get(documentId);
    return entry?.revisions.get(revision ?? entry.facts.revision)?.text;
  }

  failures(limit: number): LedgerItem[] {
    const failed = [...this.#items.values()].filter(({ error }) => error !== undefined);
    return failed
      .sort((a, b) => b.attempts - a.attempts || compareText(itemKeyOf(a), itemKeyOf(b)))
      .slice(0, limit);
  }

  summaries(): SourceSummary[] {
    const all = new Map<string, MutableSummary>();
    const of = (tenant: string, source: string): MutableSummary => {
      const found = all.get(keyOf(tenant, source)) ?? emptySummary(tenant, source);
      all.set(keyOf(tenant, source), found);
      return found;
    };
    for (const { tenant, source, error } of this.#items.values())
      of(tenant, source).failedItems += error === undefined ? 0 : 1;
    for (const { facts, chunks } of this.#documents.values()) {
      const summary = of(facts.tenant, facts.source);
      summary.sourceType = facts.sourceType;
      summary.documents[facts.status] += 1;
      for (const { state } of chunks.values()) summary.chunks += state === 'stale' ? 0 : 1;
      for (const [type, count] of Object.entries(redactionsOf(facts)))
        summary.redactions = {
          ...summary.redactions,
          [type]: (summary.redactions?.[type] ?? 0) + count,
        };
    }
    return [...all.values()].sort(
      (a, b) => compareText(a.tenant, b.tenant) || compareText(a.source, b.source),
    );
  }

  claim(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    const now = this.#now();
    const claimed = new Set<string>();
    for (const key of keys) {
      const lease = this.#leases.get(key);
      const isOwn = lease?.holder === by.holder;
      const isOver = lease !== undefined && lease.expiresAt <= now;
      if (lease !== undefined && !isOwn && !isOver) continue;
      const token = lease === undefined ? 1 : lease.token + (!isOwn || isOver ? 1 : 0);
      this.#leases.set(key, { holder: by.holder, token, expiresAt: now + Math.round(forMs) });
      by.tokens.set(key, token);
      claimed.add(key);
    }
    return claimed;
  }

  renew(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    const renewed = keys.filter((key) => {
      const lease = this.#leases.get(key);
      return lease?.holder === by.holder && lease.token === by.tokens.get(key);
    });
    for (const key of renewed) {
      const lease = this.#leases.get(key);
      if (lease !== undefined)
        this.#leases.set(key, { ...lease, expiresAt: this.#now() + Math.round(forMs) });
    }
    return new Set(renewed);
  }

  release(by: LeaseHolder, keys: readonly string[]): void {
    for (const key of keys) {
      const lease = this.#leases.get(key);
      if (lease?.holder === by.holder) this.#leases.set(key, { ...lease, expiresAt: 0 });
      by.tokens.delete(key);
    }
  }

  /** Throws `INDEX_LEASE_LOST` where somebody else holds an item, or has held it since it was claimed. */
  fence({ holder, tokens }: LeaseHolder, keys: Iterable<string>): void {
    for (const key of keys) {
      const lease = this.#leases.get(key);
      const token = tokens.get(key);
      const isHeld =
        lease === undefined
          ? token === undefined
          : lease.holder === holder
            ? token === undefined || lease.token === token
            : token === undefined && lease.expiresAt <= this.#now();
      if (!isHeld) throw leaseLost();
    }
  }

  plan(by: LeaseHolder, documents: readonly PlannedDocument[]): DocumentPlan[] {
    this.fence(by, documents.map(itemKeyOf));
    assertOnce(documents.map(({ documentId }) => documentId));
    assertOnce(documents.flatMap(({ chunks }) => chunks.map(({ chunkId }) => chunkId)));
    for (const { documentId, chunks } of documents)
      for (const { chunkId } of chunks) {
        const other = this.#chunks.get(chunkId)?.facts.documentId ?? documentId;
        if (other !== documentId)
          throw new RAGError('INTERNAL', 'A chunk of one document was planned for another one.');
      }
    return documents.map((document) => this.#begin(document));
  }

  #begin(document: PlannedDocument): DocumentPlan {
    const { documentId, text, chunks, ...facts } = document;
    this.#setPending(document);
    const before = this.#documents.get(documentId);
    const entry: DocumentEntry = before ?? {
      facts: { ...facts, documentId, status: 'pending' },
      chunks: new Map(),
      revisions: new Map(),
    };
    const { indexedAt } = entry.facts;
    entry.facts = {
      ...withoutUndefined({ ...facts, documentId }),
      status: 'pending',
      ...(indexedAt === undefined ? {} : { indexedAt }),
    };
    this.#documents.set(documentId, entry);
    const sequence = 1 + Math.max(0, ...[...entry.revisions.values()].map((revision) => revision.sequence));
    const known = entry.revisions.get(facts.revision);
    if (known !== undefined) known.sequence = sequence;
    else
      entry.revisions.set(facts.revision, {
        sequence,
        isIndexed: false,
        text: decodeText(encodeText(text)),
      });
    const plan = documentPlan(document, entry.chunks);
    const unchanged = new Set(plan.unchanged);
    for (const [ordinal, { chunkId, digest }] of chunks.entries()) {
      const state = unchanged.has(chunkId) ? 'live' : 'planned';
      this.#setChunk(entry, { chunkId, documentId, digest, ordinal, state });
    }
    for (const chunkId of plan.toDelete) {
      const chunk = entry.chunks.get(chunkId);
      if (chunk !== undefined) this.#setChunk(entry, { ...chunk, state: 'stale' });
    }
    return plan;
  }

  commit(by: LeaseHolder, documentIds: readonly string[], at: string): void {
    const entries = this.#entries(by, documentIds);
    if (entries.length !== new Set(documentIds).size)
      throw new RAGError('INTERNAL', 'A document was to be committed before it was planned.');
    for (const entry of entries) {
      for (const chunk of [...entry.chunks.values()])
        if (chunk.state === 'stale') this.#forgetChunk(entry, chunk.chunkId);
        else if (chunk.state === 'planned') this.#setChunk(entry, { ...chunk, state: 'live' });
      entry.facts = { ...entry.facts, status: 'indexed', indexedAt: at };
      this.#pruneRevisions(entry);
    }
  }

  #pruneRevisions({ facts, revisions }: DocumentEntry): void {
    const newest = [...revisions].sort(([, a], [, b]) => b.sequence - a.sequence);
    let kept = 0;
    for (const [name, revision] of newest) {
      const isKept = revision.isIndexed || name === facts.revision;
      kept += isKept ? 1 : 0;
      if (!isKept || kept > this.#keepRevisions) revisions.delete(name);
    }
    const current = revisions.get(facts.revision);
    if (current !== undefined) current.isIndexed = true;
  }

  announce(by: LeaseHolder, items: readonly ItemKey[]): void {
    this.fence(by, items.map(itemKeyOf));
    for (const item of items) if (!this.#items.has(itemKeyOf(item))) this.#setPending(item);
  }

  completeItems(by: LeaseHolder, items: readonly CompletedItem[]): void {
    this.fence(by, items.map(itemKeyOf));
    for (const { tenant, source, itemId, version, processingKey } of items)
      this.#items.set(itemKeyOf({ tenant, source, itemId }), {
        ...{ tenant, source, itemId, version, processingKey },
        status: 'indexed',
        attempts: 0,
      });
  }

  failItem(by: LeaseHolder, { tenant, source, itemId }: ItemKey, failure: LedgerFailure): void {
    const key = itemKeyOf({ tenant, source, itemId });
    this.fence(by, [key]);
    const before = this.#items.get(key);
    const failedBefore = before?.error?.version === failure.version ? (before?.attempts ?? 0) : 0;
    this.#items.set(key, {
      ...before,
      ...{ tenant, source, itemId },
      status: 'failed',
      attempts: 1 + failedBefore,
      error: failure,
    });
  }

  planDeletion(by: LeaseHolder, documentIds: readonly string[]): string[] {
    const entries = this.#entries(by, documentIds);
    return entries.flatMap((entry) => {
      const chunks = this.chunks(entry.facts.documentId);
      for (const chunk of chunks) this.#setChunk(entry, { ...chunk, state: 'stale' });
      entry.facts = { ...entry.facts, status: 'pending' };
      this.#setPending(entry.facts);
      return chunks.map(({ chunkId }) => chunkId);
    });
  }

  forget(by: LeaseHolder, documentIds: readonly string[]): void {
    const entries = this.#entries(by, documentIds);
    for (const { facts, chunks } of entries)
      if ([...chunks.values()].some(({ state }) => state !== 'stale'))
        throw new RAGError(
          'INTERNAL',
          `Document ${facts.documentId} was to be forgotten before its deletion was planned.`,
        );
    for (const { facts, chunks } of entries) {
      for (const chunkId of chunks.keys()) this.#chunks.delete(chunkId);
      this.#documents.delete(facts.documentId);
    }
  }

  forgetItems(by: LeaseHolder, items: readonly ItemKey[]): void {
    this.fence(by, items.map(itemKeyOf));
    for (const item of items) this.#items.delete(itemKeyOf(item));
  }

  pruneVersions(tenant: string, source: string, keep: number, dryRun: boolean): number {
    let pruned = 0;
    for (const { facts, revisions } of this.#documents.values()) {
      if (facts.tenant !== tenant || facts.source !== source) continue;
      const indexed = [...revisions].filter(([, { isIndexed }]) => isIndexed);
      const older = indexed.sort(([, a], [, b]) => b.sequence - a.sequence).slice(keep);
      pruned += older.length;
      if (!dryRun) for (const [name] of older) revisions.delete(name);
    }
    return pruned;
  }

  markMissing(by: LeaseHolder, chunkIds: readonly string[]): void {
    const entries = new Set(chunkIds.flatMap((id) => this.#chunks.get(id) ?? []));
    this.fence(
      by,
      [...entries].map(({ facts }) => itemKeyOf(facts)),
    );
    for (const chunkId of chunkIds) {
      const entry = this.#chunks.get(chunkId);
      const chunk = entry?.chunks.get(chunkId);
      if (entry === undefined || chunk?.state !== 'live') continue;
      this.#setChunk(entry, { ...chunk, state: 'planned' });
      if (entry.facts.status === 'indexed') entry.facts = { ...entry.facts, status: 'outdated' };
      const item = this.#items.get(itemKeyOf(entry.facts));
      if (item?.status === 'indexed')
        this.#items.set(itemKeyOf(entry.facts), { ...item, status: 'outdated' });
    }
  }

  #entries(by: LeaseHolder, documentIds: readonly string[]): DocumentEntry[] {
    const entries = [...new Set(documentIds)].flatMap((id) => this.#documents.get(id) ?? []);
    this.fence(
      by,
      entries.map(({ facts }) => itemKeyOf(facts)),
    );
    return entries;
  }

  #setPending({ tenant, source, itemId }: ItemKey): void {
    const key = itemKeyOf({ tenant, source, itemId });
    const before = this.#items.get(key) ?? { tenant, source, itemId, attempts: 0 };
    this.#items.set(key, { ...before, status: 'pending' });
  }

  #setChunk(entry: DocumentEntry, chunk: LedgerChunk): void {
    entry.chunks.set(chunk.chunkId, chunk);
    this.#chunks.set(chunk.chunkId, entry);
  }

  #forgetChunk(entry: DocumentEntry, chunkId: string): void {
    entry.chunks.delete(chunkId);
    this.#chunks.delete(chunkId);
  }
}

interface MutableSummary {
  readonly tenant: string;
  readonly source: string;
  sourceType: string;
  readonly documents: Record<DocumentStatus, number>;
  failedItems: number;
  chunks: number;
  redactions?: Record<string, number>;
}

const emptySummary = (tenant: string, source: string): MutableSummary => ({
  tenant,
  source,
  sourceType: 'unknown',
  documents: { pending: 0, indexed: 0, failed: 0, outdated: 0 },
  failedItems: 0,
  chunks: 0,
});

function redactionsOf({
  metadata: { redactions },
}: Pick<LedgerDocument, 'metadata'>): Record<string, number> {
  if (typeof redactions !== 'object' || redactions === null || Array.isArray(redactions)) return {};
  return Object.fromEntries(
    Object.entries(redactions).flatMap(([type, count]) =>
      typeof count === 'number' ? [[type, count] as const] : [],
    ),
  );
}

function documentOf({ facts, chunks }: DocumentEntry): LedgerDocument {
  let chunkCount = 0;
  for (const { state } of chunks.values()) if (state !== 'stale') chunkCount += 1;
  return { ...facts, chunkCount };
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;

function page(ids: readonly string[], after: string | undefined, limit: number): string[] {
  const wanted = after === undefined ? [...ids] : ids.filter((id) => compareText(id, after) > 0);
  return wanted.sort(compareText).slice(0, limit);
}

function assertOnce(ids: readonly string[]): void {
  if (new Set(ids).size !== ids.length)
    throw new RAGError('INTERNAL', 'A document or chunk was planned twice in one batch.');
}

export const leaseLost = (): RAGError =>
  new RAGError('INDEX_LEASE_LOST', 'Another process took over what was being written here.');
