import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The absolute path without symbolic links, also where its end does not exist yet. */
export function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPathOf(parent), basename(absolute));
  }
}
