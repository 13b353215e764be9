import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { deploymentRisk, deploymentsFolderOf, RECORD_FILE } from '../../config/trust/deployment-risks.js';
import { assertDeploymentsTrusted, trustDeployment } from '../../config/trust/index-reach.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { runtime } from '../../core/runtime.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import { deploymentIdOf, RagDeploymentModel } from '../../operations/deployment-model.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { flushFolderSync, readRegularFileSync } from '../../platform/security/regular-file.js';
import {
  placeOf,
  type StoredDeployment,
  sharedDeployment,
  storedDeploymentSchema,
} from './deployment-config.js';
import { dedicatedIndexName } from './index-name.js';
import { markedTenant } from './write-gate.js';

const recordSchema = z.strictObject({
  /** What serves the tenant. */
  deployment: storedDeploymentSchema,
  /** Grows with each change. */
  revision: z.int().min(0),
  /** `copying`: documents are on their way to `other`. `cleaning`: they have left `other`, where they are being removed. */
  move: z
    .strictObject({
      stage: z.enum(['copying', 'cleaning']),
      other: storedDeploymentSchema,
      startedAt: z.string(),
    })
    .optional(),
});

/** What is known of a tenant's deployment. */
export type DeploymentRecord = z.infer<typeof recordSchema>;

/** The deployment of a tenant. */
export interface KnowledgeDeploymentConfig {
  readonly tenantId: string;
  /** Always the same for a tenant. */
  readonly deploymentId: string;
  readonly model: RagDeploymentModel;
  /** An inactive deployment serves nobody: nothing falls back to another index. */
  readonly isActive: boolean;
  /** Of `Dedicated`, made of the tenant's id; of `CustomerOwned`, as the customer named it; absent for `Shared`. */
  readonly indexName?: string | undefined;
  readonly provider?: string | undefined;
  readonly searchEndpoint?: string | undefined;
  readonly username?: string | undefined;
  /** Where the secret is, never the secret. */
  readonly apiKeySecretName?: string | undefined;
  /** ISO-8601 UTC; of `CustomerOwned`. */
  readonly validatedAt?: string | undefined;
  /** ISO-8601 UTC; absent for a tenant that nobody configured. */
  readonly updatedAt?: string | undefined;
  /** Absent while nothing is moved. `copying`: to the model that is named; `cleaning`: what is left at it is being removed. */
  readonly move?:
    | {
        readonly stage: 'copying' | 'cleaning';
        readonly model: RagDeploymentModel;
        readonly startedAt: string;
      }
    | undefined;
}

/** A deployment as people see it. */
export function shown({ deployment, move }: DeploymentRecord): KnowledgeDeploymentConfig {
  return {
    ...deployment,
    deploymentId: deploymentIdOf(deployment.tenantId),
    ...(move === undefined
      ? {}
      : { move: { stage: move.stage, model: move.other.model, startedAt: move.startedAt } }),
  };
}

interface ListOptions {
  /** Told of each that cannot be read, by the name of its folder. */
  readonly onDamaged?: ((name: string, error: unknown) => void) | undefined;
}

/** Changes take milliseconds. */
const CHANGE_WAIT_MS = 10_000;

/**
 * Deployments of tenants, a file each in the data folder, for its owner alone. Every read asks the file system whether the file is
 * still the one that was read, so that what one process changes holds for all of them at once.
 */
export class DeploymentRecords {
  readonly #config: ResolvedConfig;
  readonly #folder: string;
  readonly #known = new Map<string, { readonly stamp: string; readonly record: DeploymentRecord }>();

  constructor(config: ResolvedConfig) {
    this.#config = config;
    this.#folder = deploymentsFolderOf(config.dataDir);
  }

