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
  if (isUtf8(content, charset)) {
    const { text, warnings } = decodeText(content, externalId);
    return {
      text,
      warnings: [...warnings, `It declares ${charset}, and its letters are UTF-8, as which it was read.`],
    };
  }
  return decodeText(decodeAs(charset, content), externalId);
}

/** Letters of several bytes of UTF-8 that an encoding with letters of several bytes may hold by chance. */
const MIN_LETTERS = 4;

/** Whether bytes that declare another encoding are UTF-8, with letters beyond ASCII. */
function isUtf8(bytes: Uint8Array, declared: string): boolean {
  try {
    const letters =
      new TextDecoder('utf-8', { fatal: true }).decode(bytes).match(/[^\p{ASCII}]/gu)?.length ?? 0;
    return letters >= (/^(?:windows|iso-8859|koi8|macintosh|ibm)/.test(declared) ? 1 : MIN_LETTERS);
  } catch {
    return false;
  }
}
