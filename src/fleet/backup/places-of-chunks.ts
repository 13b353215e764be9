import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import { isPathInside } from '../../platform/security/path-containment.js';
import { chooseProvider, storeDefinition } from '../../resources/assembly/choose-store.js';

/** A store of an index, and where it keeps chunks. */
export interface PlaceOfChunks {
  readonly store: string;
  /** `here`: in the folder of the store. */
  readonly place:
    | 'here'
    | 'on a server'
    | 'in S3'
    | 'with a hosted service'
    | 'with the program that hands it in';
}

/** Where the generations of an index keep chunks, as its ledger says, whatever the configuration names; of an index that is none yet, where they would be. */
export async function placesOfChunks(config: ResolvedConfig): Promise<PlaceOfChunks[]> {
  const recorded = await providersIn(config);
  const providers = recorded.length > 0 ? recorded : [chooseProvider(config).provider];
  return providers.map((store) => ({ store, place: placeOf(store, config.rag.storage) }));
}

/** Where the second store of `rag.failover` is, in words; undefined where there is none, or it is in the data folder. */
export function placeOfSecond({ dataDir, rag: { failover } }: ResolvedConfig): string | undefined {
  if (failover === undefined) return undefined;
  const { provider, storage } = failover.secondary;
  const place = placeOf(provider, storage);
  if (place !== 'here') return place;
  return isPathInside(dataDir, storage.local.path) ? undefined : `in ${storage.local.path}`;
}

async function providersIn({ dataDir, rag: { ledger } }: ResolvedConfig): Promise<string[]> {
  const path = join(dataDir, DATA_FILES.ledger);
  if (ledger.type === 'postgres' || !existsSync(path)) return [];
  try {
    const opened = openLedger({ path, readOnly: true });
    try {
      return [...new Set((await opened.generations()).map(({ provider }) => provider))];
    } finally {
      await opened.close();
    }
  } catch (error) {
    // What cannot be read is told by the copy, or is of another version.
    if (RAGError.isInstance(error)) return [];
    throw error;
  }
}

function placeOf(
  store: string,
  { s3 }: Pick<ResolvedConfig['rag']['storage'], 's3'>,
): PlaceOfChunks['place'] {
  const definition = storeDefinition(store);
  if (definition === undefined) return 'with the program that hands it in';
  switch (definition.reads) {
    case 'server':
      return 'on a server';
    case 'cloud':
      return 'with a hosted service';
    case 's3':
      return s3 === undefined ? 'here' : 'in S3';
    default:
      return 'here';
  }
}