  /** Folder for what belongs to one tenant's deployment. */
  folderOf(tenantId: string): string {
    return join(this.#folder, deploymentIdOf(tenantId));
  }

  /** Folder of an index beside the shared one: of the name of a dedicated one, or of the place of one at a customer's. */
  indexFolder(deployment: StoredDeployment): string {
    const { model, indexName = '' } = deployment;
    const ofPlace = `customer-${contentHash(placeOf(deployment)).slice(0, 16)}`;
    return join(this.#folder, model === RagDeploymentModel.Dedicated ? indexName : ofPlace);
  }

  /**
   * What is known of a tenant; a tenant that nobody configured has the shared index.
   *
   * @throws RAGError `INDEX_DAMAGED` for a file that is none of ours, `INDEX_UNTRUSTED` for one that names a server and that this
   * account has neither written nor trusted
   */
  read(tenantId: string): DeploymentRecord {
    const path = join(this.folderOf(tenantId), RECORD_FILE);
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return { deployment: sharedDeployment(tenantId), revision: 0 };
    const stamp = `${stats.dev} ${stats.ino} ${stats.mtimeNs} ${stats.size}`;
    const known = this.#known.get(tenantId);
    if (known?.stamp === stamp) return known.record;
    const record = readRecord(path);
    assertOwn(record, tenantId, path);
    assertDeploymentsTrusted(risksOf(record), this.#config);
    this.#known.set(tenantId, { stamp, record });
    return record;
  }

  /**
   * All that are kept, by tenant, also those that are not trusted: they are not to be used, and `read` refuses them.
   *
   * @throws RAGError `INDEX_DAMAGED` for a file that is none of ours, where nobody takes what is thrown of one
   */
  list({ onDamaged }: ListOptions = {}): DeploymentRecord[] {
    return namesIn(this.#folder)
      .flatMap((name) => {
        try {
          return this.#recordIn(name);
        } catch (error) {
          if (onDamaged === undefined) throw error;
          onDamaged(name, error);
          return [];
        }
      })
      .sort((a, b) => (a.deployment.tenantId < b.deployment.tenantId ? -1 : 1));
  }

  /** Tenants whose folder says that somebody writes, or died writing; those of the shared index too. */
  marked(): string[] {
    return namesIn(this.#folder).flatMap((name) => {
      const tenantId = markedTenant(join(this.#folder, name));
      return tenantId !== undefined && deploymentIdOf(tenantId) === name ? [tenantId] : [];
    });
  }

  #recordIn(name: string): DeploymentRecord[] {
    const path = join(this.#folder, name, RECORD_FILE);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    const record = readRecord(path);
    const { tenantId } = record.deployment;
    if (deploymentIdOf(tenantId) !== name) throw damaged(path);
    assertOwn(record, tenantId, path);
    return [record];
  }

  /**
   * Changes what is known of a tenant, while nobody else changes anything of any tenant. `undefined` leaves it as it is.
   *
   * @throws RAGError `DEPLOYMENT_CONFLICT` where a place belongs to another tenant, and what `change` throws
   */
  async change(
    tenantId: string,
    change: (before: DeploymentRecord) => Omit<DeploymentRecord, 'revision'> | undefined,
  ): Promise<DeploymentRecord> {
    makePrivateFolder(this.#folder);
    const holder = { command: 'ragstone deployments' };
    const lock = await acquireWriterLock({ folder: this.#folder, holder, waitMs: CHANGE_WAIT_MS });
    try {
      const before = this.read(tenantId);
      const changed = change(before);
      if (changed === undefined) return before;
      const after = { ...changed, revision: before.revision + 1 };
      // What is not new was asserted when it was. So a record of another tenant that cannot be read keeps no move from ending.
      const held = new Set(placesOf(before));
      this.#assertApart(
        tenantId,
        deploymentsOf(after).filter((one) => !held.has(placeOf(one))),
      );
      for (const risk of risksOf(after)) trustDeployment(risk, this.#config);
      this.#write(tenantId, after);
      return after;
    } finally {
      await lock.release();
    }
  }

  /** Before a place is connected to, which may be another tenant's. @throws RAGError `DEPLOYMENT_CONFLICT` */
  assertFree(deployment: StoredDeployment): void {
    const held = new Set(placesOf(this.read(deployment.tenantId)));
    if (!held.has(placeOf(deployment))) this.#assertApart(deployment.tenantId, [deployment]);
  }

  /** @param places that the tenant does not have yet */
  #assertApart(tenantId: string, places: readonly StoredDeployment[]): void {
    const own = new Map(
      places.filter(({ model }) => model !== RagDeploymentModel.Shared).map((one) => [placeOf(one), one]),
    );
    if (own.size === 0) return;
    const damagedNames: string[] = [];
    for (const other of this.list({ onDamaged: (name) => damagedNames.push(name) })) {
      if (other.deployment.tenantId === tenantId) continue;
      const shared = placesOf(other).find((place) => own.has(place));
      if (shared !== undefined)
        throw new RAGError(
          'DEPLOYMENT_CONFLICT',
          `The index of tenant ${JSON.stringify(tenantId)} would be that of tenant ${JSON.stringify(other.deployment.tenantId)} (${shared}). Each tenant needs one of its own: choose another \`indexName\`, or, for a dedicated index, an id of the tenant with other letters and digits.`,
        );
    }
    // Which places the others have is not known; one where no index has been is nobody's.
    const taken = damagedNames.length === 0 ? [] : [...own.values()].filter((one) => this.#isUsed(one));
    if (taken.length > 0)
      throw new RAGError(
        'DEPLOYMENT_CONFLICT',
        `There is an index at the place of tenant ${JSON.stringify(tenantId)} already, and whose it is cannot be told, because deployments cannot be read: ${damagedNames.map((name) => join(this.#folder, name, RECORD_FILE)).join(', ')}. Mend these first (\`ragstone deployments list\` says how), or name another index.`,
      );
  }

  #isUsed(deployment: StoredDeployment): boolean {
    return existsSync(join(this.indexFolder(deployment), DATA_FILES.ledger));
  }

  #write(tenantId: string, record: DeploymentRecord): void {
    const folder = this.folderOf(tenantId);
    makePrivateFolder(folder);
    const path = join(folder, RECORD_FILE);
    const draft = `${path}.${runtime().uniqueName()}`;
    try {
      writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    flushFolderSync(folder);
  }
}

/** The names of folders are made of these, so they are what they would be made of, whatever the file says. */
function assertOwn(record: DeploymentRecord, tenantId: string, path: string): void {
  for (const stored of deploymentsOf(record)) {
    const { model, indexName } = stored;
    const isNamed = model !== RagDeploymentModel.Dedicated || indexName === dedicatedIndexName(tenantId);
    if (stored.tenantId !== tenantId || !isNamed) throw damaged(path);
  }
}

/** Where a record's documents are, or may still be. */
const deploymentsOf = ({ deployment, move }: Omit<DeploymentRecord, 'revision'>): StoredDeployment[] => [
  deployment,
  ...(move === undefined ? [] : [move.other]),
];

/** Without the shared index, which belongs to everybody. */
const placesOf = (record: Omit<DeploymentRecord, 'revision'>): string[] =>
  deploymentsOf(record)
    .filter(({ model }) => model !== RagDeploymentModel.Shared)
    .map(placeOf);

const risksOf = (record: DeploymentRecord) =>
  deploymentsOf(record)
    .filter(({ model }) => model === RagDeploymentModel.CustomerOwned)
    .map(deploymentRisk);

function readRecord(path: string): DeploymentRecord {
  try {
    return recordSchema.parse(JSON.parse(readRegularFileSync(path).toString('utf8')));
  } catch (error) {
    throw damaged(path, error);
  }
}

const damaged = (path: string, cause?: unknown): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    `The deployment in ${path} cannot be read. Its tenant is not served, and no other is concerned. Put the file back from a backup; without one remove it, and save the deployment again as it was (\`ragstone deployments save\`): the documents are where they were.`,
    { cause },
  );

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{16}$/.test(name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
