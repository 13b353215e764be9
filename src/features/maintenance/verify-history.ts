import { RAGError } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import { unpackChunks } from '../../ledger/history/retained-chunks.js';
import type { HistoryVersion, LedgerHistory } from '../../ledger/history.js';
import type { Generation, GenerationReader } from '../../ledger/ledger.js';
import type { Drift } from '../../operations/engine.js';
import { documentsIn } from '../../resources/ledger-rows.js';

const PAGE = 500;

/** What is wrong with a history, and from when on it is sound. */
export interface HistoryCheck {
  readonly drift: readonly Drift[];
  /** After this time nothing is wrong with the past; `Infinity` where what holds now is wrong. Absent where all is well. */
  readonly unsoundUntil?: number;
}

interface Checked {
  readonly reader: GenerationReader;
  readonly facts: Generation;
  readonly scope: Pick<Scope, 'tenant' | 'project'>;
}

/**
 * What is wrong with the history of a scope: what cannot be read, what contradicts itself, and what is in the index and not in it. Nothing where
 * it has not begun. A past version that is missing as a whole cannot be told from a document that was not there.
 */
export async function verifyHistory(
  history: LedgerHistory | undefined,
  checked: Checked,
): Promise<HistoryCheck> {
  if (history === undefined || (await history.begins()) === undefined) return { drift: [] };
  const drift: Drift[] = [];
  let unsoundUntil = 0;
  const damaged = (source: string, detail: string, until = Infinity): void => {
    drift.push({ kind: 'history-damaged', source, detail });
    unsoundUntil = Math.max(unsoundUntil, until);
  };
  if ((await history.generationAt(Number.MAX_SAFE_INTEGER)) !== checked.facts.generation)
    damaged('history', 'The history says that another generation is live than the one that is searched.');
  const present = new Map<string, string>();
  const ends = new Map<string, number>();
  try {
    for await (const version of allVersions(history, checked.scope.tenant)) {
      if (!isOfProject(version, checked.scope)) continue;
      const { documentId, externalId, generation, from, to = Infinity } = version;
      if (generation === checked.facts.generation && to === Infinity)
        present.set(documentId, version.revision);
      const problem = await problemOf(history, version);
      if (problem !== undefined) damaged(externalId, problem, to);
      const key = JSON.stringify([generation, documentId]);
      const before = ends.get(key) ?? 0;
      if (to < from || from < before)
        damaged(externalId, 'Two of its versions were there at one time.', Math.max(to, before));
      ends.set(key, Math.max(to, before));
    }
  } catch (error) {
    // What cannot be read ends the list.
    if (!isDamage(error)) throw error;
    damaged('history', 'Versions of documents cannot be read.');
    return { drift, unsoundUntil };
  }
  for (const [source, detail] of await differences(present, checked)) damaged(source, detail);
  return drift.length === 0 ? { drift } : { drift, unsoundUntil };
}

const isOfProject = (
  { project }: { readonly project?: string | undefined },
  scope: Checked['scope'],
): boolean => scope.project === undefined || project === scope.project;

/** What the index holds and the history does not, and the reverse: documents with what is wrong. */
async function differences(
  present: Map<string, string>,
  { reader, scope }: Checked,
): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for await (const { documentId, tenant, project, externalId, status, revision } of documentsIn(
    reader,
    PAGE,
  )) {
    if (tenant !== scope.tenant || !isOfProject({ project }, scope)) continue;
    const held = present.get(documentId);
    present.delete(documentId);
    // What is being written, or was when a run died, is another matter.
    if (status !== 'indexed' || held === revision) continue;
    const what = held === undefined ? 'nothing' : 'another revision';
    found.push([externalId, `The history holds ${what} as the present one.`]);
  }
  for (const documentId of present.keys())
    found.push([documentId, 'The history holds it as present, and it is not in the index.']);
  return found;
}

async function problemOf(history: LedgerHistory, version: HistoryVersion): Promise<string | undefined> {
  const { id, chunks } = version;
  try {
    const kept = unpackChunks((await history.parts([id])).get(id) ?? [], version);
    return kept === undefined ? `A version has not the ${chunks} chunks that it should have.` : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return 'The chunks of a version are not what was written.';
  }
}

const isDamage = (error: unknown): boolean => RAGError.isInstance(error) && error.reason === 'INDEX_DAMAGED';

/** Lets the history begin where it is sound: after what is damaged, or anew with the next run where what holds now is. */
export async function repairHistory(
  history: LedgerHistory | undefined,
  unsoundUntil: number | undefined,
): Promise<void> {
  if (history === undefined || unsoundUntil === undefined) return;
  if (!Number.isFinite(unsoundUntil)) await history.clear();
  else while ((await history.prune(unsoundUntil, PAGE)) === PAGE);
}
