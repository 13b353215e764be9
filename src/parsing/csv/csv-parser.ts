import type { Block, ParsedDocument, RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import type { Parser } from '../parser.js';
import { boundRepeated } from '../text-range.js';

/** A longer record is no row of a table. In UTF-16 code units. */
const MAX_RECORD_LENGTH = 1_000_000;
const MAX_COLUMNS_IN_METADATA = 100;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * Parser for tables as text: `text/csv` (RFC 4180, with the delimiter that the first row uses) and
 * `text/tab-separated-values`. The stored text is the file itself: one block that may be divided between records only, not
 * inside a quoted field with line ends, and whose first record is repeated as context with every chunk.
 *
 * @throws `DOCUMENT_INVALID` for a quote that never closes or a record without end
 */
export function createCsvParser(): Parser {
  return { mediaTypes: [MEDIA_TYPES.csv, MEDIA_TYPES.tsv], parse: parseCsv };
}

async function parseCsv(document: RawDocument): Promise<ParsedDocument> {
  const { text, warnings } = decodeText(document.content, document.externalId);
  const delimiter = document.mediaType === MEDIA_TYPES.tsv ? '\t' : delimiterOf(text);
  const { records, ragged } = await readRecords(text, delimiter, document.externalId);
  const [header, ...rows] = records;
  if (header === undefined) return { text, blocks: [], metadata: {}, warnings };
  return {
    text,
    blocks: [tableBlock(text, header, rows)],
    metadata: { columns: header.fields.slice(0, MAX_COLUMNS_IN_METADATA), rowCount: rows.length },
    warnings: [
      ...warnings,
      ...(ragged === 0 ? [] : [`${ragged} rows have more or fewer fields than the first row.`]),
    ],
  };
}

interface CsvRecord {
  readonly fields: readonly string[];
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
}

async function readRecords(
  text: string,
  delimiter: string,
  name: string,
): Promise<{ records: CsvRecord[]; ragged: number }> {
  const { parse } = await import('csv-parse/sync');
  try {
    // With `raw` a record is an object, which the library's types do not say.
    const answer: readonly unknown[] = parse(text, {
      delimiter,
      raw: true,
      bom: false,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD_LENGTH,
    });
    const parsed = answer.filter(isRawRecord);
    return { records: placed(text, parsed), ragged: raggedCount(parsed) };
  } catch (cause) {
    const line = /line (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1];
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" is not a table that can be read${line === undefined ? '' : ` (line ${line})`}: a quote may never close. Correct the file, or exclude it.`,
      { cause },
    );
  }
}

interface RawRecord {
  readonly record: readonly string[];
  /** The record's text, quotes and line end included. */
  readonly raw: string;
}

const isRawRecord = (value: unknown): value is RawRecord =>
  typeof value === 'object' && value !== null && 'raw' in value && 'record' in value;

/** Where each record stands: they follow each other, with nothing but empty lines between. */
function placed(text: string, parsed: readonly RawRecord[]): CsvRecord[] {
  const records: CsvRecord[] = [];
  let from = 0;
  for (const { record, raw } of parsed) {
    const line = raw.trim();
    const found = line === '' ? -1 : text.indexOf(line, from);
    if (found < 0) continue;
    from = found + line.length;
    records.push({ fields: record, start: found, end: from });
  }
  return records;
}

const raggedCount = (parsed: readonly RawRecord[]): number =>
  parsed.filter(({ record }) => record.length !== parsed[0]?.record.length).length;

function tableBlock(text: string, header: CsvRecord, rows: readonly CsvRecord[]): Block {
  const end = rows.at(-1)?.end ?? header.end;
  const [first] = rows;
  return {
    kind: 'table',
    start: header.start,
    end,
    context: boundRepeated(text.slice(header.start, header.end)),
    ...(first === undefined ? {} : { bodyStart: first.start }),
    breaks: rows.map(({ start }) => start),
  };
}

/** The delimiter that the first line has most of. */
function delimiterOf(text: string): string {
  const line = /^[^\r\n]*/.exec(text.trimStart())?.[0].slice(0, 10_000) ?? '';
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
}
