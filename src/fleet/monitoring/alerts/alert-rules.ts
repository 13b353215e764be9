import { isOfService } from '../../../core/errors.js';
import { runtime } from '../../../core/runtime.js';
import { listenTo, type OperationPayload } from '../../../core/telemetry-listener.js';
import type { EngineHealth } from '../../../operations/engine.js';
import type { AlertCondition } from './alert.js';

/** What a rule says of its condition: it holds, with what was measured, or it does not. */
export interface Verdict {
  readonly holds: boolean;
  readonly value: number;
  readonly message: string;
}

/** Watches one condition and tells each verdict, also one that changes nothing. */
export interface AlertRule {
  /** After each check of the parts. */
  onHealth?(health: EngineHealth): void;
  stop(): void;
}

export type Judge = (verdict: Verdict) => void;

/** So long no search may be slow before it is over, in milliseconds. */
export const QUIET_MS = 60_000;

/** A search took longer than the threshold, in milliseconds. It is over when for a minute none did. */
function slowQuery({ threshold }: AlertCondition, judge: Judge): AlertRule {
  let cancel = (): void => undefined;
  const stop = listenTo(
    {
      end: (_, { tookMs = 0 }) => {
        if (tookMs <= threshold) return;
        cancel();
        cancel = runtime().setTimer(
          () =>
            judge({
              holds: false,
              value: 0,
              message: `No search took more than ${threshold} ms for a minute.`,
            }),
          QUIET_MS,
          { isBackground: true },
        );
        judge({
          holds: true,
          value: Math.round(tookMs),
          message: `A search took ${Math.round(tookMs)} ms, more than ${threshold} ms. rag_search_lane_duration_seconds says where the time goes.`,
        });
      },
    },
    ['search'],
  );
  return {
    stop: () => {
      stop();
      cancel();
    },
  };
}

/** A source of a tenant failed so often in a row. It is over when each source that failed was written again. */
function indexingFailure({ threshold }: AlertCondition, judge: Judge): AlertRule {
  const inARow = new Map<string, { readonly source: string; readonly failures: number }>();
  const count = ({ tenant, sources, failedSources = [] }: OperationPayload<'index'>): void => {
    const failed = new Set(failedSources);
    for (const source of new Set([...sources, ...failed])) {
      const key = JSON.stringify([tenant, source]);
      const failures = (inARow.get(key)?.failures ?? 0) + 1;
      if (failed.has(source)) inARow.set(key, { source, failures });
      else inARow.delete(key);
    }
    const worst = [...inARow.values()].sort((a, b) => b.failures - a.failures)[0];
    const value = worst?.failures ?? 0;
    judge(
      worst !== undefined && value >= threshold
        ? {
            holds: true,
            value,
            message: `Indexing the source "${worst.source}" failed ${value} times in a row. \`ragstone failures\` says what could not be read, and \`ragstone status\` why the last run failed.`,
          }
        : { holds: false, value, message: 'The sources that failed were indexed again.' },
    );
  };
  const stop = listenTo(
    {
      end: (_, payload) => {
        const { error } = payload;
        // Nothing is wrong with a run that was stopped, that another one was in the way of, or that could not be done as it was asked for.
        if (error !== undefined && !isOfService(error)) return;
        // It is the channel of runs alone.
        count(payload as OperationPayload<'index'>);
      },
    },
    ['index'],
  );
  return { stop };
}

/** The store did not answer so many checks in a row. It is over when it answers one. */
function storeUnreachable({ threshold }: AlertCondition, judge: Judge): AlertRule {
  let failures = 0;
  return {
    onHealth: ({ parts }) => {
      const failed = parts.find(({ part, ok }) => !ok && (part === 'ledger' || part === 'store'));
      failures = failed === undefined ? 0 : failures + 1;
      judge(
        failures >= threshold
          ? {
              holds: true,
              value: failures,
              message: `The ${failed?.part ?? 'store'} did not answer ${failures} checks in a row. \`ragstone health\` says why.`,
            }
          : { holds: false, value: failures, message: 'Store and ledger answer again.' },
      );
    },
    stop: () => undefined,
  };
}

const RULES: Readonly<
  Record<AlertCondition['name'], (condition: AlertCondition, judge: Judge) => AlertRule>
> = {
  slow_query: slowQuery,
  indexing_failure: indexingFailure,
  store_unreachable: storeUnreachable,
};

/** Begins to watch a condition. */
export const watchCondition = (condition: AlertCondition, judge: Judge): AlertRule =>
  RULES[condition.name](condition, judge);
