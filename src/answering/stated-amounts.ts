// Amounts as people say them, in digits, so that they can be compared with those of a source.

const UNITS = 'one two three four five six seven eight nine'.split(' ');
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const SMALL: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i) => [word, i + 1] as const),
  ...TEENS.map((word, i) => [word, i + 10] as const),
  ...TENS.map((word, i) => [word, 20 + 10 * i] as const),
]);
const LARGE: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
]);

const NUMERAL = [...SMALL.keys(), ...LARGE.keys()].join('|');
const SPELLED = new RegExp(
  String.raw`\b(?:a (?=hundred|thousand|million))?(?:${NUMERAL})(?:(?:-| and | )(?:${NUMERAL}))*\b`,
  'gi',
);
const UNIT = 'seconds?|minutes?|hours?|days?|weeks?|months?|years?';

/** How many of which, for words that hold both. */
const MEASURES: readonly (readonly [RegExp, string])[] = [
  [/\bonce(?= (?:an?|per|every|each)\b)/gi, '1 time'],
  [/\bdecade\b/gi, '10 years'],
  [/\bfortnight\b/gi, '2 weeks'],
  [/\b(?:a |one )?dozen\b/gi, '12'],
  [/\b(?:twice|double[sd]?|doubling|twofold)\b/gi, '2 times'],
  [/\b(?:thrice|triple[sd]?|threefold)\b/gi, '3 times'],
  [/\bnoon\b/gi, '12:00'],
];

const HALVES = new RegExp(String.raw`\b(an?|\d+) (?:and a half (${UNIT})|(${UNIT}) and a half)\b`, 'gi');
const HALF = new RegExp(String.raw`\bhalf an? (${UNIT})\b`, 'gi');
const AFTERNOON = /\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?/gi;

/** A text with its written numbers and measures in digits: `a minute and a half` is `1.5 minute`, `2 pm` is `14:00`. Linear in its length. */
export function withAmountsInDigits(text: string): string {
  const spelled = text.replace(SPELLED, (words) => {
    const value = numeralValue(words.toLowerCase());
    // "One" alone stands for too many other things, and "two" may be how many there are.
    return value <= 2 ? words : String(value);
  });
  return MEASURES.reduce((written, [word, digits]) => written.replace(word, digits), spelled)
    .replace(HALVES, (_, count: string, first?: string, second?: string) => {
      const whole = /^\d/.test(count) ? Number(count) : 1;
      return `${whole + 0.5} ${first ?? second ?? ''}`;
    })
    .replace(HALF, '0.5 $1')
    .replace(AFTERNOON, (_, hour: string, minute = '00', half: string) => {
      const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
      return `${hours}:${minute}`;
    });
}

function numeralValue(words: string): number {
  let total = 0;
  let part = 0;
  for (const word of words.split(/-| and | /)) {
    const scale = LARGE.get(word);
    if (scale === undefined) part += SMALL.get(word) ?? 0;
    else if (scale === 100) part = Math.max(1, part) * scale;
    else {
      total += Math.max(1, part) * scale;
      part = 0;
    }
  }
  return total + part;
}
