import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_DATA_DIR } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { deploymentRisksOf } from '../config/trust/deployment-risks.js';
import { foldersOutside, hostedModel, linksOf, storeAbroad } from '../config/trust/index-reach.js';
import { keyRisksOf } from '../config/trust/key-risks.js';
import type { Risk } from '../config/trust/risks.js';
import { type TrustOptions, trustConfiguration } from '../config/trust/trust-configuration.js';
import { revoke, type TrustedFolder, trust, trustedFolders } from '../config/trust/trust-store.js';
import { DATA_FILES } from '../core/data-folder.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import { tenantsOf } from '../indexing/list-generations.js';
import { namedFolders, rememberedPaths } from '../indexing/named-folders.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { splitModelName } from '../platform/providers/provider-table.js';

export type { TrustOptions };

/**
 * Trusts a folder with what the configuration found in it does now, and its data folder with what the index in it says now. It is
 * recorded for this account, outside of the folder.
 *
 * @returns what it is trusted with
 * @throws RAGError `CONFIG_INVALID` where the file cannot be read; `INDEX_DAMAGED` where the index cannot.
 */
export async function trustFolder(
  folder: string,
  place: TrustOptions = {},
): Promise<{ readonly risks: readonly Risk[] }> {
  const { risks, config } = await trustConfiguration(folder, place);
  if (config === undefined || !existsSync(config.dataDir)) return { risks };
  const ofIndex = [
    ...linksOf(config),
    ...(await ledgerRisks(config)),
    ...keyRisksOf(config.dataDir),
    ...deploymentRisksOf(config.dataDir),
  ];
  if (ofIndex.length > 0) trust(config.dataDir, ofIndex, config.environment);
  return { risks: [...risks, ...ofIndex] };
}

/** Takes trust in a folder and its data folder back; false where there was none. */
export async function revokeTrust(
  folder: string,
  { dataDir, env = process.env }: TrustOptions = {},
): Promise<boolean> {
  const own = dataDir ?? resolve(folder, DEFAULT_DATA_DIR);
  const [ofIndex, ofFolder] = [own, folder].map((path) => revoke(path, env));
  return ofIndex === true || ofFolder === true;
}

/** The folders that this account trusts with something beyond them. */
export const listTrust = (env: TrustOptions['env'] = process.env): TrustedFolder[] => trustedFolders(env);

async function ledgerRisks(config: ResolvedConfig): Promise<Risk[]> {
  const path = join(config.dataDir, DATA_FILES.ledger);
  if (config.rag.ledger.type !== 'sqlite' || !existsSync(path)) return [];
  const ledger = openLedger({ path, readOnly: true });
  try {
    const generations = await ledger.generations();
    const models = generations.map(({ embedder }) => embedder).filter((model) => splitModelName(model));
    return [
      ...foldersOutside(await placesIn(ledger, config), config),
      ...[...new Set(models)].map(hostedModel),
      ...[...new Set(generations.map(({ provider }) => provider))].flatMap(storeAbroad),
    ];
  } finally {
    await ledger.close();
  }
}

/** Where files and folders lie that were named for any tenant, indexed or only remembered. */
async function placesIn(ledger: Ledger, config: ResolvedConfig): Promise<string[]> {
  const tenants = new Set([LOCAL_SCOPE.tenant, ...(await tenantsOf(ledger))]);
  const readers = (await ledger.generations()).map(({ generation }) => ledger.reader(generation));
  const places: string[] = [];
  for (const tenant of tenants) {
    const remembered = await ledger.rememberedSources(tenant);
    for (const reader of readers.length === 0 ? [undefined] : readers) {
      const names = new Set([...remembered, ...((await reader?.sourceNames(tenant)) ?? [])]);
      const folders = await namedFolders(names, { ledger, reader, tenant, config });
      places.push(...rememberedPaths(names, config), ...folders.flatMap(({ root }) => root ?? []));
    }
  }
  return places;
}
