import { messageOf, RAGError } from '../../core/errors.js';
import { madeWhenAsked } from '../../core/made-once.js';
import { isoNow } from '../../core/runtime.js';
import { type Scope, type ScopeInput, scopeOf } from '../../core/scope.js';
import { deploymentIdOf, RagDeploymentModel } from '../../operations/deployment-model.js';
import type { Engine, EngineHealth, EngineView, HealthOptions } from '../../operations/engine.js';
import type { MonitoringPlan } from '../../operations/monitoring-plan.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { isAllowedSecret, secretNotAllowed } from './allowed-secrets.js';
import {
  deploymentOf,
  type KnowledgeDeploymentInput,
  placeOf,
  type StoredDeployment,
} from './deployment-config.js';
import {
  DeploymentIndexes,
  type IndexLimits,
  type MeantIndex,
  type OpenIndex,
} from './deployment-indexes.js';
import {
  type DeploymentRecord,
  DeploymentRecords,
  type KnowledgeDeploymentConfig,
  shown,
} from './deployment-records.js';
import { assertOwnIndexes, type DeploymentParts, type OpenCustomerStore } from './deployment-settings.js';
import type { FinishedWrites } from './finish-writes.js';
import type { DeploymentHealth, DeploymentsRotation } from './maintain-indexes.js';
import type { MoveReport, Moving } from './move-tenant.js';
import { routedView } from './routed-view.js';
import type { TenantIndex, TenantIndexes } from './tenant-indexes.js';
import type { DeploymentValidationResult } from './validate-deployment.js';
import { WriteGate } from './write-gate.js';

// What the shared index is searched without is loaded when it is first asked for.
const copying = madeWhenAsked(() => import('./copy-documents.js'));
const maintenance = madeWhenAsked(() => import('./maintain-indexes.js'));
const moves = madeWhenAsked(() => import('./move-tenant.js'));

/** Which deployments there can be beside the shared index, and how many stay open. */
export interface KnowledgeDeploymentOptions extends Partial<IndexLimits> {
  /** Stores of customers of kinds that Ragstone does not have, by the name that `provider` states. */
  readonly customerStores?: Readonly<Record<string, OpenCustomerStore>> | undefined;
}

/** A deployment that cannot be read: its tenant, which it would name, is not served. */
export interface DamagedDeployment {
  readonly deploymentId: string;
  /** Which file it is and how it is mended, for operators. */
  readonly message: string;
}

/** How deployments are listed. */
export interface DeploymentListOptions {
  /** Told of each that cannot be read. */
  readonly onDamaged?: ((damaged: DamagedDeployment) => void) | undefined;
}

/** Which index has its keys rotated. */
export interface RotateOptions {
  /** One that has an index of its own. @default all indexes */
  readonly tenantId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How interrupted moves go on. */
export interface ResumeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProblem?: ((tenantId: string, error: unknown) => void) | undefined;
}

const IDLE_MS = 600_000;
/** Longest wait of a write for a move to end, in milliseconds. */
const GATE_WAIT_MS = 60_000;

/**
 * Where the documents of each tenant are, and the way to them. A tenant without a deployment has the shared index.
 *
 * What is saved here is for operators of the service: it names servers that the service connects to.
 */
export class KnowledgeDeploymentService implements TenantIndexes {
  /** The index of all tenants that have none of their own. Closed with the service. */
  readonly shared: Engine;
  readonly #resources: EngineResources;
  readonly #records: DeploymentRecords;
  readonly #stores: Readonly<Record<string, OpenCustomerStore>>;
  readonly #indexes: DeploymentIndexes;

