import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { sleep } from '../../core/runtime.js';
import type { RemovedFrom } from '../../operations/forget-types.js';
import { KEPT_BY_SERVICES } from '../../platform/redis/remembered-servers.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { openRedisShelf } from '../../resources/assembly/open-redis-shelf.js';

/** How often the log is asked for while a reader holds it, and the pause between, in milliseconds. */
const LOG_ATTEMPTS = 10;
const LOG_PAUSE_MS = 200;

interface Erasing {
  readonly signal: AbortSignal;
  /** The command for where something cannot be removed now. */
  readonly again: string;
}

interface Counts {
  readonly shown: number;
  readonly writes: number;
}

/** What tells the outcome of a write from one that is under way, of which a hash alone is kept (see `faces/service/requests/idempotent-writes.ts`). */
const DONE = '"isDone":true';

/**
 * Takes away what a service keeps of a tenant for an hour, in its file and on the server of `rag.server.redis` (see `service/kept`): questions
 * with the paths that were shown, and outcomes of writes, with ids and errors. All of them go, because any may quote what is forgotten; a
 * write that is repeated under its key is done again.
 *
 * @throws RAGError `INDEX_LOCKED` where a reader keeps the log of the file, `SERVICE_UNAVAILABLE` where the server does not answer
 */
export async function eraseRetained(
  config: ResolvedConfig,
  tenant: string,
  erasing: Erasing,
): Promise<RemovedFrom[]> {
  const here = await eraseInFile(config.serviceDir ?? config.dataDir, tenant, erasing);
  const there = await eraseOnServer(config, tenant, erasing);
  return [
    { place: 'shown results', what: 'requests', count: here.shown + there.shown },
    { place: 'outcomes of writes', what: 'requests', count: here.writes + there.writes },
  ];
}

/** The log is emptied, once: what a service writes into it from then on is of other questions. */
async function eraseInFile(dataDir: string, tenant: string, { signal, again }: Erasing): Promise<Counts> {
  const path = join(dataDir, DATA_FILES.serviceValues);
  if (!existsSync(path)) return { shown: 0, writes: 0 };
  const database = SqliteDatabase.open(path, {
    toError: (_, cause) =>
      new RAGError('INDEX_UNAVAILABLE', `What the service remembers cannot be removed from ${path}.`, {
        cause,
      }),
  });
  try {
    database.exec('PRAGMA secure_delete = ON');
    const owner = contentHash(tenant);
    const shown = database.run("DELETE FROM kept WHERE kind = 'shown' AND tenant = ?", owner);
    const writes = database.run(
      "DELETE FROM kept WHERE kind = 'write' AND tenant = ? AND instr(CAST(value AS TEXT), ?) > 0",
      ...[owner, DONE],
    );
    for (let attempt = 1; !database.tryTruncateLog(); attempt++) {
      if (attempt === LOG_ATTEMPTS)
        throw new RAGError(
          'INDEX_LOCKED',
          `Another process keeps the log of ${path} from being emptied, where deleted text still stands. Run \`${again}\` when it has let go.`,
        );
      await sleep(LOG_PAUSE_MS);
      signal.throwIfAborted();
    }
    return { shown, writes };
  } finally {
    database.close();
  }
}

async function eraseOnServer(config: ResolvedConfig, tenant: string, { again }: Erasing): Promise<Counts> {
  const { redis } = config.rag.server;
  if (redis === undefined) return { shown: 0, writes: 0 };
  const place = { path: ['rag', 'server'], what: 'the service', ttl: KEPT_BY_SERVICES };
  const shelf = await openRedisShelf(redis, place, config);
  try {
    const owner = contentHash(tenant);
    const shown = await shelf.removeAll(`ragstone:shown:${owner}:`);
    const writes = await shelf.removeAll(`ragstone:write:${owner}:`, (value) => value.includes(DONE));
    if (shown !== undefined && writes !== undefined) return { shown, writes };
  } finally {
    shelf.close();
  }
  throw new RAGError(
    'SERVICE_UNAVAILABLE',
    `The Redis server of rag.server.redis does not answer, so questions and outcomes of writes that may name what is deleted are still on it. Run \`${again}\` when it does.`,
  );
}
