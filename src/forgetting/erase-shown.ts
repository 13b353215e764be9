import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RAGError } from '../core/errors.js';
import { contentHash } from '../core/ids.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { RemovedFrom } from './forget-types.js';

/**
 * Takes away what a service remembers of results that it showed to a tenant (see `service/kept/sqlite-values.ts`): questions and paths, an
 * hour long. All of them go, because a question may quote what is forgotten.
 */
export function eraseShown(dataDir: string, tenant: string): RemovedFrom[] {
  const path = join(dataDir, 'service.db');
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
    database.tryTruncateLog();
    return [{ place: 'shown results', what: 'requests', count }];
  } finally {
    database.close();
  }
}
