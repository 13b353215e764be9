import { isAbsolute, relative, sep } from 'node:path';
import type { DocumentOrigin } from '../../../index.js';
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
  /** Of a document in pages, whose lines nobody can look up. */
  readonly pages?: { readonly start: number; readonly end: number } | undefined;
}

/**
 * The place of a passage: `docs/a.md:12`, which a terminal opens from the working folder, or `docs/a.pdf page 3`; what is no file of this machine by
 * its id and the name of its source, since two sources may use one id.
 */
export function renderPlace({ id, origin, lines, pages }: Placed, context: Pick<CliContext, 'cwd'>): string {
  const place = pages === undefined ? `:${lines}` : ` ${pagesInWords(pages)}`;
  if (origin?.path !== undefined) return oneLine(`${displayPath(context, origin.path)}${place}`);
  return oneLine(`${id}${place}${origin === undefined ? '' : ` (${origin.source})`}`);
}

const pagesInWords = ({ start, end }: { readonly start: number; readonly end: number }): string =>
  start === end ? `page ${start}` : `pages ${start}-${end}`;
