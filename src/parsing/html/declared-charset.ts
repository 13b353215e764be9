/** HTML looks for the declaration in the first 1,024 bytes (WHATWG HTML, "prescan a byte stream"). */
const PRESCAN_BYTES = 1_024;

const META = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]{1,40})/i;

/** The encoding that a page declares in a `<meta>` element or in front as XML, where that is one we know and not UTF-8. */
export function declaredCharset(bytes: Uint8Array): string | undefined {
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
