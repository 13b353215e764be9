import { withPlainDates } from './stated-dates.js';

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

/** Words of a number that is written out, as an alternation. */
export const NUMERAL = [...SMALL.keys(), ...LARGE.keys()].join('|');
const SPELLED = new RegExp(
  String.raw`\b(?:a (?=hundred|thousand|million))?(?:${NUMERAL})(?:(?:-| and | )(?:${NUMERAL}))*\b`,
  'gi',
);
const NUMBER = String.raw`\d+(?:,\d{3})*(?:\.\d+)?`;
/** `10 million`, `10M`, `$10m`: a small `m` elsewhere is a length. */
const SCALED = new RegExp(
  String.raw`(?<![\w.,])(${NUMBER})(?:[ -]?(hundred|thousand|million|billion|mn|bn)|([kKMB])|(m)(?<=\p{Sc}${NUMBER}m))\b`,
  'gu',
);
const SCALES: ReadonlyMap<string, number> = new Map([
  ...LARGE,
  ['k', 1e3],
  ['m', 1e6],
  ['mn', 1e6],
  ['b', 1e9],
  ['bn', 1e9],
]);

/** `first` to `tenth`. */
export const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
/** `21st`, written out. */
const COMPOUND_ORDINAL = new RegExp(
  String.raw`\b(${TENS.join('|')})[- ](${ORDINALS.slice(0, 9).join('|')})\b`,
  'gi',
);
/** Of a place in a row, not of a day of a month. */
const PLACE_IN_DIGITS = /(?<![\d.,])([1-9]|10)(?:st|nd|rd|th)(?= (?!of\b|on\b)\p{Ll})/gu;

const PARTS = 'third quarter fifth sixth seventh eighth ninth tenth'.split(' ');
const PART = `(${PARTS.join('|')})s?`;
const FIRST_PART = 3;
const NEARLY = String.raw`(?<!\b(?:almost|nearly|about|around|roughly|over|under|than)\s)\b`;
/** `two thirds`, not "almost a third"; "a third" and "a quarter" only where it is one of something. */
const SHARE = new RegExp(
  String.raw`${NEARLY}(?:(one|two|three|four)[ -](?!quarter)${PART}\b|(an?|one|two|three) ${PART}(?= of\b(?! an? )))`,
  'gi',
);

/** `two dozen`, not "a dozen". */
const DOZENS = new RegExp(String.raw`\b(\d{1,6}|${NUMERAL}) dozen\b`, 'gi');

/** `requests/s` and `MB/min`: a rate, as it is written where there is room. */
const RATES: Readonly<Record<string, string>> = {
  s: 'second',
  sec: 'second',
  min: 'minute',
  h: 'hour',
  hr: 'hour',
  d: 'day',
};
const RATE = /(?<=\p{L}{2}|\d)\/(s|sec|second|min|minute|h|hr|hour|d|day|week|month|year)\b(?!\.?\w|\/)/gu;

const UNIT = 'seconds?|minutes?|hours?|days?|weeks?|months?|years?';
const CURRENCIES: readonly (readonly [sign: string, names: string])[] = [
  ['$', String.raw`dollars?\b|USD\b|US\$`],
  ['€', String.raw`euros?\b|EUR\b|€`],
  ['£', String.raw`pounds?\b|lbs?\b|GBP\b|£`],
  ['₣', String.raw`(?:Swiss )?francs?\b|CHF\b`],
  ['¥', String.raw`yen\b|JPY\b|¥`],
  ['₹', String.raw`rupees?\b|INR\b|₹`],
];

/** `once` where it says how often, and not "as soon as", "formerly" or "at once": by the words around it. */
const ONCE = [
  String.raw`once(?=\s(?:an?|per|every|each|daily|(?:hour|night|week|month|quarter|year)ly)\b)`,
  String.raw`(?<=[\p{L}\p{N}]\s)(?<!\b(?:at|and|or|but|if|that|is|was|were)\s)once(?=[.,;:!?)]|\s*$|\s(?:to|and|or|before|after|for|only|during|within|when|while|by|if)\b)`,
  String.raw`(?<=\b(?:exactly|least|most|than)\s)once\b`,
].join('|');

