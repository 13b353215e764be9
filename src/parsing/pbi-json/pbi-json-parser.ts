import { type ParsedDocument, PBI_MEDIA_TYPE, type RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { checkText, decodeText } from '../decode-text.js';
import { MAX_METADATA_DEPTH, toMetadataValue } from '../metadata-value.js';
import type { SyncParser } from '../parser.js';
import { type BacklogItem, renderItem } from './render-item.js';

/**
 * Parser for one backlog item as JSON. The stored text is the item as a person reads it (see `renderItem`), with a
 * block for each field. Metadata stays empty: the source has extracted it already.
 *
 * @throws `DOCUMENT_INVALID` for what is not a JSON object
 */
export const PBI_JSON_PARSER: SyncParser = { mediaTypes: [PBI_MEDIA_TYPE], parse: parseItem };

function parseItem(document: RawDocument): ParsedDocument {
  const source = decodeText(document.content, document.externalId);
  const { item, isDeep } = readItem(source.text, document.externalId);
  const { text, blocks } = renderItem(item);
  const title = typeof item.title === 'string' ? item.title.trim() : '';
  // JSON escapes can hide what no text may hold, so the rendered text is checked as bytes would be.
  const stored = checkText(text);
  return {
    text: stored.text,
    blocks,
    ...(title === '' ? {} : { title }),
    metadata: {},
    warnings: [...source.warnings, ...stored.warnings, ...(isDeep ? [TOO_DEEP_WARNING] : [])],
  };
}

const TOO_DEEP_WARNING = `Values nested deeper than ${MAX_METADATA_DEPTH} levels were left out.`;

function readItem(json: string, name: string): { item: BacklogItem; isDeep: boolean } {
  let item: unknown;
  let isDeep = false;
  try {
    item = toMetadataValue(JSON.parse(json), {
      onTooDeep: () => {
        isDeep = true;
      },
    });
  } catch (cause) {
    throw new RAGError('DOCUMENT_INVALID', `"${name}" is not valid JSON. Correct the file it came from.`, {
      cause,
    });
  }
  if (!isItem(item)) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" is not a backlog item: a JSON object with fields is expected.`,
    );
  }
  return { item, isDeep };
}

const isItem = (value: unknown): value is BacklogItem =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