  readonly #use: Moving['use'] = async (meant, work) => {
    if (meant.deployment.model === RagDeploymentModel.Shared)
      return work({ engine: this.shared, resources: this.#resources });
    try {
      return await this.#indexes.use(meant, work);
    } catch (error) {
      throw ofDeployment(error);
    }
  };

  readonly #parts = async (): Promise<DeploymentParts> => {
    const { config, processes } = this.#resources;
    const { embedder } = await this.#resources.models.embedder();
    return { config, embedder, processes, records: this.#records, stores: this.#stores };
  };

  /** @internal See `createKnowledgeDeployments`. */
  constructor(
    { engine, resources }: OpenIndex,
    { customerStores = {}, mostOpen = 32, idleMs = IDLE_MS }: KnowledgeDeploymentOptions,
  ) {
    this.shared = engine;
    this.#resources = resources;
    this.#records = new DeploymentRecords(resources.config);
    this.#stores = customerStores;
    this.#indexes = new DeploymentIndexes(this.#parts, { mostOpen, idleMs });
  }

  async of(scope: ScopeInput): Promise<TenantIndex> {
    const asker = scopeOf(scope);
    const { deployment } = this.#records.read(asker.tenant);
    return {
      view: this.#view(asker),
      deployment: {
        deploymentId: deploymentIdOf(asker.tenant),
        deploymentModel: deployment.model,
      },
    };
  }

  /** What the configuration says of how the indexes are watched; `startMonitoring` goes by it. */
  monitoringPlan(): MonitoringPlan {
    return this.shared.monitoringPlan();
  }

  health(options?: HealthOptions): Promise<EngineHealth> {
    return this.shared.health(options);
  }

  /** The deployment of a tenant; `Shared` where none is configured. */
  async getDeploymentConfig(tenantId: string): Promise<KnowledgeDeploymentConfig> {
    return shown(this.#records.read(scopeOf({ tenant: tenantId }).tenant));
  }

  /**
   * Deployments that were configured, by tenant.
   *
   * @throws RAGError `INDEX_DAMAGED` for one that cannot be read, without `onDamaged`
   */
  async listDeploymentConfigs({
    onDamaged,
  }: DeploymentListOptions = {}): Promise<KnowledgeDeploymentConfig[]> {
    const told = onDamaged && {
      onDamaged: (deploymentId: string, error: unknown) =>
        onDamaged({ deploymentId, message: messageOf(error) }),
    };
    return this.#records.list(told).map(shown);
  }

  /**
   * Keeps a deployment. An active one of the model `CustomerOwned` is validated first. Documents are never left behind: a tenant that
   * has some is moved (`moveTenant`).
   *
   * @throws RAGError `DEPLOYMENT_INVALID` for what cannot be used; `DEPLOYMENT_CONFLICT` for an index of another tenant, a tenant that
   * has documents elsewhere, or one that is being moved
   */
  async saveDeploymentConfig(input: KnowledgeDeploymentInput): Promise<KnowledgeDeploymentConfig> {
    const stated = await this.#validated(this.#checked(input));
    const { tenantId } = stated;
    const before = this.#records.read(tenantId);
    const leave =
      placeOf(before.deployment) === placeOf(stated)
        ? () => undefined
        : await this.#gate(tenantId).close({ waitMs: GATE_WAIT_MS });
    try {
      if (placeOf(before.deployment) !== placeOf(stated)) await this.#leave(before);
      const record = await this.#records.change(tenantId, (now) => {
        if (now.revision !== before.revision) throw changedMeanwhile(tenantId);
        if (now.move !== undefined) throw beingMoved(tenantId);
        return { deployment: { ...stated, updatedAt: isoNow() } };
      });
      const isOwn = stated.model !== RagDeploymentModel.Shared && stated.isActive;
      if (isOwn)
        await this.#use(record, async ({ resources }) => {
          const { claimPlace } = await import('./place-claim.js');
          await claimPlace(record.deployment, resources);
          await (await copying()).beginIndex(resources);
        });
      return shown(record);
    } finally {
      leave();
    }
  }

  /** Whether a customer's store can be used. Nothing is kept. */
  async validateCustomerOwnedDeployment(
    input: KnowledgeDeploymentInput,
  ): Promise<DeploymentValidationResult> {
    const { validateDeployment } = await import('./validate-deployment.js');
    return validateDeployment(() => this.#checked(input), this.#parts);
  }

  /**
   * Moves a tenant to another deployment while it is served: its documents are copied, what is written meanwhile too; then searches
   * and writes go to the new index at once, and the old copy is removed. A move that was interrupted goes on when it is asked for
   * again, or by `resumeMoves`. Documents of configured sources stay in the shared index, and `left` counts them.
   *
   * @throws RAGError as `saveDeploymentConfig`; `INDEX_LOCKED` where another process moves the tenant
   */
  async moveTenant(input: KnowledgeDeploymentInput, signal?: AbortSignal): Promise<MoveReport> {
    const target = await this.#validated(this.#checked(input));
    if (!target.isActive)
      throw new RAGError('DEPLOYMENT_INVALID', 'A tenant is moved to an active deployment alone.');
    const { moveTenant } = await moves();
    return moveTenant(target, this.#moving(target.tenantId, signal));
  }

  /**
   * Goes on with moves that were interrupted, for example when a service starts. One that cannot go on now is left as it is: its tenant
   * is served where it was, and `onProblem` is told; of a record that cannot be read, with the name of its folder in place of the tenant.
   */
  async resumeMoves({ signal, onProblem }: ResumeOptions = {}): Promise<MoveReport[]> {
    const { resumeMove } = await moves();
    const moved = this.#records.list({ onDamaged: (name, error) => onProblem?.(name, error) });
    const tenantIds = moved
      .filter(({ move }) => move !== undefined)
      .map(({ deployment: { tenantId } }) => tenantId);
    return reportsOf(tenantIds, (tenantId) => resumeMove(this.#moving(tenantId, signal)), onProblem);
  }

  /**
   * Finishes writes that a death interrupted, for example when a service starts, or takes them back: such a document is then as
   * the interrupted call wanted it, or as it was before. What cannot be done now is left, and `onProblem` is told.
   */
  async finishWrites({ signal, onProblem }: ResumeOptions = {}): Promise<FinishedWrites[]> {
    const { finishWrites } = await import('./finish-writes.js');
    const work = (tenantId: string) => finishWrites(this.#moving(tenantId, signal));
    return reportsOf(this.#records.marked(), work, onProblem);
  }

  /** Whether each index that a tenant has of its own can be used. It opens them, and tells what only operators of the service may know. */
  async deploymentHealth(): Promise<DeploymentHealth[]> {
    const { healthOf, wordsOf } = await maintenance();
    const damaged: DeploymentHealth[] = [];
    const records = this.#records.list({
      onDamaged: (deploymentId, error) => damaged.push({ deploymentId, ok: false, detail: wordsOf(error) }),
    });
    const health = await healthOf(records, ({ deployment: { tenantId } }) =>
      this.#indexes.use(this.#records.read(tenantId), ({ engine }) => engine.health()),
    );
    return [...health, ...damaged];
  }

  /**
   * Encrypts by the first key what another one encrypted: in the index of a tenant, or in all, the shared one too. Where `problems` says
   * nothing, no index needs an older key any more.
   */
  async rotateEncryption({ tenantId, signal }: RotateOptions = {}): Promise<DeploymentsRotation> {
    const { rotateIndexes } = await maintenance();
    return rotateIndexes({ records: this.#records, shared: this.shared, tenantId }, (one) => ({
      ...this.#moving(one, signal),
      use: this.#indexes.use.bind(this.#indexes),
    }));
  }

  /** Closes every index, the shared one too. */
  async close(): Promise<void> {
    await this.#indexes.close();
    await this.shared.close();
  }

  #view(scope: Scope): EngineView {
    const { tenant } = scope;
    return routedView(scope, {
      serving: () => this.#serving(tenant),
      use: this.#use,
      stream: (meant, work) => this.#stream(meant, work),
      assertSettled: () => {
        if (this.#records.read(tenant).move !== undefined) throw beingMoved(tenant);
      },
      enterToWrite: (signal) => this.#gate(tenant).enter({ waitMs: GATE_WAIT_MS, signal }),
    });
  }

  /** Throws for a tenant that is not to be served: it has no other index. */
  #serving(tenantId: string): DeploymentRecord {
    const record = this.#records.read(tenantId);
    if (record.deployment.isActive) return record;
    throw new RAGError(
      'SERVICE_UNAVAILABLE',
      'The deployment of this tenant is not active. An operator of the service activates it.',
    );
  }

  #gate(tenantId: string): WriteGate {
    return new WriteGate(this.#records.folderOf(tenantId), tenantId);
  }

  async *#stream<Part>(
    meant: MeantIndex,
    work: (index: OpenIndex) => AsyncIterable<Part>,
  ): AsyncGenerator<Part> {
    if (meant.deployment.model === RagDeploymentModel.Shared)
      return yield* work({ engine: this.shared, resources: this.#resources });
    try {
      yield* this.#indexes.stream(meant, work);
    } catch (error) {
      throw ofDeployment(error);
    }
  }

  #checked(input: KnowledgeDeploymentInput): StoredDeployment {
    const deployment = deploymentOf(input, Object.keys(this.#stores));
    scopeOf({ tenant: deployment.tenantId });
    const { config } = this.#resources;
    const { apiKeySecretName: secret } = deployment;
    if (secret !== undefined && !isAllowedSecret(secret, config.rag.deployments.secrets))
      throw new RAGError('DEPLOYMENT_INVALID', secretNotAllowed(secret));
    if (deployment.model !== RagDeploymentModel.Shared) assertOwnIndexes(config);
    this.#records.assertFree(deployment);
    return deployment;
  }

  /** A customer's store that is to serve must be one that can. */
  async #validated(deployment: StoredDeployment): Promise<StoredDeployment> {
    if (deployment.model !== RagDeploymentModel.CustomerOwned || !deployment.isActive) return deployment;
    const { isValid, errors, validatedAt } = await this.validateCustomerOwnedDeployment(deployment);
    if (isValid) return { ...deployment, validatedAt };
    throw new RAGError('DEPLOYMENT_INVALID', `The deployment cannot be activated. ${errors.join(' ')}`);
  }

  /** A store of a customer is left as it was found, for others to use. */
  async #leave(before: DeploymentRecord): Promise<void> {
    await this.#assertNothingLeft(before);
    if (before.move === undefined && before.deployment.model === RagDeploymentModel.CustomerOwned)
      await this.#use(before, async (index) => (await moves()).removeIndex(before.deployment, index));
  }

  async #assertNothingLeft(before: DeploymentRecord): Promise<void> {
    const { tenantId } = before.deployment;
    const { countDocuments, holdsForgotten } = await copying();
    const { pushed, ofSources, isForgotten } = await this.#use(before, async ({ resources }) => ({
      ...(await countDocuments(resources, tenantId)),
      isForgotten: await holdsForgotten(resources, tenantId),
    }));
    const count = Object.values(ofSources).reduce((sum, some) => sum + some, pushed);
    if (count === 0 && !isForgotten) return;
    const held = count === 0 ? 'receipts of what was forgotten' : `${count} documents`;
    throw new RAGError(
      'DEPLOYMENT_CONFLICT',
      `The tenant ${JSON.stringify(tenantId)} has ${held} in its present index. Move it, so that they come along: \`ragstone deployments move\`, or POST .../move.`,
    );
  }

  #moving(tenantId: string, signal: AbortSignal | undefined) {
    return { tenantId, signal, records: this.#records, gate: this.#gate(tenantId), use: this.#use };
  }
}

/** What was done for each tenant for whom there was something to do. */
async function reportsOf<Report>(
  tenantIds: readonly string[],
  work: (tenantId: string) => Promise<Report | undefined>,
  onProblem: ResumeOptions['onProblem'],
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const tenantId of tenantIds)
    try {
      const report = await work(tenantId);
      if (report !== undefined) reports.push(report);
    } catch (error) {
      onProblem?.(tenantId, error);
    }
  return reports;
}

/** What only operators can change (a secret, a setting) is no fault of the whole service. */
function ofDeployment(error: unknown): unknown {
  if (!RAGError.isInstance(error) || error.category !== 'config') return error;
  return new RAGError('SERVICE_UNAVAILABLE', 'The index of this tenant cannot be used now.', {
    cause: error,
  });
}

const changedMeanwhile = (tenantId: string): RAGError =>
  new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The deployment of tenant ${JSON.stringify(tenantId)} was changed meanwhile. Look at it, and save it again.`,
  );

const beingMoved = (tenantId: string): RAGError =>
  new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The tenant ${JSON.stringify(tenantId)} is being moved. Wait until that is done, or ask for the same move again, which goes on with it.`,
  );
