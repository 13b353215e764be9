import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical-json.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import type { Metadata } from '../../core/metadata.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import { indexRisk } from './index-reach.js';
import type { Risk } from './risks.js';

/** Folder of a data folder that holds the keys of those who may call the service, a file each. */
export const keysFolderOf = (dataDir: string): string => join(dataDir, DATA_FOLDERS.keys);

/** Whether a file there is a key, by its name. */
export const isKeyFile = (name: string): boolean => /^[0-9a-f]{16}\.json$/.test(name);

/**
 * A key as something that a data folder does beyond itself: it lets callers in. What the key allows is part of it, so a file that
 * was changed is another one; that it was revoked is not.
 */
export function keyRisk({ revokedAt: _, ...record }: Metadata): Risk {
  const digest = createHash('sha256').update(canonicalJson(record)).digest('hex').slice(0, 16);
  return indexRisk(
    `lets in callers with the key ${String(record.id)} of tenant ${String(record.tenant)} (${digest})`,
  );
}

/** Those of a data folder. One that cannot be read, or was revoked, lets nobody in. */
export function keyRisksOf(dataDir: string): Risk[] {
  const folder = keysFolderOf(dataDir);
  return filesIn(folder).flatMap((name) => {
    try {
      const record = JSON.parse(readRegularFileSync(join(folder, name)).toString('utf8')) as Metadata;
      return record.revokedAt === undefined ? [keyRisk(record)] : [];
    } catch {
      return [];
    }
  });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isKeyFile);
  } catch {
    return [];
  }
}
