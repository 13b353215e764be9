import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredChunk } from '../../core/chunk.js';
import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import { throwIfAborted } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import type { Scope } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import type { LedgerDocument } from '../../ledger/ledger.js';
import type { FactRecord } from '../../relations/graph/facts.js';
import type { ReadFacts } from './fact-host.js';
import { FACT_PROMPT_VERSION, type FactPassage } from './fact-prompt.js';

/** Runs that ask about a chunk by themselves; then it is left alone until its text changes. */
export const MOST_ATTEMPTS = 3;
/** A chunk with fewer letters says nothing of anything. */
const LEAST_LETTERS = 20;
const PAGE = 100;

/** Which chunks a run reads. */
export interface WorkRules {
  readonly model: string | undefined;
  readonly retryFailed?: boolean | undefined;
  readonly renew?: boolean | undefined;
}

/** Documents of a scope with what is known of their chunks. */
export interface DocumentWork {
  readonly document: LedgerDocument;
  /** Those that the store holds for certain. */
  readonly chunkIds: readonly string[];
  readonly known: ReadonlyMap<string, FactRecord>;
}

/** Documents of the tenant, and the project where one is stated, whatever their access; other work has a turn between two pages. */
export async function* documentWork(
  { reader, facts }: Pick<ReadFacts, 'reader' | 'facts'>,
  { tenant, project }: Scope,
  signal: AbortSignal,
): AsyncGenerator<DocumentWork> {
  for (let after: string | undefined; ; ) {
    throwIfAborted(signal);
    const page = await reader.documents(after, PAGE);
    const own = page.filter(
      (document) => document.tenant === tenant && (project === undefined || document.project === project),
    );
    const ids = own.map(({ documentId }) => documentId);
    const [chunks, records] = await Promise.all([reader.chunksOf(ids), facts.facts(ids)]);
    for (const document of own) {
      const live = (chunks.get(document.documentId) ?? []).filter(({ state }) => state === 'live');
      const known = records.get(document.documentId) ?? [];
      yield {
        document,
        chunkIds: live.map(({ chunkId }) => chunkId),
        known: new Map(known.map((record) => [record.chunkId, record])),
      };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.documentId;
    await nextTurn();
  }
}

/** Whether a chunk is to be read, by what is kept of it. */
export function isToRead(record: FactRecord | undefined, rules: WorkRules): boolean {
  if (record === undefined) return true;
  if (record.outcome === 'failed') return rules.retryFailed === true || record.attempts < MOST_ATTEMPTS;
  return rules.renew === true && isByOther(record, rules);
}

/** Read by another model, or asked in other words. */
export const isByOther = ({ model, promptVersion }: FactRecord, rules: Pick<WorkRules, 'model'>): boolean =>
  promptVersion !== FACT_PROMPT_VERSION || (rules.model !== undefined && model !== rules.model);

/** A chunk that is to be read. */
export interface ChunkWork extends FactPassage {
  readonly chunkId: string;
  readonly documentId: string;
  readonly externalId: string;
  /** Runs that asked in vain. */
  readonly attempts: number;
}

/** The texts of chunks that are to be read. */
export async function* chunkWork(
  read: ReadFacts,
  {
    scope,
    rules,
    signal,
  }: { readonly scope: Scope; readonly rules: WorkRules; readonly signal: AbortSignal },
): AsyncGenerator<ChunkWork> {
  for await (const { document, chunkIds, known } of documentWork(read, scope, signal)) {
    const wanted = chunkIds.filter((id) => isToRead(known.get(id), rules));
    for (const some of slicesOf(wanted, PAGE)) {
      const chunks = await read.collection.get(some, { signal });
      for (const chunk of chunks)
        yield {
          ...passageOf(chunk),
          chunkId: chunk.id,
          documentId: document.documentId,
          externalId: document.externalId,
          attempts: known.get(chunk.id)?.attempts ?? 0,
        };
    }
  }
}

/** What is encrypted of the metadata is no part of it, for the collection gives it back encrypted. */
const passageOf = (chunk: StoredChunk): FactPassage => ({
  place: [titleOf(chunk), ...headingPathOf(chunk)].filter((part) => part !== undefined).join(' > '),
  content: chunk.content,
});

export const isTooShort = ({ content }: FactPassage): boolean =>
  (content.match(/\p{L}/gu)?.length ?? 0) < LEAST_LETTERS;

/** The same question has the same key; of each tenant another one, so that none is told that another one has the text. */
export const inputKeyOf = (tenant: string, model: string, { place, content }: FactPassage): string =>
  contentHash(JSON.stringify([tenant, model, FACT_PROMPT_VERSION, place, content]));
