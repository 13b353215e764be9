import type { ResolvedConfig } from '../config/resolved-config.js';
import { ageMs } from '../core/age.js';
import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import type { Drift } from '../engine/engine.js';
import { allVersions } from '../history/all-versions.js';
import type { HistoryStatus } from '../history/as-of-report.js';
import { unpackChunks } from '../history/kept-chunks.js';
import type { LedgerHistory } from '../ledger/history.js';
import type { GenerationReader, IndexFacts, Ledger } from '../ledger/ledger.js';

const PAGE = 500;

/** What history is kept; undefined where none is. */
export async function readHistory(
  { history }: Pick<Ledger, 'history'>,
  { rag }: ResolvedConfig,
): Promise<HistoryStatus | undefined> {
  const { keep } = rag.history;
  if (keep === undefined || history === undefined) return undefined;
  const { begins, versions, past, bytes } = await history.summary();
  const earliest = begins === undefined ? undefined : Math.max(begins, runtime().now() - ageMs(keep));
  return {
    keep,
    ...(earliest === undefined ? {} : { begins: new Date(earliest).toISOString() }),
    ...{ past, present: versions - past, bytes },
  };
}

/** What is wrong with the history of a scope: what cannot be read, and what is in the index and not in it. Nothing where it has not begun. */
export async function verifyHistory(
  history: LedgerHistory | undefined,
  {
    reader,
    facts,
    scope,
  }: { reader: GenerationReader; facts: IndexFacts; scope: Pick<Scope, 'tenant' | 'project'> },
): Promise<Drift[]> {
  if (history === undefined || (await history.begins()) === undefined) return [];
  const drift: Drift[] = [];
  const present = new Map<string, string>();
  for await (const version of allVersions(history, scope.tenant)) {
    if (scope.project !== undefined && version.project !== scope.project) continue;
    if (version.generation === facts.generation && version.to === undefined)
      present.set(version.documentId, version.revision);
    const problem = await problemOf(history, version);
    if (problem !== undefined) drift.push(damage(version.externalId, problem));
  }
  for (let after: string | undefined; ; ) {
    const page = await reader.documents(after, PAGE);
    for (const { documentId, tenant, project, externalId, status, revision } of page) {
      if (tenant !== scope.tenant || (scope.project !== undefined && project !== scope.project)) continue;
      const held = present.get(documentId);
      present.delete(documentId);
      // What is being written, or was when a run died, is another matter.
      if (status !== 'indexed' || held === revision) continue;
      const what = held === undefined ? 'nothing' : 'another revision';
      drift.push(damage(externalId, `The history holds ${what} as the present one.`));
    }
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) break;
  }
  for (const documentId of present.keys())
    drift.push(damage(documentId, 'The history holds it as present, and it is not in the index.'));
  return drift;
}

async function problemOf(
  history: LedgerHistory,
  { id, chunks }: { readonly id: number; readonly chunks: number },
): Promise<string | undefined> {
  try {
    const kept = unpackChunks((await history.parts([id])).get(id) ?? []);
    return kept.length === chunks ? undefined : `A version has ${kept.length} chunks in place of ${chunks}.`;
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return error.message;
  }
}

const damage = (source: string, detail: string): Drift => ({ kind: 'history-damaged', source, detail });
