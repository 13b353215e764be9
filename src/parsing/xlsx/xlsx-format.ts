import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { declaredFacts, macrosIn, openArchive, relationsOf } from '../open-archive.js';
import { scriptText } from '../raised-text.js';
import { allOf, childOf, type XmlElement, xmlText } from '../read-xml.js';
import { TextRoom } from '../text-room.js';
import { numberForms } from './number-formats.js';
import {
  columnOf,
  MAX_CELLS,
  readSheet,
  rowBefore,
  rowOf,
  type Sheet,
  type SheetFacts,
} from './sheet-reader.js';

/**
 * Workbooks (`.xlsx`, `.xlsm`, templates): each sheet under its name, what stands between empty rows as a table whose first row is the header. Values are read as cells show them,
 * formulas as what they came to when the file was saved. Pictures, charts, macros, and sheets, rows and columns that are hidden, are left out and counted.
 */
export const XLSX_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.xlsx, version: 2, convert: readXlsx };

const MAIN_PART = 'xl/workbook.xml';

async function readXlsx(document: RawDocument): Promise<ConvertedDocument> {
  const { externalId } = document;
  const archive = openArchive(document);
  const workbook = await archive.xml(MAIN_PART);
  if (workbook === undefined) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is not a workbook that can be read. Save it again as .xlsx, or exclude it.`,
    );
  }
  const relations = await relationsOf(archive, MAIN_PART);
  const strings = await archive.xml('xl/sharedStrings.xml');
  const facts: SheetFacts = {
    strings: strings === undefined ? [] : allOf(strings, 'si').map((item) => stringOf(item).trim()),
    forms: numberForms(await archive.xml('xl/styles.xml')),
    epoch: /^(?:1|true)$/.test(childOf(workbook, 'workbookPr')?.attributes.date1904 ?? '') ? 1904 : 1900,
  };
  const parts: string[] = [];
  const room = new TextRoom(externalId);
  let [formulas, left, hidden] = [0, 0, 0];
  for (const { attributes } of allOf(workbook, 'sheet')) {
    const part = relations.get(attributes['r:id'] ?? '')?.target ?? '';
    const xml = archive.text(part);
    if (xml === '') continue;
    if (/^(?:h|veryH)idden$/.test(attributes.state ?? '')) {
      hidden += 1;
      continue;
    }
    const sheet = await readSheet(xml, facts, room);
    const related = await relationsOf(archive, part);
    const comments = [...related.values()].filter(
      ({ type }) => type === 'comments' || type === 'threadedComment',
    );
    const said = await Promise.all(
      comments.map(async ({ target }) => commentsOf(await archive.xml(target), sheet)),
    );
    const tables = tablesOf(sheet, room);
    formulas += sheet.formulas;
    left += sheet.left;
    hidden += sheet.hidden;
    if (tables.length > 0 || said.flat().length > 0)
      parts.push(`## ${oneLine(attributes.name ?? '')}`, ...tables, ...said.flat());
  }
  const count = (pattern: RegExp): number =>
    [...archive.entries.keys()].filter((entry) => pattern.test(entry)).length;
  return {
    markdown: parts.join('\n\n'),
    title: declaredFacts(archive).title,
    unread: {
      formulas,
      cells: left,
      'hidden parts': hidden,
      pictures: count(/^xl\/media\//),
      charts: count(/^xl\/charts\/chart\d*\.xml$/),
      macros: macrosIn(archive),
    },
    warnings: [
      ...(left === 0 ? [] : [`${left} cells were left out: ${MAX_CELLS} of a sheet are read.`]),
      ...archive.warnings(),
    ],
  };
}

/** A text in parts of several fonts, without how it is pronounced. */
const stringOf = (item: XmlElement): string =>
  item.children
    .map((child) => {
      if (typeof child === 'string' || child.name === 'rPh') return '';
      if (child.name === 't') return xmlText(child);
      const align = childOf(childOf(child, 'rPr'), 'vertAlign')?.attributes.val;
      const text = stringOf(child);
      if (align === 'superscript') return scriptText('sup', text);
      return align === 'subscript' ? scriptText('sub', text) : text;
    })
    .join('');

