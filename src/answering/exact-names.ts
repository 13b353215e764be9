import { extractIdentifiers, isDottedName, isFileName, isSignedName } from '../core/analysis/identifiers.js';
import { normaliseText } from '../core/analysis/normalise.js';
import { literalPattern } from '../core/literal-pattern.js';

/** An identifier that a question names: a ticket, a version, an error code, a file, a flag, a name of code. */
export interface ExactName {
  /** As the question writes it. */
  readonly name: string;
  /** What is looked up as a word: the last part of a dotted name. */
  readonly word: string;
  /** Normalised, as chunks hold it (`core/analysis/identifiers.ts`). */
  readonly identifier: string;
  /** What it is made of, in order: `MESOS-5754` is `MESOS` and `5754`. Spelled apart, each is a word of its own. */
  readonly parts: readonly string[];
  /** Whether a text holds it, in whatever spelling (`mesos 5754`, `MESOS-05754`, `KEP number 4939`), or in a range. */
  readonly standsIn: (text: string) => boolean;
}

/** Whether something that the asker may see holds an identifier, in whatever spelling: in a text, a path or metadata. */
export type IsKnownIdentifier = (name: ExactName) => Promise<boolean>;

/** A path with a file at its end is known by the name of the file, a place in a file by the file. */
const TOLD_BY_ITS_FILE = /\/[^/]*\.[a-z][a-z0-9]{0,9}$|:\d+$/;
const HTTP_STATUS = /^http-\d{3}$/;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[^\P{L}\p{Ll}\p{Lu}]+/gu;

/**
 * The exact identifiers of a question. An HTTP status is a number that texts write alone. A dotted name is known by its last part:
 * what stands before it is often a variable (`client.requestStream`).
 */
