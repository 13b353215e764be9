import type { RawDocument } from '../../core/document.js';
import { decodeAs } from '../decode-as.js';
import { type DecodedText, decodeText } from '../decode-text.js';
import { declaredCharset } from './declared-charset.js';

/** Decodes a page by the encoding that it declares, or else as any text. Throws what `decodeText` throws. */
export function decodeHtml({
  content,
  externalId,
}: Pick<RawDocument, 'content' | 'externalId'>): DecodedText {
  const charset = typeof content === 'string' ? undefined : declaredCharset(content);
  if (charset === undefined || typeof content === 'string') return decodeText(content, externalId);
  return decodeText(decodeAs(charset, content), externalId);
}
