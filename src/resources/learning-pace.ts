import type { Generation, Ledger } from '../ledger/ledger.js';
import { learntChunks, MIN_SAMPLE, tenantsOf } from './query-adaptation.js';

/** Share of a tenant's chunks that pushes change before a model learns anew: what is learnt hardly moves below, and costs half a second. */
const CHANGED_SHARE = 0.2;

/** Chunks of a tenant that a push wrote or deleted. */
export interface PushedChunks {
  readonly tenant: string;
  readonly chunks: number;
}

/** The generation that was pushed to. */
interface PushedTo {
  readonly ledger: Pick<Ledger, 'learned' | 'reader'>;
  readonly facts: Generation;
}

interface TenantPace {
  /** Chunks when the model learnt last. */
  learnt: number;
  changed: number;
}

/**
 * When pushes have changed enough of a tenant for a model to learn of it anew. What is indexed is counted once in a process, and
 * what is pushed after that: no push reads more because the index is large.
 */
export class LearningPace {
  #generation: number | undefined;
  readonly #tenants = new Map<string, TenantPace>();

  /** Counts what was pushed, and says whether to learn of its tenant now. */
  async isDue({ tenant, chunks }: PushedChunks, { ledger, facts }: PushedTo): Promise<boolean> {
    const isNew = this.#generation !== facts.generation;
    if (isNew) await this.#count(ledger, facts);
    const pace = this.#tenants.get(tenant) ?? { learnt: 0, changed: 0 };
    this.#tenants.set(tenant, pace);
    // What was just counted holds what was pushed.
    if (!isNew) pace.changed += chunks;
    return pace.changed >= Math.max(MIN_SAMPLE, pace.learnt * CHANGED_SHARE);
  }

  /** The model has learnt of a tenant, or of all. */
  learnt(tenant: string | undefined): void {
    const paces = tenant === undefined ? this.#tenants.values() : [this.#tenants.get(tenant)];
    for (const pace of paces) {
      if (pace === undefined) continue;
      pace.learnt += pace.changed;
      pace.changed = 0;
    }
  }

  async #count(ledger: PushedTo['ledger'], facts: Generation): Promise<void> {
    const learnt = await learntChunks(ledger, facts);
    const now = await tenantsOf(ledger.reader(facts.generation));
    this.#tenants.clear();
    for (const [tenant, chunks] of now) {
      const before = learnt.get(tenant) ?? 0;
      this.#tenants.set(tenant, { learnt: before, changed: Math.abs(chunks - before) });
    }
    this.#generation = facts.generation;
  }
}
