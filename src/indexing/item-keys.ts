import { UNREAD_FIELD } from '../core/unread.js';
import type { Parser } from '../parsing/parser.js';
import type { OcrPart } from '../parsing/pdf/installed-ocr.js';
import { fileTypeOf } from '../sources/file-types.js';
import type { PreparedDocument } from './prepare-document.js';

/** What decides how a format is read, beside the settings of its source. */
export interface FormatKeys {
  /** `Parser.version`, by media type. */
  readonly parsers: ReadonlyMap<string, Pick<Parser, 'version'>>;
  /** Absent where it is not installed. */
  readonly ocr?: Pick<OcrPart, 'version'> | undefined;
}

/** How an item is processed: the key of its source, and its formats. */
export interface ItemProcessing {
  /** Changes whenever the same bytes would give other chunks, whatever their format. */
  readonly processingKey: string;
  /** @default parsers without versions, no OCR */
  readonly formats?: FormatKeys | undefined;
}

/** The key of an item; that of its source where the parser of what its name says has no version. */
export function itemKey(itemId: string, { processingKey, formats }: ItemProcessing): string {
  const version = formats?.parsers.get(fileTypeOf(itemId).mediaType)?.version ?? 0;
  return version === 0 ? processingKey : `${processingKey}.${version}`;
}

/** The key of an item that was read; one with pages that only OCR reads says by which. */
export function keyAsRead(
  itemId: string,
  documents: readonly Pick<PreparedDocument, 'metadata'>[],
  processing: ItemProcessing,
): string {
  const key = itemKey(itemId, processing);
  return documents.some(({ metadata }) => isForOcr(metadata))
    ? `${key}${BY_OCR}${processing.formats?.ocr?.version ?? ''}`
    : key;
}

/** Parts the key of an item from the version of OCR. */
const BY_OCR = '+';

const isForOcr = ({ ocrPages, [UNREAD_FIELD]: unread }: PreparedDocument['metadata']): boolean =>
  typeof ocrPages === 'number' ||
  (typeof unread === 'object' && unread !== null && 'pages without text' in unread);

/** Whether an item that was recorded with a key would be read in the same way now. What OCR read stays where it is installed no more. */
export function isReadAlike(
  recorded: string | undefined,
  itemId: string,
  processing: ItemProcessing,
): boolean {
  const key = itemKey(itemId, processing);
  if (recorded === key) return true;
  const ocr = processing.formats?.ocr?.version;
  return ocr === undefined
    ? recorded?.startsWith(`${key}${BY_OCR}`) === true
    : recorded === `${key}${BY_OCR}${ocr}`;
}
