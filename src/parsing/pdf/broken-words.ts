/**
 * A word that is divided at the end of a line: its halves, signs that follow it, and the blank that parts it from the rest of its line. Soft hyphens divide
 * too.
 */
const BROKEN =
  /(?<![\p{L}\p{N}])(\p{L}{1,60})([-\u00ad\u2010])\n(\p{Ll}{2,60})(?![\p{L}\p{N}])([.,;:!?)\]}"'’”»]*)([^\S\n]+(?=\S))?/gu;
type BrokenWord = [
  whole: string,
  first: string,
  hyphen: string,
  second: string,
  signs: string,
  blank: string | undefined,
  at: number,
  page: string,
];
const WORD = /\p{L}+(?:-\p{L}+)*/gu;

/** What stands before a half without a blank, where it makes a flag, a path, an address or a name of programs of it. */
const OF_PROGRAMS = /[_\d]|:\/\/|^[("'`[]*[-/~]/;
const MAX_TOKEN = 80;

/**
 * Pages with the words whole that their lines divide: `spectro-` above `photometer`. A hyphen stays where the pages write the compound in one line too,
 * know both of its halves as words (`read-` above `only`), or join one of them by a hyphen to several other words (`kube-` above `apiserver` where `kube-proxy` and `kube-dns` are
 * written), in flags and names of programs (`--dry-` above `run`), beside a further hyphen, and behind one letter (`e-` above `mail`).
 */
export function withWholeWords(pages: readonly string[]): string[] {
  if (!pages.some((page) => page.search(BROKEN) >= 0)) return [...pages];
  const known = new Set(
    pages.flatMap((page) =>
      (page.replaceAll(BROKEN, '\n').toLowerCase().match(WORD) ?? []).flatMap((word) => [
        word,
        ...word.split('-'),
      ]),
    ),
  );
  const partners = partnersOf(known);
  const isCompound = (first: string, second: string): boolean =>
    known.has(`${first}-${second}`) ||
    (known.has(first) && known.has(second)) ||
    isJoined(partners, `${first}-`) ||
    isJoined(partners, `-${second}`);
  return pages.map((page) =>
    page.replaceAll(BROKEN, (...match: BrokenWord) => {
      const [whole, first, hyphen, second, signs, blank, at] = match;
      const before = /\S*$/.exec(page.slice(Math.max(0, at - MAX_TOKEN), at))?.[0] ?? '';
      const behind = signs === '' ? page.slice(at + whole.length, at + whole.length + 2) : '';
      const [one, other] = [first.toLowerCase(), second.toLowerCase()];
      const isOfPrograms = OF_PROGRAMS.test(before) || behind.startsWith('_');
      const isChain = (/-$/.test(before) && !/\p{Lu}/u.test(before)) || /^-\p{Ll}/u.test(behind);
      const isWhole =
        hyphen === '\u00ad' ||
        (first.length > 1 &&
          !isOfPrograms &&
          (known.has(one + other) || !(isChain || isCompound(one, other))));
      return `${first}${isWhole ? '' : '-'}${second}${signs}${blank === undefined ? '' : '\n'}`;
    }),
  );
}

/** Compounds that a half is part of, at least, to be joined by a hyphen for good, and its letters: `re-` and `co-` are syllables as often. */
const MIN_PARTNERS = 2;
const MIN_JOINED_LENGTH = 4;

type Partners = ReadonlyMap<string, number>;

/** In how many compounds words stand first (`kube-`) and last (`-server`). */
function partnersOf(known: ReadonlySet<string>): Partners {
  const partners = new Map<string, number>();
  for (const word of known) {
    const [first, last, ...others] = word.split('-');
    if (first === undefined || last === undefined || others.length > 0) continue;
    for (const half of [`${first}-`, `-${last}`]) partners.set(half, (partners.get(half) ?? 0) + 1);
  }
  return partners;
}

const isJoined = (partners: Partners, half: string): boolean =>
  half.length > MIN_JOINED_LENGTH && (partners.get(half) ?? 0) >= MIN_PARTNERS;
