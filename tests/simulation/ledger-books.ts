import { RAGError } from '../../src/core/errors.js';
import { compareText } from '../../src/core/filter.js';
import { documentPlan } from '../../src/ledger/document-plan.js';
import type {
  CompletedItem,
  DocumentHead,
  DocumentPlan,
  Generation,
  ItemKey,
  LedgerChunk,
  LedgerDocument,
  LedgerItem,
  PlannedDocument,
  SourceSummary,
} from '../../src/ledger/ledger.js';
import { LISTING, type PendingBatch, type PendingItem } from '../../src/ledger/pending-work.js';
import type { LedgerFailure, SourceState } from '../../src/ledger/source-state.js';
import { decodeText, encodeText } from '../../src/ledger/text-encoding.js';
import type { StatementFilling } from '../../src/relations/conflicts/statement-rows.js';
import type {
  GraphFilling,
  GraphPage,
  GraphRows,
  NameHit,
  ReferenceHit,
} from '../../src/relations/graph/graph.js';
import type { LeaseAudit } from './lease-audit.js';
import { itemKeyOf, keyOf } from './ledger-keys.js';
import { type LeaseHolder, LedgerLeases } from './ledger-leases.js';
import { PendingBooks } from './pending-books.js';
import { summariesOf } from './source-summaries.js';

export interface LedgerBooksOptions {
  /** Milliseconds since 1970; leases are measured by it. */
  readonly now: () => number;
  readonly keepRevisions: number;
  /** Told of claims, and of writes that were let through. @default nobody */
  readonly audit?: LeaseAudit | undefined;
}

interface Revision {
  sequence: number;
  isIndexed: boolean;
  readonly text: string;
}

interface DocumentEntry {
  graph: GraphRows | undefined;
  statements: Uint8Array | undefined;
  facts: Omit<LedgerDocument, 'chunkCount'>;
  readonly chunks: Map<string, LedgerChunk>;
  readonly revisions: Map<string, Revision>;
}

/** One generation in memory. Every method is one step: it is done whole, or throws and changes nothing. */
export class LedgerBooks {
  facts: Generation;
  readonly #keepRevisions: number;
  readonly #items = new Map<string, LedgerItem>();
  readonly #documents = new Map<string, DocumentEntry>();
  /** The document of each chunk. */
  readonly #chunks = new Map<string, DocumentEntry>();
  readonly #leases: LedgerLeases;
  readonly #audit: LeaseAudit | undefined;
  readonly pending = new PendingBooks();
  readonly #cursors = new Map<string, string>();
  readonly #states = new Map<string, readonly [tenant: string, source: string, state: SourceState]>();
  learned: Uint8Array | undefined;

  constructor(facts: Generation, { now, keepRevisions, audit }: LedgerBooksOptions) {
    this.facts = facts;
    this.#leases = new LedgerLeases(now);
    this.#audit = audit;
    this.#keepRevisions = keepRevisions;
  }

