import type { CodeUnit, ParsedDocument, RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { decodeText } from '../decode-text.js';
import { isJson } from '../is-json.js';
import type { SyncParser } from '../parser.js';
import { jsonUnits } from './json-units.js';

/**
 * Parser for `application/json` and `application/jsonl` (one value a line). The stored text is the file itself, and `code`
 * its members, elements or lines: records are cut apart and large ones along their members, with the keys above as
 * heading path.
 *
 * @throws `DOCUMENT_INVALID` for what is not JSON; lines that are not are counted in a warning
 */
export const JSON_PARSER: SyncParser = {
  mediaTypes: [MEDIA_TYPES.json, MEDIA_TYPES.jsonLines],
  parse: parseJson,
};

function parseJson(document: RawDocument): ParsedDocument {
  const { text, warnings } = decodeText(document.content, document.externalId);
  const isLines = document.mediaType === MEDIA_TYPES.jsonLines;
  const { units, notes } = isLines
    ? readLines(text, document.externalId)
    : { units: readValue(text, document.externalId), notes: [] };
  const covered = units.length > 0 ? coverAll(text, units) : [];
  return {
    text,
    blocks: covered.map(({ start, end }) => ({ kind: 'code', start, end })),
    ...(covered.length === 0 ? {} : { code: { language: 'json', units: covered } }),
    metadata: {},
    warnings: [...warnings, ...notes],
  };
}

function readValue(text: string, name: string): CodeUnit[] {
  if (text.trim() === '') return [];
  if (!isJson(text)) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" is not valid JSON. Correct the file; one value a line is read as .jsonl.`,
    );
  }
  const units = jsonUnits(text);
  // A lone scalar or an empty list.
  return units.length > 0 ? units : [{ start: 0, end: text.trimEnd().length, children: [] }];
}

function readLines(text: string, name: string): { units: CodeUnit[]; notes: string[] } {
  const units: CodeUnit[] = [];
  let invalid = 0;
  let number = 0;
  let start = 0;
  for (const line of text.split('\n')) {
    number += 1;
    const value = line.trimEnd();
    if (value.trim() !== '') {
      const isValid = isJson(value);
      if (!isValid) invalid += 1;
      const children = isValid && value.length >= MIN_DIVIDED_LINE ? jsonUnits(value, start) : [];
      units.push({ start, end: start + value.length, symbol: `line ${number}`, children });
    }
    start += line.length + 1;
  }
  if (invalid === units.length && invalid > 0) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" holds no line of valid JSON. Correct the file, or exclude it.`,
    );
  }
  return {
    units,
    notes:
      invalid === 0
        ? []
        : [
            invalid === 1
              ? '1 line is not valid JSON and was kept as text.'
              : `${invalid} lines are not valid JSON and were kept as text.`,
          ],
  };
}

const MIN_DIVIDED_LINE = 400;

/** The brackets around belong to the first and last unit, so that no text is left out. */
function coverAll(text: string, units: readonly CodeUnit[]): CodeUnit[] {
  return units.map((unit, index) => ({
    ...unit,
    start: index === 0 ? 0 : unit.start,
    end: index === units.length - 1 ? text.trimEnd().length : unit.end,
  }));
}
