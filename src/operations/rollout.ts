import { type Runtime, runtime, withRuntime } from '../core/runtime.js';
import { rounded, type TelemetryPayloads, traced } from '../core/telemetry.js';
import {
  assertRolloutSettings,
  type RolloutDecision,
  type RolloutExclusion,
  type RolloutSettings,
  rolloutPosition,
  rolloutSide,
} from '../resources/rollout/rollout-side.js';
import {
  type RolloutAddition,
  RolloutMemory,
  type RolloutTotals,
} from '../resources/rollout/rollout-totals.js';

/** The same item done both ways. */
export interface RolloutComparison {
  /** Both found the same. */
  readonly agrees: boolean;
  /** How much each way found, and how much of it both. */
  readonly found: { readonly legacy: number; readonly rag: number; readonly both: number };
  /** Milliseconds of each way. */
  readonly tookMs: { readonly legacy: number; readonly rag: number };
}

/** On which side an item was. */
export interface RolloutOutcome {
  /** Which way its answer was made: `rag` from the index, `legacy` as before there was one. */
  readonly side: 'rag' | 'legacy';
  /**
   * Why it was the old way: the flag is off, the item is not of the percentage, it was only compared, retrieval is switched off
   * (`rag.enabled: false`), or the new way failed.
   */
  readonly reason?: RolloutExclusion | 'disabled' | 'fallback';
  /** With `shadow`, where both ways gave an answer. */
  readonly comparison?: RolloutComparison;
}

/** An item as it is done both ways. */
export interface RolloutWork<Answer> {
  /** What names it among the items of the tenant. */
  readonly id: string;
  readonly rag: () => Promise<Answer>;
  readonly legacy: () => Promise<Answer> | Answer;
  /** Whether an answer of the new way says that retrieval is switched off. */
  readonly isOff: (answer: Answer) => boolean;
  /** Names of what an answer found, by which two are compared. */
  readonly found: (answer: Answer) => readonly string[];
}

/** An answer, and how it came about. */
export interface RolledOut<Answer> {
  readonly answer: Answer;
  readonly outcome: RolloutOutcome;
  /** What the new way failed with. */
  readonly error?: unknown;
  /** Why the item could not be counted. It has its answer all the same. */
  readonly uncounted?: unknown;
}

/** Items of a tenant since they are counted. */
export interface RolloutReport {
  /** What the configuration says; absent where it has no `rag.rollout`, so that every item is enriched from the index. */
  readonly settings?: RolloutSettings;
  /** When the first and the last item was counted, ISO-8601; absent where none was. */
  readonly since?: string;
  readonly until?: string;
  /** Items by how they were answered. */
  readonly items: {
    readonly rag: number;
    readonly legacy: Readonly<Record<NonNullable<RolloutOutcome['reason']>, number>>;
  };
  /** Items that were done both ways. */
  readonly shadow: {
    readonly compared: number;
    /** Items of which both ways found the same. */
    readonly agreed: number;
    /** Items of which the new way failed. */
    readonly failed: number;
    /** How much each way found of the compared items, and how much of it both. */
    readonly found: RolloutComparison['found'];
    /** Milliseconds of the compared items; 0 where there are none. */
    readonly tookMs: Readonly<Record<'legacy' | 'rag', { readonly mean: number; readonly most: number }>>;
  };
}

/** What a rollout is made of. */
export interface RolloutParts {
  /** Without settings the new way is taken for every item, and nothing is counted. */
  readonly settings?: RolloutSettings | undefined;
  /** @default `default` */
  readonly tenant?: string | undefined;
  /** @default in memory */
  readonly totals?: RolloutTotals | undefined;
  readonly runtime?: Runtime | undefined;
}

/**
 * Section 16.2: items are done the new way or the old one, as `rag.rollout` says. An item that the new way fails for is done the old way. What
 * is done is counted, and published on the channel `rollout`.
 */
export class Rollout {
  readonly settings: RolloutSettings | undefined;
  readonly #tenant: string;
  readonly #totals: RolloutTotals;
  readonly #runtime: Runtime | undefined;

  constructor({
    settings,
    tenant = 'default',
    totals = new RolloutMemory(),
    runtime: own,
  }: RolloutParts = {}) {
    if (settings !== undefined) assertRolloutSettings(settings);
    this.settings = settings;
    this.#tenant = tenant;
    this.#totals = totals;
    this.#runtime = own;
  }

