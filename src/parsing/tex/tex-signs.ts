/** Combining marks of the commands for accents. */
const ACCENTS: Readonly<Record<string, string>> = {
  ...{
    '"': '\u0308',
    "'": '\u0301',
    '`': '\u0300',
    '^': '\u0302',
    '~': '\u0303',
    '=': '\u0304',
    '.': '\u0307',
  },
  ...{ c: '\u0327', v: '\u030c', u: '\u0306', H: '\u030b', k: '\u0328', r: '\u030a' },
};

/** A letter with the accent of a command; undefined where the command is none, or no letter stands behind it. */
export function accented(command: string, letter: string): string | undefined {
  const mark = ACCENTS[command];
  return mark === undefined || letter === '' ? undefined : `${letter}${mark}`.normalize('NFC');
}

/** What commands without arguments stand for in text. */
export const SYMBOLS: Readonly<Record<string, string>> = {
  ...{
    ss: 'ß',
    o: 'ø',
    O: 'Ø',
    l: 'ł',
    L: 'Ł',
    ae: 'æ',
    AE: 'Æ',
    oe: 'œ',
    OE: 'Œ',
    aa: 'å',
    AA: 'Å',
    i: 'ı',
  },
  ...{
    textbackslash: '\\',
    textasciitilde: '~',
    textasciicircum: '^',
    textunderscore: '_',
    ldots: '…',
    dots: '…',
  },
  ...{
    textendash: '–',
    textemdash: '—',
    textdegree: '°',
    degree: '°',
    euro: '€',
    texteuro: '€',
    pounds: '£',
  },
  ...{
    copyright: '©',
    S: '§',
    P: '¶',
    dag: '†',
    LaTeX: 'LaTeX',
    TeX: 'TeX',
    quad: ' ',
    qquad: ' ',
    newline: '\n',
  },
};

/** Signs in a row that are shown as one. */
export const LIGATURES: readonly (readonly [string, string])[] = [
  ...([
    ['---', '\u2014'],
    ['--', '\u2013'],
    ['``', '\u201c'],
    ["''", '\u201d'],
  ] as const),
];
