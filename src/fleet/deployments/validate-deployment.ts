import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { isoNow, runtime } from '../../core/runtime.js';
import { withDeadline } from '../../core/with-deadline.js';
import { fingerprintOf } from '../../embedding/embedder.js';
import { RagDeploymentModel } from '../../operations/deployment-model.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { specOf } from '../../resources/open-collection.js';
import type { StoredDeployment } from './deployment-config.js';
import { DeploymentIndexes } from './deployment-indexes.js';
import { type DeploymentParts, settingsOf } from './deployment-settings.js';
import { assertOwnPlace } from './place-claim.js';

/** What is looked at before a customer's store is used, in this order. */
export type DeploymentCheck = 'configuration' | 'secret' | 'connection' | 'schema' | 'owner' | 'dimensions';

/** One check, and what to do where it failed. */
export interface DeploymentCheckResult {
  readonly check: DeploymentCheck;
  readonly isValid: boolean;
  /** In words, without secrets. */
  readonly message: string;
}

/** Whether a customer's store can be used. */
export interface DeploymentValidationResult {
  readonly isValid: boolean;
  /** Up to the first that failed. */
  readonly checks: readonly DeploymentCheckResult[];
  /** Messages of what failed. */
  readonly errors: readonly string[];
  /** ISO-8601 UTC. */
  readonly validatedAt: string;
}

/** Longest wait for a customer's store to be looked at, in milliseconds. */
const LONGEST_MS = 20_000;

/** Looks at a store step by step; a step that fails is the last. */
class DeploymentChecks {
  readonly #results: DeploymentCheckResult[] = [];

  /** Whether `work` succeeded; what it throws is told where it is an error of ours, which hold no secrets. */
  async step(
    check: DeploymentCheck,
    message: string,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<boolean> {
    const lateError = (): RAGError =>
      new RAGError('STORE_TIMEOUT', `It took longer than ${LONGEST_MS / 1_000} seconds.`);
    try {
      await withDeadline({ timeoutMs: LONGEST_MS, lateError }, work);
      this.#results.push({ check, isValid: true, message });
      return true;
    } catch (error) {
      this.#results.push({ check, isValid: false, message: wordsOf(error) });
      return false;
    }
  }

  result(): DeploymentValidationResult {
    const errors = this.#results.filter(({ isValid }) => !isValid).map(({ message }) => message);
    return {
      isValid: errors.length === 0,
      checks: this.#results,
      errors,
      validatedAt: isoNow(),
    };
  }
}

/** Whether a customer's store can be used: that of `stated`, which throws for what is not complete. It is opened for this alone. */
export async function validateDeployment(
  stated: () => StoredDeployment,
  parts: () => Promise<DeploymentParts>,
): Promise<DeploymentValidationResult> {
  const checks = new DeploymentChecks();
  let deployment: StoredDeployment | undefined;
  await checks.step('configuration', 'It is complete.', async () => {
    const meant = stated();
    if (meant.model !== RagDeploymentModel.CustomerOwned)
      throw new RAGError('DEPLOYMENT_INVALID', 'Only a deployment of the model CustomerOwned is validated.');
    deployment = meant;
  });
  if (deployment === undefined) return checks.result();
  const meant = deployment;
  const hasSecret = await checks.step('secret', 'The secret can be fetched, or none is named.', async () => {
    const { store } = await settingsOf(meant, await parts());
    await store?.close();
  });
  if (!hasSecret) return checks.result();
  // With the secret as it is now.
  const fresh = new DeploymentIndexes(parts, { mostOpen: 1, idleMs: LONGEST_MS });
  try {
    await fresh.use({ deployment: meant, revision: 0 }, ({ resources }) =>
      checkStore(checks, meant, resources),
    );
  } catch (error) {
    await checks.step('connection', '', async () => {
      throw error;
    });
  } finally {
    await fresh.close();
  }
  return checks.result();
}

const wordsOf = (error: unknown): string =>
  RAGError.isInstance(error)
    ? error.message
    : 'It could not be used. The log of the service may say more; check the address, the account and its rights.';

/** Connects, and checks what is there, or where nothing is, that a collection for the model can be made, written to, and removed. */
async function checkStore(
  checks: DeploymentChecks,
  deployment: StoredDeployment,
  resources: EngineResources,
): Promise<void> {
  const { embedder } = await resources.models.embedder();
  const { dimensions, identity } = embedder;
  const fingerprint = fingerprintOf(identity);
  const isThere = await checks.step('connection', 'The store answers.', async () => {
    const { store } = await resources.stores.configured();
    const { ok, detail } = await store.health();
    if (!ok) throw new RAGError('STORE_UNAVAILABLE', detail);
  });
  if (!isThere) return;
  const isWritable = await checks.step(
    'schema',
    'A collection can be made, written to and removed.',
    async () => {
      const { store } = await resources.stores.configured();
      const name = `check-${contentHash(runtime().uniqueName()).slice(0, 16)}`;
      try {
        const collection = await store.open({ name, dimensions, fingerprint });
        await collection.get(['']);
      } finally {
        await store.drop(name).catch(() => undefined);
      }
    },
  );
  if (!isWritable) return;
  const isOwn = await checks.step('owner', 'It is of no other tenant.', () =>
    assertOwnPlace(deployment, resources),
  );
  if (!isOwn) return;
  await checks.step('dimensions', `It holds vectors of ${dimensions} dimensions, or none yet.`, async () => {
    const live = await resources.ledger.live();
    if (live === undefined) return;
    if (live.facts.fingerprint !== fingerprint)
      throw new RAGError(
        'STORE_FINGERPRINT_MISMATCH',
        `The index there was made with the embedding model "${live.facts.embedder}" (${live.facts.dimensions} dimensions), and the service has "${identity.model}" (${dimensions}). Name another index, or have that one removed.`,
      );
    const store = await resources.stores.of(live.facts);
    if ((await store.describe(live.facts.collection)) === undefined)
      throw new RAGError(
        'STORE_DAMAGED',
        `The collection "${live.facts.collection}" that belongs to the index is missing. Put it back, or name another index.`,
      );
    await store.open(specOf(live.facts));
  });
}