  /** Which side an item is on, and from which percentage on it is rolled out (0 to 100, itself left out). */
  decide(id: string): RolloutDecision & { readonly position: number } {
    const item = { tenant: this.#tenant, id };
    const decision: RolloutDecision =
      this.settings === undefined ? { side: 'rag' } : rolloutSide(this.settings, item);
    return { ...decision, position: rolloutPosition(item) };
  }

  /** Does an item on its side. Throws what the old way throws. */
  async run<Answer>(work: RolloutWork<Answer>): Promise<RolledOut<Answer>> {
    return withRuntime(this.#runtime, async () => {
      const payload: TelemetryPayloads['rollout'] = {};
      const done = await traced('rollout', payload, async () => {
        const given = await this.#onItsSide(work);
        const { side, reason, comparison } = given.outcome;
        Object.assign(payload, { side, ...(reason === undefined ? {} : { reason }) });
        if (reason === 'shadow')
          payload.comparison =
            comparison === undefined ? 'failed' : comparison.agrees ? 'agreed' : 'differed';
        return given;
      });
      try {
        if (this.settings !== undefined)
          this.#totals.add(this.#tenant, additionOf(done.outcome), runtime().now());
        return done;
      } catch (uncounted) {
        return { ...done, uncounted };
      }
    });
  }

  /** What was counted of the tenant's items. Throws where it cannot be read. */
  report(): RolloutReport {
    const { since, until, totals } = this.#totals.read(this.#tenant);
    const sum = (name: keyof RolloutAddition): number => totals.get(name)?.sum ?? 0;
    const compared = sum('agreed') + sum('differed');
    const tookMs = (name: 'ms-legacy' | 'ms-rag') => ({
      mean: compared === 0 ? 0 : rounded(sum(name) / compared),
      most: rounded(totals.get(name)?.most ?? 0),
    });
    return {
      ...(this.settings === undefined ? {} : { settings: this.settings }),
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
      items: {
        rag: sum('rag'),
        legacy: {
          flag: sum('flag'),
          percentage: sum('percentage'),
          shadow: sum('shadow'),
          disabled: sum('disabled'),
          fallback: sum('fallback'),
        },
      },
      shadow: {
        compared,
        agreed: sum('agreed'),
        failed: sum('failed'),
        found: { legacy: sum('found-legacy'), rag: sum('found-rag'), both: sum('found-both') },
        tookMs: { legacy: tookMs('ms-legacy'), rag: tookMs('ms-rag') },
      },
    };
  }

  /** Forgets the counts of the tenant, to begin anew after a change. */
  clear(): void {
    this.#totals.clear(this.#tenant);
  }

  async #onItsSide<Answer>(work: RolloutWork<Answer>): Promise<RolledOut<Answer>> {
    const decision = this.decide(work.id);
    if (decision.side === 'rag') return newWay(work);
    const { reason } = decision;
    if (reason === 'shadow') return bothWays(work);
    return { answer: await work.legacy(), outcome: { side: 'legacy', reason } };
  }
}

async function newWay<Answer>(work: RolloutWork<Answer>): Promise<RolledOut<Answer>> {
  const tried = await tryNewWay(work);
  if ('answer' in tried) return { answer: tried.answer, outcome: { side: 'rag' } };
  const { reason } = tried;
  return {
    answer: await work.legacy(),
    outcome: { side: 'legacy', reason },
    ...('error' in tried ? { error: tried.error } : {}),
  };
}

/** One after the other, so that neither slows the other down; the old way first, because its answer is waited for. */
async function bothWays<Answer>(work: RolloutWork<Answer>): Promise<RolledOut<Answer>> {
  const begun = runtime().elapsed();
  const answer = await work.legacy();
  const between = runtime().elapsed();
  const tried = await tryNewWay(work);
  const ended = runtime().elapsed();
  if (!('answer' in tried))
    return {
      answer,
      outcome: { side: 'legacy', reason: tried.reason === 'disabled' ? 'disabled' : 'shadow' },
      ...('error' in tried ? { error: tried.error } : {}),
    };
  const [legacy, rag] = [new Set(work.found(answer)), new Set(work.found(tried.answer))];
  const both = [...legacy].filter((name) => rag.has(name)).length;
  const comparison = {
    agrees: both === legacy.size && both === rag.size,
    found: { legacy: legacy.size, rag: rag.size, both },
    tookMs: { legacy: rounded(between - begun), rag: rounded(ended - between) },
  };
  return { answer, outcome: { side: 'legacy', reason: 'shadow', comparison } };
}

type Tried<Answer> =
  | { readonly answer: Answer }
  | { readonly reason: 'disabled' }
  | { readonly reason: 'fallback'; readonly error: unknown };

async function tryNewWay<Answer>({ rag, isOff }: RolloutWork<Answer>): Promise<Tried<Answer>> {
  try {
    const answer = await rag();
    return isOff(answer) ? { reason: 'disabled' } : { answer };
  } catch (error) {
    return { reason: 'fallback', error };
  }
}

function additionOf({ side, reason, comparison }: RolloutOutcome): RolloutAddition {
  const answered = { [side === 'rag' ? 'rag' : (reason ?? 'fallback')]: 1 };
  if (reason !== 'shadow') return answered;
  if (comparison === undefined) return { ...answered, failed: 1 };
  const { agrees, found, tookMs } = comparison;
  return {
    ...answered,
    [agrees ? 'agreed' : 'differed']: 1,
    'found-legacy': found.legacy,
    'found-rag': found.rag,
    'found-both': found.both,
    'ms-legacy': tookMs.legacy,
    'ms-rag': tookMs.rag,
  };
}
