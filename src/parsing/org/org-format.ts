import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { levelLineEnds } from '../text-range.js';

/** Org files as Markdown, line for line: headlines with their state, lists, blocks, tables, links, properties. Other drawers, comments, trees of comments and settings are left out. */
export const ORG_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.org, convert: readOrg };

const SETTING = /^\s*#\+([\w-]+):\s*(.*)$/;
const HEADLINE =
  /^(\*+)\s+((?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED)\s+)?(?:\[#[A-Z]\]\s+)?(.*?)(?:\s+:([\p{L}\p{N}_@:#%]+):)?\s*$/u;
const BEGIN = /^\s*#\+begin_(\w+)\s*(\S*)/i;
const LINK = /\[\[([^[\]]{1,2000})\](?:\[([^[\]]{1,2000})\])?\]/g;
/** Marks stand between blanks or signs, and beside letters. */
const MARKED = /(?<=^|[\s({'"-])([*/_=~+])(?=\S)([^\n]{0,300}?\S)\1(?=$|[\s.,:;!?)}'"-])/g;
const MARKS: Readonly<Record<string, string>> = {
  '*': '**',
  '/': '_',
  _: '_',
  '=': '`',
  '~': '`',
  '+': '~~',
};
/** Blocks whose text is not prose. */
const VERBATIM = new Set(['src', 'example', 'export', 'verse']);

function readOrg({ content, externalId }: RawDocument): ConvertedDocument {
  const { text, warnings } = decodeText(content, externalId);
  const settings = new Map<string, string>();
  let block: string | undefined;
  let drawer: string | undefined;
  const headed = new Set<string>();
  let commented = Number.POSITIVE_INFINITY;
  const lines = levelLineEnds(text)
    .split('\n')
    .map((line) => {
      const stars = block === undefined ? (/^(\*+)\s/.exec(line)?.[1]?.length ?? 0) : 0;
      if (stars > 0) {
        drawer = undefined;
        if (stars <= commented) commented = COMMENT_TREE.test(line) ? stars : Number.POSITIVE_INFINITY;
      }
      if (Number.isFinite(commented)) return '';
      if (block !== undefined) {
        const isEnd = new RegExp(`^\\s*#\\+end_${block}\\b`, 'i').test(line);
        if (!isEnd) return blockLine(line, block);
        const fence = VERBATIM.has(block) ? '```' : '';
        block = undefined;
        return fence;
      }
      const begin = BEGIN.exec(line);
      if (begin !== null) {
        block = (begin[1] ?? '').toLowerCase();
        if (block === 'comment') return '';
        return VERBATIM.has(block) ? `\`\`\`${begin[2] ?? ''}` : '';
      }
      if (/^\s*:END:\s*$/i.test(line)) {
        drawer = undefined;
        return '';
      }
      if (drawer !== undefined) return drawer === 'properties' ? propertyOf(line) : '';
      drawer = /^\s*:([\w-]+):\s*$/.exec(line)?.[1]?.toLowerCase();
      if (drawer !== undefined) return '';
      for (const tag of HEADLINE.exec(line)?.[4]?.split(':') ?? []) if (tag !== '') headed.add(tag);
      const setting = SETTING.exec(line);
      if (setting !== null) {
        settings.set((setting[1] ?? '').toLowerCase(), setting[2] ?? '');
        return /^caption$/i.test(setting[1] ?? '') ? inline(setting[2] ?? '') : '';
      }
      return /^\s*#(?:\s|$)/.test(line) ? '' : written(line);
    });
  const filed = (settings.get('filetags') ?? '').split(/[:\s]+/).filter((tag) => tag !== '');
  const tags = [...new Set([...filed, ...headed])];
  const [title, date] = [settings.get('title'), /\d{4}-\d{2}-\d{2}/.exec(settings.get('date') ?? '')?.[0]];
  return {
    markdown: withRules(lines).join('\n'),
    title: title === '' ? undefined : title,
    metadata: { ...(tags.length === 0 ? {} : { tags }), ...(date === undefined ? {} : { date }) },
    warnings,
  };
}

const COMMENT_TREE = /^\*+\s+(?:[A-Z]+\s+)?COMMENT(?:\s|$)/;

/** A property as an item; ids say nothing to a reader. */
function propertyOf(line: string): string {
  const [, name = '', value = ''] = /^\s*:([\w+-]+):\s+(.*\S)\s*$/.exec(line) ?? [];
  return name === '' || /^(?:CUSTOM_)?ID$/i.test(name) ? '' : `- ${name}: ${inline(value)}`;
}

function blockLine(line: string, block: string): string {
  if (block === 'comment') return '';
  // A comma keeps a line of code from being one of Org.
  if (VERBATIM.has(block)) return line.replace(/^(\s*),(?=[*#])/, '$1');
  return block === 'quote' ? `> ${inline(line)}` : written(line);
}

function written(line: string): string {
  const headline = HEADLINE.exec(line);
  if (headline !== null)
    return `${'#'.repeat(Math.min(6, headline[1]?.length ?? 1))} ${headline[2] ?? ''}${inline(headline[3] ?? '')}`;
  if (/^\s*\|[-+|]+\s*$/.test(line)) return line.trim().replaceAll('+', '|');
  if (/^\s*(?:SCHEDULED|DEADLINE|CLOSED):/.test(line)) return line.trim();
  const fixed = /^\s*:(?: (.*))?$/.exec(line);
  if (fixed !== null) return `    ${fixed[1] ?? ''}`;
  return inline(line.replace(/^(\s*)\+(?=\s)/, '$1-')).replace(/^(\s*-\s+)(.+?)\s+::\s+/, '$1**$2**: ');
}

const inline = (text: string): string =>
  text
    .replace(LINK, (_, target: string, label?: string) =>
      label === undefined ? target : `[${label}](<${target.replaceAll(/[<>]/g, '')}>)`,
    )
    .replace(MARKED, (_, mark: string, inside: string) => `${MARKS[mark] ?? ''}${inside}${MARKS[mark] ?? ''}`)
    .replace(/\[fn:([\w-]+)\]/g, '[^$1]');

/** Markdown has one rule in a table, behind its first row. */
function withRules(lines: readonly string[]): string[] {
  let row = 0;
  return lines.flatMap((line, index) => {
    const isRow = /^\s*\|/.test(line);
    const isRule = isRow && /^\|[-|\s]+$/.test(line.trim());
    row = isRow ? row + 1 : 0;
    if (isRow && isRule) return row === 2 ? [line] : [];
    const isNextRule = /^\|[-|\s]+$/.test(lines[index + 1]?.trim() ?? '');
    if (row !== 1 || isNextRule) return [line];
    const columns = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|').length;
    return [line, `|${' - |'.repeat(columns)}`];
  });
}
