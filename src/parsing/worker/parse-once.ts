import type { ParsedDocument } from '../../core/document.js';
import { contentHash } from '../../core/ids.js';
import type { ParseRequest } from './parse-message.js';

interface Parsed {
  /** Of everything that the parser was given. */
  readonly key: string;
  readonly document: ParsedDocument;
}

/** Gone with the bytes. Found by the object and not by what is in it: how long a file takes tells nobody what others sent. */
const parsedOf = new WeakMap<Uint8Array, Parsed>();

/**
 * Parses bytes once that are tried first and written then. What was parsed is handed out once more, and not kept any longer.
 *
 * @throws whatever `parse` throws
 */
export async function parseOnce(
  request: ParseRequest,
  parse: (request: ParseRequest) => Promise<ParsedDocument>,
): Promise<ParsedDocument> {
  const { content, ...rest } = request.document;
  if (typeof content === 'string') return parse(request);
  // A program may have changed its bytes since.
  const key = JSON.stringify([contentHash(content), rest, request.options]);
  const known = parsedOf.get(content);
  parsedOf.delete(content);
  if (known?.key === key) return known.document;
  const document = await parse(request);
  parsedOf.set(content, { key, document });
  return document;
}
