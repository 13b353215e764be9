/** The longest overlap that is looked for between two pieces, and the shortest that is no chance. In characters. */
const MAX_OVERLAP = 4_000;
const MIN_OVERLAP = 12;

/**
 * The text of a document of its pieces, which may overlap: what one ends with and the next begins with stands once. Pieces that do not
 * overlap are parted by an empty line, for what stood between them is not known.
 */
export function joinedText(pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => {
    if (text === '') return piece;
    const overlap = overlapOf(text, piece);
    return overlap === 0 ? `${text}\n\n${piece}` : text + piece.slice(overlap);
  }, '');
}

/** How many characters two texts share at the end of one and the beginning of the other, by the failure function of Knuth, Morris and Pratt (1977). */
function overlapOf(before: string, after: string): number {
  const head = after.slice(0, MAX_OVERLAP);
  const tail = before.slice(-MAX_OVERLAP);
  const failures: number[] = [];
  const step = (matched: number, unit: string): number => {
    let length = matched;
    while (length > 0 && (length === head.length || head[length] !== unit))
      length = failures[length - 1] ?? 0;
    return head[length] === unit ? length + 1 : 0;
  };
  for (let i = 0; i < head.length; i++)
    failures.push(i === 0 ? 0 : step(failures[i - 1] ?? 0, head[i] ?? ''));
  let matched = 0;
  for (const unit of tail.split('')) matched = step(matched, unit);
  return matched >= MIN_OVERLAP ? matched : 0;
}
