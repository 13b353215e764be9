/** Letters that a mistake may have lost or changed, by script. Accents are folded before. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяё',
  'αβγδεζηθικλμνξοπρσςτυφχψω',
] as const;

const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const;
/** How far a row of keys stands to the right, in keys. */
const ROW_SHIFTS = [0, 0.25, 0.75] as const;
const NEIGHBOUR_DISTANCE = 1.3;
const VOWELS = 'aeiou';
/** Consonants that names are written with by ear: `Schmitt` for `Schmidt`, `Kovalski` for `Kowalski`. */
const SOUNDS = ['td', 'ckqg', 'szc', 'fvw', 'bp', 'iyj', 'mn'] as const;

/** How unlikely a mistake is beside the likeliest ones, in nats (natural logarithm of the odds). */
const COSTS = {
  swapped: 0,
  doubled: 0,
  missing: 0.5,
  nearKey: 0.5,
  vowel: 0.5,
  sound: 1,
  extra: 1,
  other: 2,
} as const;
/** Few people mistype the first letter, and nobody types one for it that is far away. */
const FIRST_LETTER = 1;

/**
 * Every word from which one mistake makes the given one, with how unlikely that mistake is: neighbours swapped, a letter lost, a
 * letter too many, another letter in its place. As many as the word is long, whatever the index holds. Empty for a word of
 * another script.
 */
export function wordsOneMistakeAway(word: string): Map<string, number> {
  const found = new Map<string, number>();
  const alphabet = ALPHABETS.find((letters) => [...word].every((letter) => letters.includes(letter)));
  if (alphabet === undefined) return found;
  const add = (meant: string, cost: number): void => {
    if (meant !== word) found.set(meant, Math.min(cost, found.get(meant) ?? Number.POSITIVE_INFINITY));
  };
  for (let at = 0; at <= word.length; at++) {
    const before = word.slice(0, at);
    const rest = word.slice(at);
    const first = at === 0 ? FIRST_LETTER : 0;
    for (const letter of alphabet) {
      add(before + letter + rest, first + (isBeside(word, at, letter) ? COSTS.doubled : COSTS.missing));
      if (rest !== '' && (at > 0 || areNearKeys(rest.charAt(0), letter)))
        add(before + letter + rest.slice(1), first + replacementCost(rest.charAt(0), letter));
    }
    if (rest !== '') add(before + rest.slice(1), first + extraCost(word, at));
    if (rest.length > 1) add(before + rest.charAt(1) + rest.charAt(0) + rest.slice(2), first + COSTS.swapped);
  }
  return found;
}

/** The letter repeats one beside the place: `comitted` for `committed`. */
const isBeside = (word: string, at: number, letter: string): boolean =>
  word.charAt(at - 1) === letter || word.charAt(at) === letter;

/** Of a letter too many: one typed twice, or the key beside it hit too. */
function extraCost(word: string, at: number): number {
  const letter = word.charAt(at);
  const [before, after] = [word.charAt(at - 1), word.charAt(at + 1)];
  if (letter === before || letter === after) return COSTS.doubled;
  return areNearKeys(letter, before) || areNearKeys(letter, after) ? COSTS.nearKey : COSTS.extra;
}

function replacementCost(typed: string, meant: string): number {
  if (areNearKeys(typed, meant)) return COSTS.nearKey;
  if (VOWELS.includes(typed) && VOWELS.includes(meant)) return COSTS.vowel;
  return SOUNDS.some((alike) => alike.includes(typed) && alike.includes(meant)) ? COSTS.sound : COSTS.other;
}

/** Keys side by side on an English keyboard; others differ in few letters. */
function areNearKeys(a: string, b: string): boolean {
  const [from, to] = [keyOf(a), keyOf(b)];
  if (from === undefined || to === undefined) return false;
  return Math.hypot(from.x - to.x, from.y - to.y) < NEIGHBOUR_DISTANCE;
}

function keyOf(letter: string): { readonly x: number; readonly y: number } | undefined {
  const y = KEY_ROWS.findIndex((row) => letter !== '' && row.includes(letter));
  const row = KEY_ROWS[y];
  return row === undefined ? undefined : { x: row.indexOf(letter) + (ROW_SHIFTS[y] ?? 0), y };
}
