import { rmSync } from 'node:fs';
import { RAGError } from '../../core/errors.js';
import { isoNow } from '../../core/runtime.js';
import { copyFeedback, removeFeedback } from '../../features/feedback/move-feedback.js';
import { Receipts } from '../../features/forgetting/receipts.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import { RagDeploymentModel } from '../../operations/deployment-model.js';
import {
  beginIndex,
  copyForgottenNames,
  countDocuments,
  DocumentCopier,
  eraseServed,
  removeDocuments,
  removeTraces,
} from './copy-documents.js';
import { placeOf, type StoredDeployment } from './deployment-config.js';
import type { MeantIndex, OpenIndex } from './deployment-indexes.js';
import type { DeploymentRecord, DeploymentRecords } from './deployment-records.js';
import { removeFileKey } from './file-key.js';
import { claimPlace, holdsOthers, isOwnPlace, releasePlace } from './place-claim.js';
import type { WriteGate } from './write-gate.js';

/** What a move works with. */
export interface Moving {
  readonly tenantId: string;
  readonly records: DeploymentRecords;
  readonly gate: WriteGate;
  readonly use: <Result>(meant: MeantIndex, work: (index: OpenIndex) => Promise<Result>) => Promise<Result>;
  readonly signal?: AbortSignal | undefined;
}

/** What a move did. */
export interface MoveReport {
  readonly tenantId: string;
  readonly model: RagDeploymentModel;
  /** Documents that the new index got. */
  readonly copied: number;
  /** Documents of configured sources, by source: they stay in the old index, and this tenant finds them no longer. */
  readonly left: Readonly<Record<string, number>>;
}

/** Longest wait for writes under way, in milliseconds. */
const GATE_WAIT_MS = 300_000;

/**
 * Moves a tenant. Each step is on the disk before the next begins, so that a half-done move is gone on with:
 *
 * 1. `copying` is recorded with the target. The old index serves; documents are copied.
 * 2. The gate is closed: no writes. What changed meanwhile is copied, with what was forgotten.
 * 3. One replaced file makes the target serve, and records `cleaning` of the old index. The gate is opened.
 * 4. The old copy is removed, and `cleaning` is forgotten.
 */
export async function moveTenant(target: StoredDeployment, moving: Moving): Promise<MoveReport> {
  return alone(moving, async () => {
    const before = moving.records.read(moving.tenantId);
    if (before.move?.stage === 'cleaning') {
      await clean(before, moving);
      // The same move, asked for again because its last step had failed.
      if (placeOf(before.deployment) === placeOf(target)) return cleaned(before);
    }
    const now = moving.records.read(moving.tenantId);
    if (placeOf(now.deployment) === placeOf(target))
      throw new RAGError(
        'DEPLOYMENT_CONFLICT',
        `The documents of tenant ${JSON.stringify(moving.tenantId)} are there already. To change anything else of the deployment, save it.`,
      );
    // A move to elsewhere that was never completed: what it copied is removed.
    if (now.move !== undefined && placeOf(now.move.other) !== placeOf(target)) await clean(now, moving);
    const goesOn = moving.records.read(moving.tenantId).move !== undefined;
    if (!goesOn) await assertEmpty({ deployment: target, revision: now.revision + 1 }, moving);
    const startedAt = moving.records.read(moving.tenantId).move?.startedAt ?? isoNow();
    const record = await moving.records.change(moving.tenantId, ({ deployment }) => ({
      deployment,
      move: { stage: 'copying', other: target, startedAt },
    }));
    return copyAndSwitch(record, moving);
  });
}

/** Goes on with a move that was interrupted; undefined where there is none any more. */
export async function resumeMove(moving: Moving): Promise<MoveReport | undefined> {
  return alone(moving, async () => {
    const record = moving.records.read(moving.tenantId);
    const { move } = record;
    if (move === undefined) return undefined;
    if (move.stage === 'copying') return copyAndSwitch(record, moving);
    await clean(record, moving);
    return cleaned(record);
  });
}

const cleaned = ({ deployment: { tenantId, model } }: DeploymentRecord): MoveReport => ({
  ...{ tenantId, model },
  copied: 0,
  left: {},
});

