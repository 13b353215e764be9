import { RAGError } from '../../core/errors.js';
import { mapInOrder } from '../../core/map-in-order.js';
import { scopeOf } from '../../core/scope.js';
import { deploymentIdOf, RagDeploymentModel } from '../../operations/deployment-model.js';
import type { EncryptionRotation, Engine, EngineHealth } from '../../operations/engine.js';
import type { DeploymentRecord, DeploymentRecords } from './deployment-records.js';
import { alone, type Moving } from './move-tenant.js';

/** An index that a tenant has of its own, and whether it can be used. For operators. */
export interface DeploymentHealth {
  readonly deploymentId: string;
  /** Absent where the deployment cannot be read. */
  readonly tenantId?: string | undefined;
  readonly model?: RagDeploymentModel | undefined;
  readonly ok: boolean;
  /** What is wrong and what to do, in words that name places and settings. */
  readonly detail: string;
}

/** What a rotation of keys did in all indexes. */
export interface DeploymentsRotation extends EncryptionRotation {
  /** Indexes beside the shared one. */
  readonly deployments: readonly (EncryptionRotation & { readonly tenantId: string })[];
  /** What was not done: an older key is needed as long. */
  readonly problems: readonly { readonly tenantId?: string | undefined; readonly message: string }[];
}

/** Indexes that are looked at at once. */
const AT_ONCE = 8;

/** Looks at each index that a tenant has of its own; one that does not answer holds up none of the others. */
export async function healthOf(
  records: readonly DeploymentRecord[],
  check: (record: DeploymentRecord) => Promise<EngineHealth>,
): Promise<DeploymentHealth[]> {
  const all: DeploymentHealth[] = [];
  for await (const one of mapInOrder(records.filter(isOwn), AT_ONCE, async (record) => {
    const { tenantId, model, isActive } = record.deployment;
    const facts = { deploymentId: deploymentIdOf(tenantId), tenantId, model };
    if (!isActive) return { ...facts, ok: true, detail: 'It is not active and serves no calls.' };
    try {
      const { ok, parts } = await check(record);
      const failed = parts.filter((part) => !part.ok).map(({ part, detail }) => `${part}: ${detail}`);
      return { ...facts, ok, detail: ok ? 'It answers.' : failed.join(' ') };
    } catch (error) {
      return { ...facts, ok: false, detail: wordsOf(error) };
    }
  }))
    all.push(one);
  return all;
}

export const isOwn = ({ deployment }: DeploymentRecord): boolean =>
  deployment.model !== RagDeploymentModel.Shared;

/** What operators are told of a failure. */
export const wordsOf = (error: unknown): string =>
  RAGError.isInstance(error) ? error.message : 'It could not be used; the log of the service may say more.';

/** Rotates the keys of the index of a tenant, or where none is named of all; what is wrong with one holds up none of the others. */
export async function rotateIndexes(
  {
    records,
    shared,
    tenantId,
  }: {
    readonly records: DeploymentRecords;
    readonly shared: Engine;
    readonly tenantId: string | undefined;
  },
  movingOf: (tenantId: string) => Moving,
): Promise<DeploymentsRotation> {
  const problems: DeploymentsRotation['problems'][number][] = [];
  const isAll = tenantId === undefined;
  const before = records.list({ onDamaged: (_, error) => problems.push({ message: wordsOf(error) }) });
  const tenants = isAll
    ? before.filter(isOwn).map(({ deployment }) => deployment.tenantId)
    : [scopeOf({ tenant: tenantId }).tenant];
  const deployments: DeploymentsRotation['deployments'][number][] = [];
  for (const one of tenants)
    try {
      deployments.push({ tenantId: one, ...(await rotateTenant(movingOf(one))) });
    } catch (error) {
      problems.push({ tenantId: one, message: wordsOf(error) });
    }
  const ofShared = isAll ? await rotated(() => shared.rotateEncryption()) : NOT_ROTATED;
  const stampOf = (all: readonly DeploymentRecord[]): string =>
    JSON.stringify(all.map(({ deployment, revision }) => [deployment.tenantId, revision]));
  if (isAll && stampOf(before) !== stampOf(records.list({ onDamaged: () => undefined })))
    problems.push({
      message: 'Deployments were changed meanwhile, so documents may have moved. Rotate again.',
    });
  for (const { tenantId: one, unfinished } of [...deployments, { ...ofShared, tenantId: undefined }])
    if (unfinished !== undefined) problems.push({ tenantId: one, message: leftUnfinished(unfinished) });
  const sum = (key: 'documents' | 'rewritten'): number =>
    deployments.reduce((total, one) => total + one[key], ofShared[key]);
  const { removedTries } = ofShared;
  return {
    documents: sum('documents'),
    rewritten: sum('rewritten'),
    ...(removedTries === undefined ? {} : { removedTries }),
    deployments,
    problems,
  };
}

/** Rotates the keys of a tenant's own index while it is not moved: what is copied meanwhile would keep the old key. */
const rotateTenant = (moving: Moving): Promise<EncryptionRotation> =>
  alone(moving, async () => {
    const record = moving.records.read(moving.tenantId);
    if (record.move !== undefined)
      throw new RAGError(
        'DEPLOYMENT_CONFLICT',
        'The tenant is being moved. Complete the move (`ragstone deployments move`, or `ragstone serve`), then rotate again.',
      );
    if (!isOwn(record))
      throw new RAGError(
        'DEPLOYMENT_CONFLICT',
        'The tenant has the shared index: rotate without `--tenant`, for that is of all tenants.',
      );
    return moving.use(record, ({ engine }) => rotated(() => engine.rotateEncryption()));
  });

/** Nothing was there, or nothing was asked for. */
const NOT_ROTATED: EncryptionRotation = { documents: 0, rewritten: 0 };

/** Names that a message holds. */
const NAMED = 5;

/** What is to be done about documents that a rotation left as they are. */
function leftUnfinished(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => JSON.stringify(name));
  const count = names.length === 1 ? '1 document was' : `${names.length} documents were`;
  return `${count} left in clear or under an older key, half written or damaged: ${shown.join(', ')}${names.length > NAMED ? ', ...' : ''}. Index their source, or push them, again, and rotate once more.`;
}

/** An index that holds nothing needs no key. */
async function rotated(work: () => Promise<EncryptionRotation>): Promise<EncryptionRotation> {
  try {
    return await work();
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return NOT_ROTATED;
    throw error;
  }
}
