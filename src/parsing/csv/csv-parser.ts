import type { Block, ParsedDocument, RawDocument, TextRange } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import type { Parser } from '../parser.js';
import { boundRepeated } from '../text-range.js';

/** A longer record is no row of a table. In UTF-16 code units. */
const MAX_RECORD_LENGTH = 1_000_000;
const MAX_COLUMNS_IN_METADATA = 100;
/** Rows that are shorter are divided in groups: where a table may be cut takes memory too. In UTF-16 code units. */
const MIN_BREAK_DISTANCE = 32;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * Parser for tables as text: `text/csv` (RFC 4180, with the delimiter that the first row uses) and
 * `text/tab-separated-values`. The stored text is the file itself: one block that may be divided between records only, not
 * inside a quoted field with line ends, and whose first record is repeated as context with every chunk.
 *
 * @throws `DOCUMENT_INVALID` for a record without end
 */
export const CSV_PARSER: Parser = { mediaTypes: [MEDIA_TYPES.csv, MEDIA_TYPES.tsv], parse: parseCsv };

async function parseCsv(document: RawDocument): Promise<ParsedDocument> {
  const { text, warnings } = decodeText(document.content, document.externalId);
  const delimiter = document.mediaType === MEDIA_TYPES.tsv ? '\t' : delimiterOf(text);
  const { header, breaks, end, rowCount, ragged, isUnquoted } = await readTable(
    text,
    delimiter,
    document.externalId,
  );
  if (header === undefined) return { text, blocks: [], metadata: {}, warnings };
  const [bodyStart] = breaks;
  const block: Block = {
    kind: 'table',
    start: header.start,
    end,
    context: boundRepeated(text.slice(header.start, header.end)),
    ...(bodyStart === undefined ? {} : { bodyStart }),
    breaks,
  };
  return {
    text,
    blocks: [block],
    metadata: { columns: header.columns, rowCount },
    warnings: [
      ...warnings,
      ...(isUnquoted === true
        ? [
            'A quotation mark is never closed, or far behind, so they were all read as signs, and each line as a row.',
          ]
        : []),
      ...(ragged === 0
        ? []
        : [`${ragged === 1 ? '1 row has' : `${ragged} rows have`} more or fewer fields than the first row.`]),
    ],
  };
}

interface Table {
  /** The first record; undefined where there is none. */
  header?: { readonly columns: readonly string[]; readonly fields: number } & TextRange;
  /** Where the table may be divided, in order: at the first row, and at rows that are `MIN_BREAK_DISTANCE` apart. */
  readonly breaks: number[];
  end: number;
  rowCount: number;
  ragged: number;
  /** A quotation mark opens no field, for one of them is never closed. */
  readonly isUnquoted?: boolean;
}

const emptyTable = (): Table => ({ breaks: [], end: 0, rowCount: 0, ragged: 0 });

/** Reads record after record and keeps only where they stand: a file of millions of short rows takes little more than its text. */
async function readTable(text: string, delimiter: string, name: string): Promise<Table> {
  const { parse } = await import('csv-parse/sync');
  let table = emptyTable();
  let offsetAt = offsetReader(text);
  let from = 0;
  const onRecord = (fields: readonly string[], info: { readonly bytes: number }): null => {
    const to = offsetAt(info.bytes);
    // The library counts no delimiters.
    if (to - from > MAX_RECORD_LENGTH) throw new Error('a record is too long');
    addRecord(table, fields, trimmed(text, from, to));
    from = to;
    return null;
  };
  const read = (quote: '"' | null): void => {
    parse(text, {
      ...{ delimiter, quote, bom: false, relax_column_count: true, relax_quotes: true },
      ...{ skip_empty_lines: true, max_record_size: MAX_RECORD_LENGTH, on_record: onRecord },
    });
  };
  try {
    read('"');
    return table;
  } catch (cause) {
    if (!text.includes('"')) throw notRead(cause, name);
  }
  // A quotation mark that is a sign takes all that follows along; read as a sign, each line is a record.
  table = emptyTable();
  offsetAt = offsetReader(text);
  from = 0;
  try {
    read(null);
  } catch (cause) {
    throw notRead(cause, name);
  }
  return { ...table, isUnquoted: true };
}

function notRead(cause: unknown, name: string): RAGError {
  const line = /line (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1];
  return new RAGError(
    'DOCUMENT_INVALID',
    `"${name}" is not a table that can be read${line === undefined ? '' : ` (line ${line})`}: a record is longer than ${MAX_RECORD_LENGTH} characters. Correct the file, or exclude it.`,
    { cause },
  );
}

function addRecord(table: Table, fields: readonly string[], { start, end }: TextRange): void {
  if (start === end) return;
  table.end = end;
  if (table.header === undefined) {
    table.header = { columns: fields.slice(0, MAX_COLUMNS_IN_METADATA), fields: fields.length, start, end };
    return;
  }
  table.rowCount++;
  if (fields.length !== table.header.fields) table.ragged++;
  const last = table.breaks.at(-1);
  if (last === undefined || start - last >= MIN_BREAK_DISTANCE) table.breaks.push(start);
}

/** Offsets in the text of ascending offsets in its UTF-8 form, in which the library counts. */
function offsetReader(text: string): (bytes: number) => number {
  if (Buffer.byteLength(text) === text.length) return (bytes) => bytes;
  const encoded = Buffer.from(text);
  let [from, offset] = [0, 0];
  return (bytes) => {
    offset += encoded.toString('utf8', from, bytes).length;
    from = bytes;
    return offset;
  };
}

/** A range without white space at its ends. */
function trimmed(text: string, from: number, to: number): TextRange {
  const record = text.slice(from, to);
  const start = from + record.length - record.trimStart().length;
  return { start, end: Math.max(start, from + record.trimEnd().length) };
}

/** The delimiter that the first line has most of. */
export function delimiterOf(text: string): string {
  const line = /^[^\r\n]*/.exec(text.trimStart())?.[0].slice(0, 10_000) ?? '';
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
}
