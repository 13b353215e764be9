import { documentIdOf } from '../core/ids.js';
import type { Scope } from '../core/scope.js';
import { pushSourceName } from '../indexing/folder-names.js';
import type { IndexRequest, IndexResult } from '../operations/engine.js';
import type { AskedIndexing } from '../resources/traced-indexing.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import type { GroupedWrite } from './write-groups.js';

/** Documents to write and ids of documents to delete. */
export interface PushRequest {
  readonly documents: readonly PushedDocument[];
  readonly deleted: readonly string[];
}

/** The request as a push, where it is nothing else and leaves the way to the engine. */
export function asPush(request: IndexRequest): PushRequest | undefined {
  const { sources, paths, documents, deleted = [], options = {}, onProgress } = request;
  const { force = false, dryRun = false, prune = false, batchSize, transactionChunks, parallel } = options;
  const others = [sources, paths, onProgress, batchSize, transactionChunks, parallel];
  if (documents === undefined || others.some((part) => part !== undefined)) return undefined;
  return force || dryRun || prune !== false ? undefined : { documents, deleted };
}

/** Ids of the documents that are written or deleted. */
const touchedBy = ({ documents, deleted }: PushRequest, { tenant, project }: Scope): string[] =>
  [...documents.map(({ id }) => id), ...deleted].map((id) =>
    documentIdOf(tenant, pushSourceName(project), id),
  );

/** What pushes say of themselves before they begin. */
export const askedPush = ({ tenant, project }: Scope): AskedIndexing => ({
  kind: 'push',
  tenant,
  sources: [pushSourceName(project)],
});

/** Bytes of the texts, about. */
const sizeOf = ({ documents }: PushRequest): number =>
  documents.reduce((sum, { text = '', bytes }) => sum + (bytes?.length ?? text.length), 0);

/** A push, or a deletion of documents by name, that may go together with others. */
export interface EngineWrite extends GroupedWrite {
  readonly scope: Scope;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly waitMs: number | undefined;
  readonly work: { readonly push: PushRequest } | { readonly names: readonly string[] };
}

/** Of a push its result, of a deletion how many documents. */
export type WriteOutcome = { readonly pushed: IndexResult } | { readonly deleted: number };

export const pushWrite = (push: PushRequest, scope: Scope, waitMs: number | undefined): EngineWrite => ({
  kind: JSON.stringify(['push', waitMs ?? 0, nameOf(scope)]),
  touches: touchedBy(push, scope),
  size: sizeOf(push),
  scope,
  waitMs,
  work: { push },
});

export const deletionWrite = (names: readonly string[], scope: Scope): EngineWrite => ({
  kind: JSON.stringify(['delete', nameOf(scope)]),
  // A name is that of a document, or the one that it was pushed under.
  touches: names.flatMap((name) => [name, documentIdOf(scope.tenant, pushSourceName(scope.project), name)]),
  size: 0,
  scope,
  waitMs: undefined,
  work: { names },
});

/** Who differs in any right or place writes apart. */
const nameOf = ({ tenant, project, groups, clearance }: Scope) => [
  tenant,
  project ?? null,
  [...groups].sort(),
  clearance,
];
