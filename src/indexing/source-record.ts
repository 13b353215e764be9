import type { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { PendingBatch } from '../ledger/pending-work.js';
import type { LedgerFailure, SourceState } from '../ledger/source-state.js';
import { DEFAULT_RETRY_POLICY, isAhead, nextAttemptAt } from '../operations/retry-policy.js';
import type { SourceTask } from './source-task.js';

/** What came of a run over one source. */
export interface ListedSource {
  /** When its listing was complete, ISO-8601 UTC. */
  readonly listedAt: string;
  /** Everything that it named was dealt with; false where another process is at it. */
  readonly isThrough: boolean;
  /** Everything that it named was dealt with, or is written down as pending: nothing has to be listed again for it. */
  readonly isRecorded: boolean;
  /** Batches that workers are to do; absent where the run did its work itself. */
  readonly handedOver?: readonly PendingBatch[] | undefined;
}

/** Everything is listed again after a week where the configuration says nothing else, in milliseconds. */
export const DEFAULT_RECONCILE_MS = 7 * 24 * 3_600_000;

/** What of a run over one source is written down. */
type RecordedTask = Pick<SourceTask, 'configured' | 'targets' | 'options'>;

/** How the runs over one source went, and how this one goes. A dry run and a push leave no trace. */
export class SourceRecord {
  readonly #task: RecordedTask;
  readonly #before: SourceState;
  #startedAt = '';

  private constructor(task: RecordedTask, before: SourceState) {
    this.#task = task;
    this.#before = before;
  }

  static async open(task: RecordedTask): Promise<SourceRecord> {
    const { configured, targets, options } = task;
    if (isPush(task)) return new SourceRecord(task, NEVER);
    const states = await targets.ledger.sourceStates(options.scope.tenant);
    return new SourceRecord(task, states.get(configured.source.name) ?? NEVER);
  }

  /** It failed, and its next attempt is not due. */
  get isWaiting(): boolean {
    return isAhead(this.#before.nextAttemptAt);
  }

  /** Its last listing began then or later, and came to an end. */
  wasListedSince(at: string): boolean {
    const { listingStartedAt, listingFinishedAt } = this.#before;
    if (listingStartedAt === undefined || listingFinishedAt === undefined) return false;
    return listingStartedAt >= at && listingFinishedAt >= listingStartedAt;
  }

  /** Why it is left alone. */
  get waitingNotice(): string {
    const { failures, error, nextAttemptAt: at } = this.#before;
    const times = failures === 1 ? 'once' : `${failures} times in a row`;
    return `The source "${this.#name}" failed ${times} and is tried again after ${at}: ${error?.message ?? 'it could not be listed.'}`;
  }

  /** Where its next listing begins; undefined where everything is to be listed. */
  async begin(): Promise<string | undefined> {
    const { targets } = this.#task;
    this.#startedAt = targets.now();
    const since = await this.#since();
    await this.#write({ ...this.#before, listingStartedAt: this.#startedAt });
    return since;
  }

  /** @param since what `begin` gave */
  async succeed({ listedAt, isThrough, isRecorded }: ListedSource, since: string | undefined): Promise<void> {
    const { targets } = this.#task;
    const { error: _, nextAttemptAt: __, ...before } = this.#before;
    await this.#write({
      ...before,
      listingStartedAt: this.#startedAt,
      listingFinishedAt: listedAt,
      failures: 0,
      ...(isThrough ? { succeededAt: targets.now() } : {}),
      ...(isRecorded && since === undefined ? { reconciledAt: this.#startedAt } : {}),
    });
  }

  async fail({ reason, message }: RAGError): Promise<void> {
    const { targets, options } = this.#task;
    const failures = this.#before.failures + 1;
    const error: LedgerFailure = { reason, message, at: targets.now() };
    await this.#write({
      ...this.#before,
      listingStartedAt: this.#startedAt,
      failures,
      error,
      nextAttemptAt: nextAttemptAt(options.retry ?? DEFAULT_RETRY_POLICY, failures),
    });
  }

  /** Nothing where everything is to be done again, is due to be listed whole, or nothing is known that a cursor could stand on. */
  async #since(): Promise<string | undefined> {
    const { configured, targets, options } = this.#task;
    const { ledger } = targets;
    const { tenant } = options.scope;
    if (configured.source.listChanges === undefined || options.force || this.#isReconcileDue())
      return undefined;
    if (!(await ledger.hasItems(tenant, this.#name))) return undefined;
    return ledger.sourceCursor(tenant, this.#name);
  }

  #isReconcileDue(): boolean {
    const { reconcileMs = DEFAULT_RECONCILE_MS } = this.#task.configured;
    const { reconciledAt } = this.#before;
    if (reconcileMs === Infinity) return false;
    return reconciledAt === undefined || runtime().now() - Date.parse(reconciledAt) >= reconcileMs;
  }

  async #write(state: SourceState): Promise<void> {
    if (this.#task.options.dryRun || isPush(this.#task)) return;
    const { targets, options } = this.#task;
    await targets.ledger.setSourceState(options.scope.tenant, this.#name, state);
  }

  get #name(): string {
    return this.#task.configured.source.name;
  }
}

const NEVER: SourceState = { failures: 0 };

/** What programs hand in is listed by nobody. */
const isPush = ({ configured: { source } }: RecordedTask): boolean =>
  source.itemIds !== undefined || source.listing === 'incremental';
