import { join } from 'node:path';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import type { LeftElsewhere } from '../../operations/forget-types.js';
import type { ForgettingHost } from './forgetting-host.js';

/** Names of the stores of `rag.failover` that are deleted from later. */
export async function storesBehind({ resources }: ForgettingHost): Promise<string[]> {
  const { stores = [] } = (await (await resources.stores.manager())?.status()) ?? {};
  return stores.filter(({ state }) => state !== 'ready').map(({ name }) => name);
}

/** What those stores, and the journal for them, hold until then. */
export async function leftInStores(host: ForgettingHost): Promise<LeftElsewhere[]> {
  const journal = join(host.config.dataDir, DATA_FOLDERS.failover);
  return (await storesBehind(host)).map((name) => ({
    where: `the store "${name}" and the journal of writes that it lacks`,
    detail: `The store was out or behind. It holds the documents until it has caught up, and the journal (${journal}) keeps texts of them as long. \`ragstone stores sync\` removes both as soon as the store answers; where it never will, give it up: \`ragstone stores rebuild ${name}\`.`,
  }));
}