export function exactNamesIn(question: string): ExactName[] {
  const text = normaliseText(question);
  const lower = text.toLowerCase();
  const all = extractIdentifiers(question);
  const whole = all.filter((identifier) => isDottedName(identifier) || isFileName(identifier));
  const isPart = (identifier: string): boolean =>
    whole.some((other) => other !== identifier && other.split(/[.#:>-]+/).includes(identifier));
  return all
    .filter((identifier) => !TOLD_BY_ITS_FILE.test(identifier) && !HTTP_STATUS.test(identifier))
    .filter((identifier) => !isPart(identifier))
    .map((identifier) => {
      const at = lower.indexOf(identifier);
      const written = at < 0 ? identifier : text.slice(at, at + identifier.length);
      if (!isDottedName(identifier))
        return exactName(/v$/i.test(text.slice(0, Math.max(0, at))) ? `v${written}` : written, identifier);
      const last = written.split(/[.#:>-]+/).at(-1) ?? written;
      return { ...exactName(last, last.toLowerCase()), name: written, word: last };
    });
}

/** A name that is spelled so. */
export function exactName(name: string, identifier: string): ExactName {
  const parts = name.match(PART) ?? [];
  const spelled = isSignedName(identifier) ? spelledWithSigns(identifier) : spelledAs(name, parts);
  const ranged = withinRange(name);
  return { name, word: name, identifier, parts, standsIn: (text) => spelled.test(text) || ranged(text) };
}

/** What may stand between two parts: a few marks or spaces, and before a number what calls it one (`kep-number: 4939`). */
const GAP = String.raw`[^\p{L}\p{N}]{0,4}`;
const CALLED = `s?${GAP}(?:(?:number|num|no|nr|id|key)${GAP})?`;
const IS_VERSION = /^v?(\d+(?:\.\d+)+)(.*)$/i;

/** How signs of a name are said where they cannot be written. */
const SAID_SIGNS: readonly (readonly [sign: string, said: string])[] = [
  ['++', '(?:pp|[ -]?plus[ -]?plus)'],
  ['#', '[ -]?sharp'],
  ['.', 'dot[ -]?'],
];

/** `C#` is not `C`: with its signs, which Markdown may escape, or with what they are called (`csharp`, `pool.cpp`). */
function spelledWithSigns(identifier: string): RegExp {
  const [sign = '', said = ''] = SAID_SIGNS.find(([each]) => identifier.includes(each)) ?? [];
  const [before = '', after = ''] = identifier.split(sign);
  const signs = [...sign].map((each) => String.raw`\\?${literalPattern(each)}`).join('');
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${before}(?:${signs}|${said})${after}(?![\p{L}+#])`, 'iu');
}

function spelledAs(name: string, parts: readonly string[]): RegExp {
  const [, numbers, suffix = ''] = IS_VERSION.exec(name) ?? [];
  if (numbers !== undefined) {
    // `v1.2` stands in `1.2.3`, and `1.2.0` is `1.2`.
    const [core = numbers, zeros = ''] = /^(\d+\.\d+)((?:\.0)+)$/.exec(numbers)?.slice(1) ?? [];
    const optional = zeros === '' ? '' : `(?:${literalPattern(zeros)})?`;
    return new RegExp(
      String.raw`(?<![\p{N}]|\p{N}\.)${literalPattern(core)}${optional}${literalPattern(suffix)}(?!\p{N})`,
      'iu',
    );
  }
  const pattern = parts
    .map((part, at) => {
      const own = /^\p{N}/u.test(part)
        ? `0*${literalPattern(part.replace(/^0+(?=.)/, ''))}`
        : literalPattern(part);
      if (at === 0) return own;
      const isNumbered = /^\p{N}/u.test(part) && /^\p{L}/u.test(parts[at - 1] ?? '');
      return `${isNumbered ? CALLED : GAP}${own}`;
    })
    .join('');
  const isNumber = /^\p{N}/u.test(parts.at(-1) ?? '');
  const end = isNumber ? String.raw`(?!\p{N})` : String.raw`(?:e?s)?(?!\p{L})`;
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}${end}`, 'iu');
}

const NUMBERED = /^(?:(\p{L}[\p{L}\p{N}]*)[-_ ]?)?#?(\d+(?:\.\d+)*)$/u;
const TO = String.raw`\s*(?:-|–|—|\.{2,3}|…|to|through|until)\s*`;
const AND_LATER = String.raw`\s*(?:\+|(?:and|or) (?:later|newer|above|higher|up))`;

/** Whether a text names a range that holds the number: `MESOS-100 to MESOS-120`, `1.20 - 1.25`, `v1.18 and later`. */
function withinRange(name: string): (text: string) => boolean {
  const [, prefix = '', number] = NUMBERED.exec(name) ?? [];
  if (number === undefined) return () => false;
  const isVersion = number.includes('.');
  const lead = isVersion ? '(?<![\\p{L}\\p{N}.])v?' : `(?<![\\p{L}\\p{N}])${literalPattern(prefix)}s?[-_ #]?`;
  const digits = isVersion ? String.raw`(\d+(?:\.\d+)+)` : String.raw`(\d+)`;
  const again = isVersion ? 'v?' : `(?:${literalPattern(prefix)}[-_ #]?)?#?`;
  const closed = new RegExp(`${lead}${digits}${TO}${again}${digits}`, 'giu');
  const open = new RegExp(`${lead}${digits}${AND_LATER}`, 'giu');
  // `1.18 and later` tells nothing of 29.1, nor does a range of addresses.
  const isOfOneKind = (end: string): boolean => !isVersion || end.split('.')[0] === number.split('.')[0];
  const has = (from: string, to = from): boolean =>
    (isOfOneKind(from) || isOfOneKind(to)) &&
    compareNumbers(from, number) <= 0 &&
    (to === from || compareNumbers(number, to) <= 0);
  return (text) =>
    [...text.matchAll(closed)].some(([, from = '', to = '']) => has(from, to)) ||
    (isVersion && [...text.matchAll(open)].some(([, from = '']) => has(from)));
}

function compareNumbers(left: string, right: string): number {
  const [own, other] = [left.split('.').map(Number), right.split('.').map(Number)];
  for (let at = 0; at < Math.max(own.length, other.length); at++) {
    const difference = (own[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
