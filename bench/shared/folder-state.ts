import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder with its size and time of change, for telling whether anything was written. */
export function folderState(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    entries.flatMap((entry) => {
      const stat = statSync(join(folder, entry));
      return stat.isFile() ? [[entry, `${stat.size} ${stat.mtimeMs}`] as const] : [];
    }),
  );
}

/** Bytes of all files below a folder. */
export function folderBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.reduce((total, entry) => {
    const stat = statSync(join(folder, entry));
    return total + (stat.isFile() ? stat.size : 0);
  }, 0);
}
