import { readSync } from 'node:fs';

const LINE_FEED = 0x0a;

/** What ends a line that somebody left without an end, before the next one is appended to an open file of this size. */
export function endOfTornLine(descriptor: number, size: number): string {
  if (size === 0) return '';
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === LINE_FEED ? '' : '\n';
}
