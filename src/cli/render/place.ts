import { isAbsolute, relative, sep } from 'node:path';
import type { DocumentOrigin } from '../../index.js';
import type { CliContext } from '../context.js';
import { oneLine } from './text.js';

/** As short as it can be said: relative below the working folder, else absolute. */
export function displayPath({ cwd }: Pick<CliContext, 'cwd'>, path: string): string {
  const inside = relative(cwd, path);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  return isInside ? inside : path;
}

/** What a document is read from. */
interface Placed {
  /** Path or id relative to the root of its source. */
  readonly id: string;
  readonly origin: DocumentOrigin | undefined;
  /** `12` or `12-15`. */
  readonly lines: string;
}

/**
 * The place of a passage: `docs/a.md:12`, which a terminal opens from the working folder; what is no file of this machine by
 * its id and the name of its source, since two sources may use one id.
 */
export function renderPlace({ id, origin, lines }: Placed, context: Pick<CliContext, 'cwd'>): string {
  if (origin?.path !== undefined) return oneLine(`${displayPath(context, origin.path)}:${lines}`);
  return oneLine(`${id}:${lines}${origin === undefined ? '' : ` (${origin.source})`}`);
}
