import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../core/data-folder.js';
import { RAGError } from '../core/errors.js';
import { contentHash } from '../core/ids.js';
import { sleep } from '../core/runtime.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { RemovedFrom } from './forget-types.js';

/** How often the log is asked for while a reader holds it, and the pause between, in milliseconds. */
const LOG_ATTEMPTS = 10;
const LOG_PAUSE_MS = 200;

/**
 * Takes away what a service remembers of results that it showed to a tenant (see `service/kept/sqlite-values.ts`): questions and paths, an
 * hour long. All of them go, because a question may quote what is forgotten. The log is emptied after that, once: what a service writes
 * into it from then on is of other questions.
 *
 * @param again the command for where a reader keeps the log
 * @throws RAGError `INDEX_LOCKED` where a reader keeps the log
 */
export async function eraseShown(
  dataDir: string,
  tenant: string,
  { signal, again }: { readonly signal: AbortSignal; readonly again: string },
): Promise<RemovedFrom[]> {
  const path = join(dataDir, DATA_FILES.serviceValues);
  if (!existsSync(path)) return [];
  const database = SqliteDatabase.open(path, {
    toError: (_, cause) =>
      new RAGError('INDEX_UNAVAILABLE', `What the service remembers cannot be removed from ${path}.`, {
        cause,
      }),
  });
  try {
    database.exec('PRAGMA secure_delete = ON');
    const count = database.run("DELETE FROM kept WHERE kind = 'shown' AND tenant = ?", contentHash(tenant));
    for (let attempt = 1; !database.tryTruncateLog(); attempt++) {
      if (attempt === LOG_ATTEMPTS)
        throw new RAGError(
          'INDEX_LOCKED',
          `Another process keeps the log of ${path} from being emptied, where deleted text still stands. Run \`${again}\` when it has let go.`,
        );
      await sleep(LOG_PAUSE_MS);
      signal.throwIfAborted();
    }
    return [{ place: 'shown results', what: 'requests', count }];
  } finally {
    database.close();
  }
}