/** Comments with the names of the row and the column that they are about: `Comment on B2 (Ann, salary): …`. */
function commentsOf(root: XmlElement | undefined, sheet: Sheet): string[] {
  const { rows } = sheet;
  const comments = root === undefined ? [] : [...allOf(root, 'comment'), ...allOf(root, 'threadedComment')];
  const headers = new Map<number, ReadonlyMap<number, string>>();
  let above: ReadonlyMap<number, string> | undefined;
  for (const number of [...rows.keys()].sort((a, b) => a - b)) {
    const row = rows.get(number);
    if (!rows.has(rowBefore(number, sheet)) || (above?.size ?? 0) < 2) above = row;
    if (above !== undefined) headers.set(number, above);
  }
  return comments.map((comment) => {
    const { ref = '' } = comment.attributes;
    const [row, column] = [rows.get(rowOf(ref)), columnOf(ref)];
    const header = headers.get(rowOf(ref));
    const first = row === undefined ? undefined : Math.min(...[...row.keys()].slice(0, MOST_BEFORE));
    const names = [
      first === undefined || first === column ? undefined : row?.get(first),
      header === row ? undefined : header?.get(column),
    ].flatMap((name) => plainName(name ?? ''));
    const about = names.length === 0 ? '' : ` (${names.join(', ')})`;
    return `Comment on ${ref === '' ? 'a cell' : ref}${about}: ${oneLine(xmlText(comment))}`;
  });
}

/** Cells are in order in nearly all files. */
const MOST_BEFORE = 100;
const MAX_NAME_LENGTH = 60;

function plainName(cell: string): string[] {
  const name = oneLine(cell.replace(/[()[\],:]+/g, ' ')).trim();
  return name === '' || name.length > MAX_NAME_LENGTH ? [] : [name];
}

/** What stands between empty rows, as Markdown: a table, or a line where only one cell of a row holds something. */
function tablesOf(sheet: Sheet, room: TextRoom): string[] {
  const { rows } = sheet;
  const numbers = [...rows.keys()].sort((a, b) => a - b);
  const blocks: (readonly ReadonlyMap<number, string>[])[] = [];
  let block: ReadonlyMap<number, string>[] = [];
  for (const [index, number] of numbers.entries()) {
    if (index > 0 && rowBefore(number, sheet) !== numbers[index - 1]) {
      blocks.push(block);
      block = [];
    }
    block.push(rows.get(number) ?? new Map<number, string>());
  }
  return [...blocks, block].flatMap((one) => blockText(one, room));
}

function blockText(rows: readonly ReadonlyMap<number, string>[], room: TextRoom): string[] {
  const tableFrom = rows.findIndex(({ size }) => size > 1);
  const above = (tableFrom < 0 ? rows : rows.slice(0, tableFrom)).flatMap((row) =>
    [...row.values()].map(oneLine),
  );
  if (tableFrom < 0) return above.length === 0 ? [] : [above.join('\n')];
  const table = rows.slice(tableFrom);
  const columns = [...new Set(table.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
  room.take(columns.length * (table.length + 1) * EMPTY_CELL.length);
  const line = (row: ReadonlyMap<number, string>): string =>
    `| ${columns.map((column) => cellText(row.get(column))).join(' | ')} |`;
  const [head = new Map<number, string>(), ...body] = table;
  const rule = `|${' - |'.repeat(columns.length)}`;
  return [...above, [line(head), rule, ...body.map(line)].join('\n')];
}

/** What a table is written with at the least where a cell holds nothing. */
const EMPTY_CELL = ' | ';
const cellText = (text = ''): string => oneLine(text).replaceAll('|', '\\|');
