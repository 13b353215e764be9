import { RAGError } from '../core/errors.js';

/** What files of some formats begin with. */
const BEGINNINGS = [
  ['PK\u0003\u0004', 'a ZIP archive'],
  ['\u00d0\u00cf\u0011\u00e0', 'an Office document with a password, or of the time before 2007'],
  ['{\\rtf', 'Rich Text'],
  ['\u0089PNG', 'a picture'],
  ['\u00ff\u00d8\u00ff', 'a picture'],
  ['GIF8', 'a picture'],
  ['\u001f\u008b', 'compressed by gzip'],
] as const;
/** Bytes that are looked at; a PDF may begin a little behind its first one. */
const LOOKED_AT = 1_024;
const CONTROL = /[^\P{Cc}\s]/u;

/** What is in a file by its first bytes, in words for the user; undefined where they do not tell. */
function contentOf(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return 'empty';
  const head = bytes.subarray(0, LOOKED_AT);
  const start = head.toString('latin1');
  if (start.includes('%PDF-')) return 'a PDF';
  const known = BEGINNINGS.find(([beginning]) => start.startsWith(beginning))?.[1];
  if (known !== undefined) return known;
  if (/^\s*<(?:!doctype html|html)\b/i.test(start)) return 'a page of HTML';
  // A character may be cut at the end.
  const text = head.toString('utf8').replace(/\uFFFD$/, '');
  return CONTROL.test(text) || text.includes('\uFFFD') ? undefined : 'plain text';
}

/** The refusal of a file that is of another format than its name says, or empty; undefined where it is as expected or cannot be told. */
export function otherFormat(
  content: Uint8Array | string,
  { name, expected }: { readonly name: string; readonly expected: 'a PDF' | 'a ZIP archive' },
): RAGError | undefined {
  const found = contentOf(Buffer.from(content));
  if (found === undefined || found === expected) return undefined;
  const remedy =
    found === 'empty' ? 'Save it again, or exclude it.' : 'Give it the ending of what it is, or exclude it.';
  return new RAGError(
    'DOCUMENT_INVALID',
    `"${name}" is ${found}${found === 'empty' ? ' (0 bytes)' : ', and not what its name says'}. ${remedy}`,
  );
}
