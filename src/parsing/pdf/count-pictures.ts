const PICTURES = ['/Subtype/Image', '/Subtype /Image'];
const MASK = '/SMask ';

/** Pictures that a PDF holds, without the masks of their transparency: their dictionaries are never packed, for they are streams (ISO 32000-1, 7.5.7). */
export function countPictures(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pictures = PICTURES.reduce((sum, mark) => sum + placesOf(file, mark).length, 0);
  const masks = placesOf(file, MASK).flatMap((at) => {
    const reference = /^\d+ \d+ R/.exec(file.toString('latin1', at + MASK.length, at + MASK.length + 20));
    return reference === null ? [] : [reference[0]];
  });
  return Math.max(0, pictures - new Set(masks).size);
}

function placesOf(file: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}
