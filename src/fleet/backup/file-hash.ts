import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { openRegularFile } from '../../platform/security/regular-file.js';

/** The SHA-256 of a file, in hexadecimal. */
export async function hashOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  const { handle } = await openRegularFile(path);
  // The stream closes it.
  await pipeline(handle.createReadStream(), hash, { signal });
  return hash.digest('hex');
}

/** Returns when the file is on the disk. */
export async function flushFile(path: string): Promise<void> {
  const { handle } = await openRegularFile(path, { flags: constants.O_RDWR });
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
