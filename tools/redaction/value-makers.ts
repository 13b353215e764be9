import { Buffer } from 'node:buffer';
import type { RedactionType } from '../../src/platform/security/redaction/detection.js';

/** Numbers in [0, 1). */
export type Random = () => number;

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const ALPHANUMERIC = DIGITS + LOWER + UPPER;
const HEX = '0123456789abcdef';

const pick = <T>(random: Random, from: readonly T[]): T => {
  const item = from[Math.floor(random() * from.length)];
  if (item === undefined) throw new RangeError('Nothing to pick from.');
  return item;
};
const characters = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => pick(random, [...alphabet])).join('');
/** `#` becomes a digit, `%` one from 2 to 9. */
const shaped = (random: Random, shape: string): string =>
  shape.replace(/[#%]/g, (sign) => characters(random, sign === '#' ? DIGITS : '23456789', 1));

const NAMES =
  'anna.kowalska jose.garcia li.wei m.dubois t.rossi i.petrov s.sato k-park p_silva o.jansen'.split(' ');
const DOMAINS = 'acme.example mail.acme.example firma.example shop-24.example dept.uni.example'.split(' ');

const PHONES =
  '+49 151 2#######|+44 7700 900###|+1 (415) 555-01##|+33 6 12 ## ## ##|+34 612 ### ###|+48 601 ### ###|+31 6 1#######|+81 90-1###-####|+86 138 #### ####|+91 98### #####|+351 912 ### ###|+39 347 ### ####|+7 916 ###-##-##|+55 11 9####-####|+82 10-2###-####'.split(
    '|',
  );
const CARDS = ['4###############', '51##############', '34#############', '6011############'];

/** ISO/IEC 7812-1, annex B. */
function withLuhnDigit(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return body + ((10 - (sum % 10)) % 10);
}

/** ISO 13616 with the check digits of ISO 7064 MOD 97-10. */
function iban(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('');
  const check = String(98n - (BigInt(digits) % 97n)).padStart(2, '0');
  return `${country}${check}${account}`;
}

const inFours = (text: string): string => text.replace(/(.{4})(?=.)/g, '$1 ');

function paymentCard(random: Random): string {
  const number = withLuhnDigit(shaped(random, pick(random, CARDS)).slice(0, -1));
  return number.length === 16 && random() < 0.5 ? inFours(number) : number;
}

function accountNumber(random: Random): string {
  const [country, account] = pick(random, [
    ['DE', '##################'],
    ['FR', '#######################'],
    ['NL', 'ABNA##########'],
    ['GB', 'NWBK##############'],
    ['PL', '########################'],
    ['ES', '####################'],
  ] as const);
  const number = iban(country, shaped(random, account));
  return random() < 0.5 ? inFours(number) : number;
}

function nationalId(random: Random): string {
  const number = shaped(random, '########');
  const letter = 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] ?? '';
  return pick(random, [shaped(random, '1%#-4%-%###'), `${number}${letter}`, shaped(random, 'AB ## ## %# C')]);
}

const ipAddress = (random: Random): string =>
  pick(random, [
    shaped(random, '10.%#.1%#.%#'),
    shaped(random, '192.168.#.1##'),
    shaped(random, '203.0.113.%#'),
    `2001:db8:${characters(random, HEX.slice(1), 4)}::${characters(random, HEX.slice(1), 2)}`,
  ]);

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (random: Random): string =>
  `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: characters(random, DIGITS, 8) })}.${characters(random, ALPHANUMERIC, 43)}`;

/** A password as people make them, or a key as machines do. */
const secret = (random: Random): string =>
  pick(random, [
    `${pick(random, ['Tanne', 'Gato', 'River', 'Sakura', 'Zamek'])}${shaped(random, '##')}!${characters(random, LOWER, 3)}`,
    `${characters(random, ALPHANUMERIC, 20)}7aB`,
    `${characters(random, HEX, 30)}a7`,
    `${characters(random, UPPER, 2)}${characters(random, LOWER, 4)}-${shaped(random, '####')}`,
  ]);

const privateKey = (random: Random): string => {
  const marker = (word: string): string => `-----${word} ${['PRIVATE', 'KEY'].join(' ')}-----`;
  return `${marker('BEGIN')}\n${characters(random, ALPHANUMERIC, 64)}\n${characters(random, ALPHANUMERIC, 48)}\n${marker('END')}`;
};

/** The types, and another value of one of them: the 40 characters of AWS. */
export type ValueKind = RedactionType | 'AWS_SECRET';

/** Values of each kind, right by their own check digits where they have some. Prefixes are joined, so that no file holds a token. */
export const VALUES: Readonly<Record<ValueKind, (random: Random) => string>> = {
  EMAIL: (random) => `${pick(random, NAMES)}${random() < 0.3 ? '+tag' : ''}@${pick(random, DOMAINS)}`,
  PHONE: (random) => shaped(random, pick(random, PHONES)),
  CREDIT_CARD: paymentCard,
  IBAN: accountNumber,
  NATIONAL_ID: nationalId,
  IP_ADDRESS: ipAddress,
  AWS_KEY: (random) => ['AK', 'IA'].join('') + characters(random, `${UPPER}234567`, 16),
  AWS_SECRET: (random) => characters(random, `${ALPHANUMERIC}/+`, 40),
  GITHUB_TOKEN: (random) => ['gh', 'p_'].join('') + characters(random, ALPHANUMERIC, 36),
  SLACK_TOKEN: (random) =>
    `${['xo', 'xb'].join('')}-${characters(random, DIGITS, 12)}-${characters(random, ALPHANUMERIC, 24)}`,
  JWT: jwt,
  API_KEY: secret,
  PRIVATE_KEY: privateKey,
};

/** What looks like such a value and is none. */
export const NEAR_MISSES: Readonly<Record<string, (random: Random) => string>> = {
  VERSION: (random) => shaped(random, '%.1#.#.#'),
  ISBN: (random) => shaped(random, '978-3-16-1####0-#'),
  ORDER: (random) => shaped(random, '%######'),
  LONG_NUMBER: (random) => shaped(random, '1############'),
  HASH: (random) => characters(random, HEX, 40),
  UUID: (random) => [8, 4, 4, 4, 12].map((length) => characters(random, HEX, length)).join('-'),
  DATE: (random) => shaped(random, '2024-0%-1#'),
  WRONG_CARD: (random) => {
    const right = withLuhnDigit(shaped(random, '4##############'));
    return right.slice(0, -1) + ((Number(right.slice(-1)) + 5) % 10);
  },
  WRONG_IBAN: (random) => {
    const right = iban('DE', shaped(random, '##################'));
    return `DE${right.slice(2, 4) === '50' ? '51' : '50'}${right.slice(4)}`;
  },
  WORDS: (random) =>
    pick(random, [
      'process.env.TOKEN',
      ['$', '{DB_PASS}'].join(''),
      '<your-key>',
      'null',
      'changeme',
      '********',
    ]),
  PACKAGE: (random) => `@scope/pkg@${shaped(random, '%.#.#')}`,
};
