import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { realPathOf } from '../platform/security/real-path.js';

/**
 * The folder that ids of a root are relative to: a root may be one file, or a link to one. Of a root that cannot be looked at (it is gone, the way
 * to it is closed, links lead in a circle) nothing is known, so it counts as a folder.
 */
export const folderOfRoot = (root: string): string => (isFile(root) ? dirname(realPathOf(root)) : root);

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
