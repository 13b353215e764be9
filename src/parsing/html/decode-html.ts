import type { RawDocument } from '../../core/document.js';
import { decodeAs } from '../decode-as.js';
import { type DecodedText, decodeText } from '../decode-text.js';

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

/** HTML looks for the declaration in the first 1,024 bytes (WHATWG HTML, "prescan a byte stream"). */
const PRESCAN_BYTES = 1_024;

const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]{1,40})/i;

/** The encoding that a page declares in a `<meta>` element or in front as XML, where that is one we know and not UTF-8. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1');
  const label = (META.exec(start) ?? XML.exec(start))?.[1];
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    // A declaration in ASCII contradicts UTF-16.
    return encoding === 'utf-8' || encoding.startsWith('utf-16') ? undefined : encoding;
  } catch {
    return undefined;
  }
}
