/** A word that is divided at the end of a line: its halves and the rest of the second line's first word. Soft hyphens divide too. */
const BROKEN = /(?<![\p{L}\p{N}])(\p{L}{2,60})([-\u00ad\u2010])\n(\p{Ll}{2,60})(?![\p{L}\p{N}])/gu;
const WORD = /\p{L}+(?:-\p{L}+)*/gu;

/**
 * Pages with the words whole that their lines divide: `spectro-` above `photometer`. A hyphen stays where the pages write the compound in one line too,
 * or know both of its halves as words (`read-` above `only`).
 */
export function withWholeWords(pages: readonly string[]): string[] {
  if (!pages.some((page) => page.search(BROKEN) >= 0)) return [...pages];
  const known = new Set(
    pages.flatMap((page) => page.replaceAll(BROKEN, '\n').toLowerCase().match(WORD) ?? []),
  );
  const isCompound = (first: string, second: string): boolean =>
    known.has(`${first}-${second}`) || (known.has(first) && known.has(second));
  return pages.map((page) =>
    page.replaceAll(BROKEN, (_, first: string, hyphen: string, second: string) => {
      const [before, behind] = [first.toLowerCase(), second.toLowerCase()];
      const isOne = known.has(before + behind) || hyphen === '\u00ad' || !isCompound(before, behind);
      return `${first}${isOne ? '' : '-'}${second}\n`;
    }),
  );
}
