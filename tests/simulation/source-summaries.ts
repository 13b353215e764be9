import { compareText } from '../../src/core/filter.js';
import type { MetadataValue } from '../../src/core/metadata.js';
import type {
  DocumentStatus,
  LedgerChunk,
  LedgerDocument,
  LedgerItem,
  SourceSummary,
} from '../../src/ledger/ledger.js';
import { keyOf } from './ledger-keys.js';

interface MutableSummary {
  readonly tenant: string;
  readonly source: string;
  sourceType: string;
  readonly documents: Record<DocumentStatus, number>;
  failedItems: number;
  chunks: number;
  redactions?: Record<string, number>;
  unread?: Record<string, number>;
}

type Facts = Pick<LedgerDocument, 'tenant' | 'source' | 'sourceType' | 'status' | 'metadata'>;

/** What a generation holds of each source, in tenant and source order. */
export function summariesOf(
  items: Iterable<LedgerItem>,
  documents: Iterable<{ readonly facts: Facts; readonly chunks: ReadonlyMap<string, LedgerChunk> }>,
): SourceSummary[] {
  const all = new Map<string, MutableSummary>();
  const of = (tenant: string, source: string): MutableSummary => {
    const found = all.get(keyOf(tenant, source)) ?? emptySummary(tenant, source);
    all.set(keyOf(tenant, source), found);
    return found;
  };
  for (const { tenant, source, error } of items)
    of(tenant, source).failedItems += error === undefined ? 0 : 1;
  for (const { facts, chunks } of documents) {
    const summary = of(facts.tenant, facts.source);
    summary.sourceType = facts.sourceType;
    summary.documents[facts.status] += 1;
    for (const { state } of chunks.values()) summary.chunks += state === 'stale' ? 0 : 1;
    for (const tally of ['redactions', 'unread'] as const)
      for (const [kind, count] of countsOf(facts.metadata[tally]))
        summary[tally] = { ...summary[tally], [kind]: (summary[tally]?.[kind] ?? 0) + count };
  }
  return [...all.values()].sort((a, b) => compareText(a.tenant, b.tenant) || compareText(a.source, b.source));
}

const emptySummary = (tenant: string, source: string): MutableSummary => ({
  tenant,
  source,
  sourceType: 'unknown',
  documents: { pending: 0, indexed: 0, failed: 0, outdated: 0 },
  failedItems: 0,
  chunks: 0,
});

function countsOf(tally: MetadataValue | undefined): [kind: string, count: number][] {
  if (typeof tally !== 'object' || tally === null || Array.isArray(tally)) return [];
  return Object.entries(tally).filter((entry): entry is [string, number] => Number.isInteger(entry[1]));
}
