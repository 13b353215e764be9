import { resolve } from 'node:path';
import { RAGError } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import type { LedgerItem } from '../../ledger/ledger.js';
import type { FailedItem, FailuresRequest } from '../../operations/engine.js';
import { isAhead, type RetryPolicy, retryPolicyOf } from '../../operations/retry-policy.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { readFailingSources } from './read-source-states.js';
import { errorOf, pathAdder } from './read-status.js';
import { sourcesOfScope } from './sources-of-scope.js';

/**
 * Items that failed of a scope's tenant, worst first; nothing before the first run. An item is named by its id or by its file. Throws `USAGE` where
 * nothing that is named has failed.
 */
export async function readFailures(
  { sources, items }: FailuresRequest,
  resources: EngineResources,
  scope: Scope,
): Promise<FailedItem[]> {
  const live = await resources.ledger.live();
  const inScope = await sourcesOfScope(live?.reader, scope);
  const everything = (await live?.reader.failures(Number.MAX_SAFE_INTEGER)) ?? [];
  const ofScope = everything.filter(({ tenant, source }) => tenant === scope.tenant && inScope(source));
  const ofSources = ofScope.filter(({ source }) => sources === undefined || sources.includes(source));
  const failing = await readFailingSources(resources, scope);
  assertAllFailed('source', sources, new Set([...ofScope.map(({ source }) => source), ...failing]));
  const policy = retryPolicyOf(resources.config);
  const addPath = pathAdder(resources.config);
  const failed = ofSources.map((item): FailedItem => {
    const { path } = addPath(errorOf(item));
    return { ...failedItem(item, policy), ...(path === undefined ? {} : { path }) };
  });
  const { projectRoot } = resources.config;
  const isNamed = ({ item, path }: FailedItem, name: string): boolean =>
    item === name || (path !== undefined && path === resolve(projectRoot, name));
  const named = new Set(items?.filter((name) => failed.some((one) => isNamed(one, name))));
  assertAllFailed('item', items, named);
  return items === undefined ? failed : failed.filter((one) => items.some((name) => isNamed(one, name)));
}

function assertAllFailed(
  what: string,
  names: readonly string[] | undefined,
  failed: ReadonlySet<string>,
): void {
  const other = names?.find((name) => !failed.has(name));
  if (other !== undefined)
    throw new RAGError(
      'USAGE',
      `Nothing failed of the ${what} ${JSON.stringify(other)}: \`ragstone failures\` lists what did.`,
    );
}

function failedItem(item: LedgerItem, policy: RetryPolicy): FailedItem {
  const { attempts, error } = item;
  const state = stateOf(item, policy);
  return {
    ...errorOf(item),
    attempts,
    failedAt: error?.at ?? '',
    state,
    ...(state === 'waiting' && error?.nextAttemptAt !== undefined
      ? { nextAttemptAt: error.nextAttemptAt }
      : {}),
  };
}

/** Each listing looks anew at what it could not even name the version of. */
function stateOf({ attempts, error, status }: LedgerItem, policy: RetryPolicy): FailedItem['state'] {
  if (error?.version === undefined || status !== 'failed') return 'due';
  if (attempts >= policy.attempts) return 'given-up';
  return isAhead(error.nextAttemptAt) ? 'waiting' : 'due';
}
