/** Where a mistake is made: `anywhere`, with any letter; `likely`, behind the first letter, with letters of near keys. */
export type MistakeKind = 'anywhere' | 'likely';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const NEAR: Readonly<Record<string, string>> = {
  q: 'wa',
  w: 'qes',
  e: 'wrd',
  r: 'etf',
  t: 'ryg',
  y: 'tuh',
  u: 'yij',
  i: 'uok',
  o: 'ipl',
  p: 'ol',
  a: 'qsz',
  s: 'awdx',
  d: 'sefc',
  f: 'drgv',
  g: 'fthb',
  h: 'gyjn',
  j: 'hukm',
  k: 'jil',
  l: 'kop',
  z: 'asx',
  x: 'zsdc',
  c: 'xdfv',
  v: 'cfgb',
  b: 'vghn',
  n: 'bhjm',
  m: 'njk',
};

/** A text with one mistake in every word of six letters or more that is no part of a name with digits or joiners. */
export const mistyped = (text: string, kind: MistakeKind, random: () => number): string =>
  text.replace(/(?<![\w./@#:-])[A-Za-z]{6,}(?![\w/@#]|[.:-]\w)/g, (word) => {
    for (;;) {
      const wrong = mistake(word, kind, random);
      if (wrong.toLowerCase() !== word.toLowerCase()) return wrong;
    }
  });

function mistake(word: string, kind: MistakeKind, random: () => number): string {
  const upTo = (count: number): number => Math.floor(random() * count);
  const from = kind === 'anywhere' ? 0 : 1;
  const at = from + upTo(word.length - from - 1);
  const letter = word.charAt(at);
  const near = kind === 'anywhere' ? LETTERS : (NEAR[letter.toLowerCase()] ?? LETTERS);
  const other = near.charAt(upTo(near.length));
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  switch (upTo(4)) {
    case 0:
      return before + after.charAt(0) + letter + after.slice(1);
    case 1:
      return before + after;
    case 2:
      return before + letter + (kind === 'anywhere' || random() < 0.5 ? other : letter) + after;
    default:
      return before + other + after;
  }
}