/** Words and their form in digits, applied in order. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`\b(?:${ONCE})|\b(?:one|a single) time\b`, 'giu'), '1 time'],
  [/\bdecade\b/gi, '10 years'],
  [/\bfortnight\b/gi, '2 weeks'],
  [/\bhalf (?:a |of a )?dozen\b/gi, '6'],
  [/\b(?:a |one )?dozen\b/gi, '12'],
  [/\b(?:twice|double[sd]?|doubling|twofold)\b/gi, '2 times'],
  [/\b(?:thrice|triple[sd]?|threefold)\b/gi, '3 times'],
  [/\bnoon\b/gi, '12:00'],
  [/\bmidnight\b/gi, '0:00'],
  [
    new RegExp(
      String.raw`${NEARLY}(?<!\b(?:first|second|last|latter|other)\s)half(?= (?:of|the|its|their|our|your|all|these|those)\b)|(?<=\bby )half\b(?! an?\b)`,
      'gi',
    ),
    '50%',
  ],
  [
    new RegExp(String.raw`\b(?:on alternate|(?:every|each) (?:alternate|other|second)) (${UNIT})\b`, 'gi'),
    'every 2 $1',
  ],
  ...ORDINALS.slice(2).map((word, at): [RegExp, string] => [
    new RegExp(String.raw`\b(?:every|each) ${word} (${UNIT})\b`, 'gi'),
    `every ${at + 3} $1`,
  ]),
  [new RegExp(String.raw`\b(?:every|each) half (${UNIT})\b`, 'gi'), 'every 0.5 $1'],
  [new RegExp(String.raw`\bhalf an? (${UNIT})\b`, 'gi'), '0.5 $1'],
  [new RegExp(String.raw`\b(\d+) (?:and a half (${UNIT})|(${UNIT}) and a half)\b`, 'gi'), '$1.5 $2$3'],
  [new RegExp(String.raw`\ban? (?:and a half (${UNIT})|(${UNIT}) and a half)\b`, 'gi'), '1.5 $1$2'],
  [
    new RegExp(
      String.raw`(\d) (?:consecutive|calendar|full|whole|straight|more|further|additional|extra)(?= (?:${UNIT})\b)`,
      'g',
    ),
    '$1',
  ],
  [/(\d) ?(?:percent|per cent)\b/gi, '$1%'],
  [/\bminus (?=\d)/gi, '-'],
  [
    /(?<![-\d.])(\d[\d.]*(?: ?°(?: ?[CF]\b)?| degrees?(?: Celsius| Fahrenheit)?)?) below (?:zero|freezing)\b/gi,
    '-$1',
  ],
  ...CURRENCIES.flatMap(([sign, names]): [RegExp, string][] => [
    [new RegExp(String.raw`(?:${names})\s?(?=\d)`, 'g'), sign.replace('$', '$$$$')],
    [
      new RegExp(String.raw`(?<![\p{Sc}\d.,])(${NUMBER})[ -]?(?:${names})`, 'gu'),
      `${sign.replace('$', '$$$$')}$1`,
    ],
  ]),
  // Of a day of a month, or a place in a row.
  [/(\d)(?:st|nd|rd|th)\b/g, '$1'],
];
const AFTERNOON = /\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?/gi;

/**
 * A text with its written numbers and measures in digits: `a minute and a half` is `1.5 minute`, `2 pm` is `14:00`, `two thirds` are `67%`,
 * `10M euros` are `€10000000`. Linear in its length.
 */
export function withAmountsInDigits(text: string): string {
  const spelled = withPlainDates(text)
    .replace(SCALED, (_, digits: string, word?: string, letter?: string, small?: string) => {
      const scale = SCALES.get((word ?? letter ?? small ?? '').toLowerCase()) ?? 1;
      return String(Number((Number(digits.replaceAll(',', '')) * scale).toPrecision(12)));
    })
    .replace(DOZENS, (_, count: string) => String(12 * writtenAmount(count)))
    .replace(
      COMPOUND_ORDINAL,
      (_, ten: string, one: string) =>
        `${(SMALL.get(ten.toLowerCase()) ?? 0) + ORDINALS.indexOf(one.toLowerCase()) + 1}`,
    )
    .replace(PLACE_IN_DIGITS, (_, place: string) => ORDINALS[Number(place) - 1] ?? place)
    .replace(RATE, (_, unit: string) => ` per ${RATES[unit] ?? unit}`)
    .replace(SHARE, (_, counted?: string, part?: string, count = 'a', of = '') => {
      const parts = FIRST_PART + PARTS.indexOf((part ?? of).toLowerCase());
      return `${Math.round((100 * (SMALL.get((counted ?? count).toLowerCase()) ?? 1)) / parts)}%`;
    })
    .replace(SPELLED, (words) => {
      const value = numeralValue(words.toLowerCase());
      // "One" alone stands for too many other things, and "two" may be how many there are.
      return value <= 2 ? words : String(value);
    });
  return FORMS.reduce((written, [form, digits]) => written.replace(form, digits), spelled).replace(
    AFTERNOON,
    (_, hour: string, minute = '00', half: string) => {
      const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
      return `${hours}:${minute}`;
    },
  );
}

/** The value of a number, in digits or written out; NaN where it is none. */
export function writtenAmount(written: string): number {
  const words = written.toLowerCase();
  if (words === 'a' || words === 'an') return 1;
  const [, digits = '', scale = ''] = /^([\d,.]+)[ -]?(\p{L}*)$/u.exec(words) ?? [];
  if (digits === '') return numeralValue(words) || Number.NaN;
  return Number(digits.replaceAll(',', '')) * (SCALES.get(scale) ?? 1);
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
