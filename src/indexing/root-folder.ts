import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ResolvedConfig, ResolvedSource } from '../config/resolved-config.js';
import { realPathOf } from '../platform/security/path-containment.js';
import { sourceDefinition } from '../sources/definitions.js';

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

/** Absolute path of what a source reads of this machine's files; undefined for services, databases and repositories elsewhere. */
export function rootOf(settings: ResolvedSource, { projectRoot }: ResolvedConfig): string | undefined {
  if ('root' in settings) return resolve(projectRoot, settings.root);
  return sourceDefinition(settings.type).folder?.(settings, projectRoot);
}
