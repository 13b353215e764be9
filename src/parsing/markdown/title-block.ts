import type { TextRange } from '../../core/document.js';
import { isMyst } from './comments.js';

/** Title, authors and date at the very start of a text, as Pandoc has them (`% title`), each in a line and those that go on in indented ones. */
export interface TitleBlock {
  readonly range: TextRange;
  readonly fields: Readonly<Record<string, string | string[]>>;
}

const FIELD = String.raw`%[ \t]*([^\n]*(?:\n[ \t]+[^\s%][^\n]*){0,20})`;
const TITLE_BLOCK = new RegExp(String.raw`^${FIELD}(?:\n${FIELD})?(?:\n${FIELD})?(?=\n[ \t]*(?:\n|$)|$)`);

/** Undefined where there is none; lines of MyST that begin with a sign of percent are comments. */
export function titleBlock(source: string): TitleBlock | undefined {
  if (!/^%[ \t\n]/.test(source) || isMyst(source)) return undefined;
  const [whole, title = '', authors = '', date = ''] = TITLE_BLOCK.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const parted = authors
    .split(/[;\n]/)
    .map((author) => author.trim())
    .filter((author) => author !== '');
  const stated = {
    title: title.replace(/\s+/g, ' ').trim(),
    author: parted.length > 1 ? parted : (parted[0] ?? ''),
    date: date.replace(/\s+/g, ' ').trim(),
  };
  const fields = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== ''));
  return Object.keys(fields).length === 0
    ? undefined
    : { range: { start: 0, end: whole.trimEnd().length }, fields };
}
