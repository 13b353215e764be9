import type { ResolvedConfig } from '../../config/resolved-config.js';
import { originOf } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { STORES } from '../../stores/definitions.js';
import type { ForeignDocuments } from '../../stores/foreign-documents.js';
import type { StoreDefinition } from '../../stores/store-definition.js';
import { storeDefinition } from './choose-store.js';
import { storeContext } from './open-store.js';

/**
 * What another program keeps in the database that a configuration names.
 *
 * @param collection default: the one that the configuration states, else the store's usual one
 * @throws RAGError `CONFIG_INVALID` for a store of which nothing can be read that is not of Ragstone, or where no collection is named
 */
export async function openForeignDocuments(
  config: ResolvedConfig,
  collection: string | undefined,
): Promise<ForeignDocuments> {
  const { provider, storage } = config.rag;
  const definition = storeDefinition(provider);
  const { openForeign, foreignName } = definition ?? {};
  if (definition === undefined || openForeign === undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.provider is ${provider}: only documents of another program in ${readable.join(' or ')} can be imported. Another index of Ragstone is copied by \`ragstone migrate\`.`,
      { details: { key: 'rag.provider', value: provider } },
    );
  const isStated = originOf(config, 'rag.storage.local.collection').kind !== 'default';
  const name = collection ?? (isStated ? storage.local.collection : foreignName);
  if (name === undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      'Which collection is to be imported? Name it with --collection, or as rag.storage.local.collection.',
      { details: { key: 'rag.storage.local.collection' } },
    );
  return openForeign(await storeContext(definition, config), name);
}

const readable = STORES.filter((store: StoreDefinition) => store.openForeign !== undefined).map(
  ({ name }) => `\`${name}\``,
);