  /** Empties it: it was dropped, and what still reads it finds nothing. */
  drop(): void {
    for (const map of [
      this.#items,
      this.#documents,
      this.#chunks,
      this.#leases,
      this.pending,
      this.#cursors,
      this.#states,
    ])
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
    this.pending.forgetSource(tenant, source);
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

  called(tenant: string, name: string): LedgerDocument[] {
    const isCalled = ({ documentId, externalId }: LedgerDocument): boolean =>
      [documentId, externalId].includes(name) ||
      externalId.endsWith(`/${name}`) ||
      name.endsWith(`/${externalId}`);
    return this.documents(undefined, Infinity).filter(
      (document) => document.tenant === tenant && isCalled(document),
    );
  }

  heads(tenant: string, after: string | undefined, limit: number): DocumentHead[] {
    const own = this.documents(after, Infinity).filter((document) => document.tenant === tenant);
    return own.slice(0, limit).map(({ documentId, source, status, metadata, indexedAt }) => {
      const firstChunk = this.firstChunks([documentId]).get(documentId);
      return {
        ...{ documentId, source, status, metadata },
        ...(indexedAt === undefined ? {} : { indexedAt }),
        ...(firstChunk === undefined ? {} : { firstChunk }),
      };
    });
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

  graphRows(documentIds: readonly string[]): Map<string, GraphRows> {
    return new Map(
      documentIds.flatMap((id) => {
        const graph = this.#documents.get(id)?.graph;
        return graph === undefined ? [] : [[id, graph] as const];
      }),
    );
  }

  named(tenant: string, names: readonly string[], of: GraphPage): NameHit[] {
    return names.flatMap((name) =>
      this.#graphed(tenant, of.after)
        .filter(([, graph]) => graph.names.includes(name))
        .slice(0, of.limit)
        .map(([documentId]) => ({ name, documentId })),
    );
  }

  referring(tenant: string, names: readonly string[], of: GraphPage): ReferenceHit[] {
    return names.flatMap((name) =>
      this.#graphed(tenant, of.after)
        .flatMap(([documentId, { references }]) =>
          references.flatMap(({ kind, target }) => (target === name ? { name, documentId, kind } : [])),
        )
        .slice(0, of.limit),
    );
  }

  /** Documents of a tenant with their rows, in the order of their ids. */
  #graphed(tenant: string, after: string | undefined): (readonly [string, GraphRows])[] {
    return page([...this.#documents.keys()], after, Infinity).flatMap((id) => {
      const entry = this.#documents.get(id);
      return entry?.graph === undefined || entry.facts.tenant !== tenant ? [] : [[id, entry.graph] as const];
    });
  }

  firstChunks(documentIds: readonly string[]): Map<string, string> {
    return new Map(
      documentIds.flatMap((id) => {
        const first = this.chunks(id).find(({ state }) => state === 'live');
        return first === undefined ? [] : [[id, first.chunkId] as const];
      }),
    );
  }

  unread(tenant: string, { limit, after }: GraphPage): string[] {
    const ids = [...this.#documents].flatMap(([id, { graph, facts }]) =>
      graph === undefined && facts.tenant === tenant ? id : [],
    );
    return page(ids, after, limit);
  }

  fillGraph({ documentId, revision, graph }: GraphFilling): boolean {
    const entry = this.#documents.get(documentId);
    if (entry === undefined || entry.graph !== undefined || entry.facts.revision !== revision) return false;
    entry.graph = graph;
    return true;
  }

  packedStatements(tenant: string, { limit, after }: GraphPage): StatementFilling[] {
    const all = [...this.#documents].flatMap(([documentId, { statements: packed, facts }]) =>
      packed === undefined || facts.tenant !== tenant
        ? []
        : [[documentId, { documentId, revision: facts.revision, packed }] as const],
    );
    const byId = new Map(all);
    return page([...byId.keys()], after, limit).flatMap((id) => byId.get(id) ?? []);
  }

  notExamined(tenant: string, { limit, after }: GraphPage): string[] {
    const ids = [...this.#documents].flatMap(([id, { statements, facts }]) =>
      statements === undefined && facts.tenant === tenant ? id : [],
    );
    return page(ids, after, limit);
  }

  fillStatements(fillings: readonly StatementFilling[]): number {
    let filled = 0;
    for (const { documentId, revision, packed } of fillings) {
      const entry = this.#documents.get(documentId);
      if (entry === undefined || entry.statements !== undefined || entry.facts.revision !== revision)
        continue;
      entry.statements = packed;
      filled++;
    }
    return filled;
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
    return summariesOf(this.#items.values(), this.#documents.values());
  }

  isHeld(key: string): boolean {
    return this.#leases.isHeld(key);
  }

  claim(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    const claimed = this.#leases.claim(by, keys, forMs);
    this.#audit?.claimed(this.facts.generation, by.holder, claimed);
    return claimed;
  }

  renew(by: LeaseHolder, keys: readonly string[], forMs: number): Set<string> {
    return this.#leases.renew(by, keys, forMs);
  }

  release(by: LeaseHolder, keys: readonly string[]): void {
    this.#leases.release(by, keys);
    this.#audit?.released(this.facts.generation, by.holder, keys);
  }

  /** Lets a write of these items through, or throws `INDEX_LEASE_LOST`. */
  #guard(by: LeaseHolder, keys: readonly string[]): void {
    this.#leases.fence(by, keys);
    this.#audit?.accepted(this.facts.generation, by.holder, keys);
  }

  /** The holder that lists a source adds its items. */
  add(by: LeaseHolder, of: Omit<PendingBatch, 'batch'>, items: readonly Omit<PendingItem, 'begun'>[]): void {
    const { tenant, source } = of;
    this.#guard(by, [itemKeyOf({ tenant, source, itemId: LISTING })]);
    this.pending.add(of, items);
  }

  plan(by: LeaseHolder, documents: readonly PlannedDocument[]): DocumentPlan[] {
    this.#guard(by, documents.map(itemKeyOf));
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
    const { documentId, text, chunks, graph, ...facts } = document;
    this.#setPending(document);
    const before = this.#documents.get(documentId);
    const entry: DocumentEntry = before ?? {
      facts: { ...facts, documentId, status: 'pending' },
      chunks: new Map(),
      revisions: new Map(),
      graph,
      statements: undefined,
    };
    entry.graph = graph;
    if (entry.facts.revision !== document.revision) entry.statements = undefined;
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
    // Another holder that took an item over may have deleted its documents.
    if (entries.length !== new Set(documentIds).size) this.#guard(by, [...by.tokens.keys()]);
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
    this.#guard(by, items.map(itemKeyOf));
    for (const item of items) if (!this.#items.has(itemKeyOf(item))) this.#setPending(item);
  }

  completeItems(by: LeaseHolder, items: readonly CompletedItem[]): void {
    this.#guard(by, items.map(itemKeyOf));
    for (const { tenant, source, itemId, version, processingKey } of items)
      this.#items.set(itemKeyOf({ tenant, source, itemId }), {
        ...{ tenant, source, itemId, version, processingKey },
        status: 'indexed',
        attempts: 0,
      });
    this.pending.settle(items);
  }

  failItem(by: LeaseHolder, { tenant, source, itemId }: ItemKey, failure: LedgerFailure): void {
    const key = itemKeyOf({ tenant, source, itemId });
    this.#guard(by, [key]);
    const before = this.#items.get(key);
    const failedBefore = before?.error?.version === failure.version ? (before?.attempts ?? 0) : 0;
    this.#items.set(key, {
      ...before,
      ...{ tenant, source, itemId },
      status: 'failed',
      attempts: 1 + failedBefore,
      error: failure,
    });
    if (failure.version !== undefined)
      this.pending.settle([{ tenant, source, itemId, version: failure.version }]);
  }

  planDeletion(by: LeaseHolder, documentIds: readonly string[]): string[] {
    const entries = this.#entries(by, documentIds);
    return entries.flatMap((entry) => {
      const chunks = this.chunks(entry.facts.documentId);
      for (const chunk of chunks) this.#setChunk(entry, { ...chunk, state: 'stale' });
      const { indexedAt: _, ...facts } = entry.facts;
      entry.facts = { ...facts, status: 'pending' };
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
    this.#guard(by, items.map(itemKeyOf));
    for (const item of items) this.#items.delete(itemKeyOf(item));
    this.pending.settle(items);
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
    this.#guard(
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
    this.#guard(
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
