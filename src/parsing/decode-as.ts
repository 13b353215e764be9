/**
 * Bytes as text, with U+FFFD for what the encoding has no letter for. In two steps: in one, Node.js 20 reads Windows-1252 as Latin-1.
 *
 * @param encoding label of the WHATWG Encoding Standard
 */
export function decodeAs(encoding: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}
