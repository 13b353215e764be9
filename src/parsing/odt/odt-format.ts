import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import { escapeMarkup, openArchive, pictureMarkup } from '../open-archive.js';
import { type Script, scriptMarkup } from '../raised-text.js';
import { allOf, childOf, elementsOf, type XmlElement, type XmlNode, xmlText } from '../read-xml.js';
import { TextRoom } from '../text-room.js';

/** Text documents of OpenDocument (ISO/IEC 26300): headings, lists, tables, notes, comments. Pictures (but for their descriptions), objects and hidden text are left out and counted. */
export const ODT_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.odt, convert: readOdt };

/** Repeated cells and blanks say nothing. */
const MAX_REPEATED = 64;

async function readOdt(document: RawDocument): Promise<ConvertedDocument> {
  const { externalId } = document;
  const archive = openArchive(document);
  const content = await archive.xml('content.xml');
  const body = childOf(childOf(content, 'body'), 'text');
  if (content === undefined || body === undefined) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is not an OpenDocument text that can be read. Save it again, or exclude it.`,
    );
  }
  const titled = new Set([
    'Title',
    ...allOf(content, 'style').flatMap(({ attributes }) =>
      attributes['parent-style-name'] === 'Title' ? [attributes.name ?? ''] : [],
    ),
  ]);
  const notes: string[] = [];
  const looks = looksOf([content, await archive.xml('styles.xml')]);
  const writing: Writing = { titled, notes, room: new TextRoom(externalId), looks, hidden: { count: 0 } };
  const page = await htmlToMarkdown(`<main>${htmlOf(body, writing)}${notes.join('')}</main>`, externalId);
  const meta = await archive.xml('meta.xml');
  const [title] = meta === undefined ? [] : allOf(meta, 'title').map((element) => xmlText(element).trim());
  const heading = allOf(body, 'p').find(({ attributes }) => titled.has(attributes['style-name'] ?? ''));
  return {
    markdown: page.markdown,
    title: heading === undefined ? (title === '' ? undefined : title) : xmlText(heading).trim(),
    unread: {
      pictures: allOf(body, 'image').length,
      'embedded files': allOf(body, 'object').length + allOf(body, 'object-ole').length,
      'hidden parts': writing.hidden.count,
    },
    warnings: page.warnings,
  };
}

interface Writing {
  /** Names of the styles that are, or are made of, Title. */
  readonly titled: ReadonlySet<string>;
  /** Notes and comments, which come to stand behind the text. */
  readonly notes: string[];
  /** For cells that repeat, which may hold tables of such cells. */
  readonly room: TextRoom;
  readonly looks: ReadonlyMap<string, Look>;
  readonly hidden: { count: number };
}

/** What a style says of the text that has it. */
interface Look {
  readonly script: Script | undefined;
  readonly isHidden: boolean;
}

/** Styles that raise, lower or hide text, by name. A style says what the one that it is made of says, where it says nothing. */
function looksOf(parts: readonly (XmlElement | undefined)[]): ReadonlyMap<string, Look> {
  const looks = new Map<string, Look>();
  const styles = parts.flatMap((part) => (part === undefined ? [] : allOf(part, 'style')));
  // Styles that a document makes itself come first in the list, and are made of common ones.
  for (const style of styles.reverse()) {
    const { name = '', 'parent-style-name': parent = '' } = style.attributes;
    const facts = childOf(style, 'text-properties')?.attributes ?? {};
    const position = facts['text-position']?.trim().split(/\s+/)[0];
    const look = {
      script: position === undefined ? looks.get(parent)?.script : scriptOfPosition(position),
      isHidden: facts.display === undefined ? looks.get(parent)?.isHidden === true : facts.display === 'none',
    };
    if (look.script !== undefined || look.isHidden) looks.set(name, look);
  }
  return looks;
}

/** `super`, `sub`, or how far above or below the line, in per cent. */
function scriptOfPosition(position: string): Script | undefined {
  if (position === 'super' || Number.parseFloat(position) > 0) return 'sup';
  return position === 'sub' || Number.parseFloat(position) < 0 ? 'sub' : undefined;
}

function hide(writing: Writing): string {
  writing.hidden.count += 1;
  return '';
}

const htmlOf = (node: XmlNode, writing: Writing): string =>
  typeof node === 'string'
    ? escapeMarkup(node)
    : node.children.map((child) => written(child, writing)).join('');

function written(node: XmlNode, writing: Writing): string {
  if (typeof node === 'string') return escapeMarkup(node);
  const write = WRITERS[node.name];
  return write === undefined ? htmlOf(node, writing) : write(node, writing);
}

type Write = (element: XmlElement, writing: Writing) => string;

const around =
  (tag: string): Write =>
  (element, writing) =>
    `<${tag}>${htmlOf(element, writing)}</${tag}>`;
const nothing: Write = () => '';
const repeatedOf = (value: string | undefined): number =>
  Math.min(MAX_REPEATED, Math.max(1, Number(value ?? 1) || 1));

const WRITERS: Readonly<Record<string, Write>> = {
  h: (element, writing) => {
    const level = Math.min(6, Math.max(1, Number(element.attributes['outline-level'] ?? 1) || 1));
    return `<h${level}>${htmlOf(element, writing)}</h${level}>`;
  },
  p: (element, writing) =>
    writing.looks.get(element.attributes['style-name'] ?? '')?.isHidden === true
      ? hide(writing)
      : around(writing.titled.has(element.attributes['style-name'] ?? '') ? 'h1' : 'p')(element, writing),
  span: (element, writing) => {
    const look = writing.looks.get(element.attributes['style-name'] ?? '');
    return look?.isHidden === true ? hide(writing) : scriptMarkup(look?.script, htmlOf(element, writing));
  },
  'hidden-text': (_, writing) => hide(writing),
  'hidden-paragraph': nothing,
  section: (element, writing) =>
    /^(?:none|condition)$/.test(element.attributes.display ?? '') ? hide(writing) : htmlOf(element, writing),
  list: around('ul'),
  'list-item': around('li'),
  'list-header': around('li'),
  table: around('table'),
  'table-row': around('tr'),
  'table-cell': (element, writing) => {
    const {
      'number-columns-repeated': repeated,
      'number-columns-spanned': columns,
      'number-rows-spanned': rows,
    } = element.attributes;
    const cell = `<td${spanOf('colspan', columns)}${spanOf('rowspan', rows)}>${htmlOf(element, writing)}</td>`;
    const times = repeatedOf(repeated);
    writing.room.take(cell.length * (times - 1));
    return cell.repeat(times);
  },
  // Its place belongs to the cell that spans it.
  'covered-table-cell': nothing,
  s: ({ attributes }) => ' '.repeat(repeatedOf(attributes.c)),
  tab: () => ' ',
  'line-break': () => '<br>',
  a: (element, writing) =>
    `<a href="${escapeMarkup(element.attributes.href ?? '')}">${htmlOf(element, writing)}</a>`,
  note: (element, writing) => {
    const citation = childOf(element, 'note-citation');
    const body = childOf(element, 'note-body');
    const number = citation === undefined ? '' : xmlText(citation);
    if (body !== undefined)
      writing.notes.push(`<p>Note ${escapeMarkup(number)}: ${inLine(body, writing)}</p>`);
    return number === '' ? '' : ` [${escapeMarkup(number)}]`;
  },
  annotation: (element, writing) => {
    const author = childOf(element, 'creator');
    const by = author === undefined ? '' : ` by ${escapeMarkup(xmlText(author))}`;
    const text = elementsOf(element).filter(({ name }) => name === 'p' || name === 'list');
    writing.notes.push(`<p>Comment${by}: ${text.map((part) => inLine(part, writing)).join(' ')}</p>`);
    return '';
  },
  frame: (element, writing) =>
    pictureMarkup(
      elementsOf(element)
        .filter(({ name }) => name === 'desc' || name === 'title')
        .map(xmlText),
    ) +
    allOf(element, 'text-box')
      .map((box) => htmlOf(box, writing))
      .join(''),
  'tracked-changes': nothing,
  'sequence-decls': nothing,
  'variable-decls': nothing,
  forms: nothing,
  'table-of-content': nothing,
};

const spanOf = (name: string, value: string | undefined): string =>
  value === undefined || !/^\d{1,4}$/.test(value) ? '' : ` ${name}="${value}"`;

const inLine = (element: XmlElement, writing: Writing): string =>
  htmlOf(element, writing)
    .replace(/<\/?p>/g, ' ')
    .trim();