async function copyAndSwitch(record: DeploymentRecord, moving: Moving): Promise<MoveReport> {
  const { tenantId, records, gate, use, signal } = moving;
  const { deployment, move } = record;
  if (move === undefined) throw new RAGError('INTERNAL', 'A move without a target.');
  const target = targetOf(record);
  const report = await use(record, async (from) =>
    use(target, async (to) => {
      const copy = { ...{ tenant: tenantId, signal }, from: from.resources, to: to.resources };
      const copier = new DocumentCopier(copy);
      await finishForgetting(tenantId, from);
      await claimPlace(target.deployment, to.resources);
      await beginIndex(to.resources, signal);
      let { copied } = await copier.pass({ isExact: false });
      await copier.finish();
      const { ofSources } = await countDocuments(from.resources, tenantId);
      const open = await gate.close({ waitMs: GATE_WAIT_MS, signal });
      try {
        await finishForgetting(tenantId, from);
        copied += (await copier.pass({ isExact: true })).copied;
        gate.forget(gate.marks());
        await copyForgottenNames(copy, move.startedAt);
        // Feedback is a write, and waits at the gate.
        copyFeedback(tenantId, from.resources.config.dataDir, to.resources.config.dataDir);
        await records.change(tenantId, (now) => {
          if (now.revision !== record.revision) throw interrupted(tenantId);
          return {
            deployment: { ...move.other, updatedAt: isoNow() },
            move: { stage: 'cleaning', other: deployment, startedAt: move.startedAt },
          };
        });
      } finally {
        open();
      }
      return { tenantId, model: move.other.model, copied, left: ofSources };
    }),
  );
  await clean(records.read(tenantId), moving);
  return report;
}

/** What is half forgotten would be copied, and the plan of it removed with the index. */
async function finishForgetting(tenant: string, { engine, resources }: OpenIndex): Promise<void> {
  const isLeft = (): boolean =>
    new Receipts(resources.config.dataDir).unfinished().some(({ receipt }) => receipt.tenant === tenant);
  if (!isLeft()) return;
  const problems = await engine.resumeForgetting();
  if (isLeft())
    throw new RAGError(
      'DEPLOYMENT_CONFLICT',
      `Something of tenant ${JSON.stringify(tenant)} is half forgotten in its present index: ${problems.join(' ')} Finish that (\`ragstone forget --resume\`), then move the tenant.`,
    );
}

/** Removes what is left at the other place of a move, and forgets the move. */
async function clean(record: DeploymentRecord, moving: Moving): Promise<void> {
  const { tenantId, records } = moving;
  await removeCopy(record, moving);
  await records.change(tenantId, ({ deployment, move }) => (move === undefined ? undefined : { deployment }));
}

async function removeCopy(
  record: DeploymentRecord,
  { tenantId, records, use, signal }: Moving,
): Promise<void> {
  const target = targetOf(record);
  const isShared = target.deployment.model === RagDeploymentModel.Shared;
  await use(target, async ({ engine, resources }) => {
    if (isShared) {
      await removeDocuments(resources, tenantId, signal);
      removeFeedback(tenantId, resources.config.dataDir);
      await removeTraces(resources, tenantId, signal);
    } else {
      await removeIndex(target.deployment, { engine, resources }, signal);
      await eraseServed(resources, tenantId, signal);
    }
  });
  if (!isShared) rmSync(records.indexFolder(target.deployment), { recursive: true, force: true });
}

/**
 * An index that is the tenant's alone is dropped with all it made in its store. Its ledger is emptied last: a death before that leaves
 * the names of what is to be dropped. The index is not read any more, so no search finds the ledger ahead of the store. What is there of
 * others stays.
 */
export async function removeIndex(
  deployment: StoredDeployment,
  { engine, resources }: OpenIndex,
  signal?: AbortSignal,
): Promise<void> {
  const { tenantId } = deployment;
  if (!(await isOwnPlace(deployment, resources))) return;
  if (await holdsOthers(tenantId, resources)) {
    await removeDocuments(resources, tenantId, signal);
    await removeTraces(resources, tenantId, signal);
    return;
  }
  const generations = (await (await resources.ledger.reading())?.generations()) ?? [];
  for (const facts of generations) await (await resources.stores.of(facts)).drop(facts.collection);
  if (generations.length > 0) await engine.clear();
  await releasePlace(resources);
  if (resources.config.fileKey === undefined) return;
  // No file is left that only this key opens: one that cannot be read would hold up what comes next.
  await resources.discardLedger();
  await removeFileKey((await resources.stores.configured()).store);
}

/** What a tenant has there already would be replaced by what it has now, and so be lost. */
async function assertEmpty(target: MeantIndex, { tenantId, use }: Moving): Promise<void> {
  const { pushed } = await use(target, ({ resources }) => countDocuments(resources, tenantId));
  if (pushed === 0) return;
  throw new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The index that the tenant ${JSON.stringify(tenantId)} would be moved to holds ${pushed} documents of it already, which the move would remove or replace. Name another index, or remove them there.`,
  );
}

/** A revision of its own, so that it is opened apart from what serves. */
function targetOf({ move, revision }: DeploymentRecord): MeantIndex {
  if (move === undefined) throw new RAGError('INTERNAL', 'A move without a target.');
  return { deployment: move.other, revision };
}

const interrupted = (tenantId: string): RAGError =>
  new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The deployment of tenant ${JSON.stringify(tenantId)} was changed while it was moved. Ask for the move again.`,
  );

/** One process moves a tenant at a time; its death frees the tenant. */
export async function alone<Result>(
  { tenantId, records, signal }: Moving,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = { command: 'ragstone deployments move' };
  const lock = await acquireWriterLock({ folder: records.folderOf(tenantId), holder, waitMs: 0, signal });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
