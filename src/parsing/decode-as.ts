/** DOS code page 850, which the platform does not know; what it shares with 437 are the letters of Western Europe. */
export const DOS = 'cp850';
const DOS_LETTERS =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
  '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

/**
 * Bytes as text, with U+FFFD for what the encoding has no letter for. In two steps: in one, Node.js 20 reads Windows-1252 as Latin-1.
 *
 * @param encoding label of the WHATWG Encoding Standard, or `cp850`
 */
export function decodeAs(encoding: string, bytes: Uint8Array): string {
  if (encoding === DOS)
    return Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\u0080-\u00ff]/g, (letter) => DOS_LETTERS.charAt(letter.charCodeAt(0) - 0x80));
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}
