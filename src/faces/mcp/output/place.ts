import * as z from 'zod';
import { type DocumentOrigin, neutraliseLine } from '../../../index.js';
import type { ToolContext } from '../tools/tool.js';

const MAX_NAME_LENGTH = 300;

/** A name out of a document, inert on any line. */
export function inertName(text: string): string {
  const line = neutraliseLine(text).replaceAll('<', '‹');
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH)}…` : line;
}

/** What every output says of a place in a document. */
export const placeShape = {
  document_id: z.string(),
  title: z.string().optional(),
  source: z.string().describe('Path or id of the document in its source.'),
  path: z.string().optional().describe('Its file on this machine.'),
  url: z.string().optional(),
};

export const linesShape = z
  .object({ start: z.number(), end: z.number() })
  .describe('Lines of the document, from 1, both included.');

export const pagesShape = z
  .object({ start: z.number(), end: z.number() })
  .optional()
  .describe('Pages, of a document in pages: from 1, both included.');

interface Placed {
  readonly id: string;
  readonly title?: string | undefined;
  readonly source: string;
  readonly origin?: DocumentOrigin | undefined;
  readonly url?: string | undefined;
}

type Place = z.output<z.ZodObject<typeof placeShape>>;

/** A place without what its document does not have; all names inert. */
export function placeOf({ id, title, source, origin, url }: Placed, { showPath }: ToolContext): Place {
  const path = origin?.path === undefined ? undefined : showPath(origin.path);
  return {
    document_id: id,
    ...(title === undefined ? {} : { title: inertName(title) }),
    source: inertName(source),
    ...(path === undefined ? {} : { path: inertName(path) }),
    ...(url === undefined ? {} : { url: inertName(url) }),
  };
}

/** `docs/a.md:3-9` or `docs/a.pdf page 3`, by the file where there is one. */
export function renderPlace(
  { path, source }: Place,
  lines?: z.output<typeof linesShape>,
  pages?: z.output<typeof pagesShape>,
): string {
  const name = path ?? source;
  if (pages !== undefined)
    return pages.start === pages.end
      ? `${name} page ${pages.start}`
      : `${name} pages ${pages.start}-${pages.end}`;
  if (lines === undefined) return name;
  return lines.start === lines.end ? `${name}:${lines.start}` : `${name}:${lines.start}-${lines.end}`;
}
