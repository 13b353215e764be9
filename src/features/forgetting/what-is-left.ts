import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import type { ForgetRequest, LeftElsewhere } from '../../operations/forget-types.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { triesOf } from './erase-tries.js';

/** What is not removed, and by whom it can be; beside stores of `rag.failover` that delete later. */
export function whatIsLeft(
  { source, documents, filter, allowAgain = false }: ForgetRequest,
  {
    config,
    stores,
    keptOut,
  }: {
    config: ResolvedConfig;
    stores: readonly VectorStore[];
    keptOut: number;
  },
): LeftElsewhere[] {
  const { dataDir, rag } = config;
  const isWhole = source !== undefined && documents === undefined && filter === undefined;
  const again = isWhole
    ? 'It is not read any more. It is indexed again once it is configured again, or its folder is named.'
    : allowAgain || keptOut === 0
      ? 'Where it still holds the documents, the next run indexes them again, for they may come back.'
      : 'Where it still holds the documents, runs leave them out while this receipt is not undone (`ragstone forget --undo`). Under another name, or in another source, they are other documents.';
  const left: LeftElsewhere[] = [{ where: 'the sources', detail: again }];
  const servers = new Set(stores.flatMap(({ capabilities: { keepsDeleted } }) => keepsDeleted ?? []));
  for (const detail of servers) left.push({ where: 'the server of the store', detail: sentence(detail) });
  if (rag.ledger.type === 'postgres' || config.own?.ledger?.reclaim !== undefined)
    left.push({
      where: 'the server of the ledger',
      detail:
        'PostgreSQL keeps bytes of deleted rows in the free room of its pages until that is written over (`VACUUM FULL` of the tables `ragstone_ledger_*` removes them at once and locks them meanwhile), in its write-ahead log until that is recycled, and in replicas and backups. Hashes of the names of items stay in `ragstone_ledger_lease` for 7 days.',
    });
  if (existsSync(join(dataDir, DATA_FOLDERS.audit)))
    left.push({
      where: 'the audit log',
      detail:
        'It says who was given which document, by its id, and the filters of searches as they were stated, until its files are removed. It is not changed, for then it would prove nothing.',
    });
  if (existsSync(join(dataDir, DATA_FOLDERS.clones)) && !isWhole)
    left.push({
      where: 'clones of repositories',
      detail: `${join(dataDir, DATA_FOLDERS.clones)} holds clones of the repositories that are sources, with all that their history holds.`,
    });
  if (triesOf(dataDir).length > 0)
    left.push({
      where: 'folders that are tried',
      detail:
        'The indexes of `ragstone try` are removed whole. It reads no list of what was forgotten: trying a folder again indexes what it still holds.',
    });
  if (existsSync(join(dataDir, DATA_FOLDERS.knowledge)))
    left.push({
      where: 'knowledge stores',
      detail: `${join(dataDir, DATA_FOLDERS.knowledge)} holds indexes of their own; each is told by itself (--data).`,
    });
  if (rag.embedding.cache.redis !== undefined)
    left.push({
      where: 'the Redis server of the cache of vectors',
      detail: `It keeps vectors under hashes, and no text, until they are ${rag.embedding.cache.ttl} seconds old (rag.embedding.cache.ttl). It does not say whose a vector is; \`redis-cli --scan --pattern 'sdap:embedding:*'\` lists all of them.`,
    });
  if (rag.embedding.model.includes(':') || rag.chat.model !== undefined)
    left.push({
      where: 'providers of models',
      detail: 'Texts that were sent to a hosted model are kept by its provider as its terms say.',
    });
  left.push({
    where: 'backups and the disk',
    detail:
      'Backups and snapshots of the data folder are yours. A file system may keep the blocks of removed files until it uses them again.',
  });
  return left;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
