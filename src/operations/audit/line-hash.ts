import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.js';
import type { Metadata } from '../../core/metadata.js';

/**
 * Each writer's lines are a chain: a line's hash covers the line and the hash before it. So a line that was changed, taken out or put
 * in shows, and writers need not wait for each other, as one chain for all of them would ask. Who may write the file can make a whole
 * chain anew, or cut the end off one: that shows only against a copy kept elsewhere.
 */
export function lineHash(previous: string, line: object): string {
  const { hash: _, ...rest } = JSON.parse(JSON.stringify(line)) as Metadata;
  return createHash('sha256').update(previous).update(canonicalJson(rest)).digest('hex').slice(0, 32);
}
