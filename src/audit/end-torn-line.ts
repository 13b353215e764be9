import type { FileHandle } from 'node:fs/promises';

const LINE_FEED = 0x0a;

/** What ends a line that somebody left without an end, before the next one is appended to a file of this size. */
export async function endOfTornLine(file: FileHandle, size: number): Promise<string> {
  if (size === 0) return '';
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] === LINE_FEED ? '' : '\n';
}
