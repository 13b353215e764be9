/** One small change that makes a true sentence false. */
export interface Alteration {
  readonly kind: 'number' | 'name' | 'negation';
  readonly text: string;
}

const NUMBER = /(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])/g;
const NAME = /(?<=[\p{Ll},;] )\p{Lu}[\p{Ll}]{2,}(?:[ -]\p{Lu}[\p{Ll}]{2,})*/gu;
const POSITIVE = /\b(is|are|was|were|can|will|must|should|has|have|does|do|may|would|could)\b(?! not\b|n't)/;
const NEGATIVE = /\b(is|are|was|were|can|will|must|should|has|have|does|do|may|would|could)(?: not|n't)\b/;

/**
 * Every single alteration of a sentence: a number by another, a name by one of `names` that it does not hold, a negation
 * taken out or put in. Deterministic.
 *
 * @param random uniform in [0, 1), decides which number and which name.
 */
export function alterationsOf(
  sentence: string,
  { names, random }: { readonly names: readonly string[]; readonly random: () => number },
): Alteration[] {
  return [
    ...alter('number', sentence, matchOf(sentence, NUMBER, random), (number) => otherNumber(number, random)),
    ...alter('name', sentence, matchOf(sentence, NAME, random), () => otherName(sentence, names, random)),
    ...negated(sentence),
  ];
}

interface Found {
  readonly text: string;
  readonly index: number;
}

function matchOf(sentence: string, pattern: RegExp, random: () => number): Found | undefined {
  const matches = [...sentence.matchAll(pattern)];
  const match = matches[Math.floor(random() * matches.length)];
  return match === undefined ? undefined : { text: match[0], index: match.index };
}

function alter(
  kind: Alteration['kind'],
  sentence: string,
  found: Found | undefined,
  other: (text: string) => string | undefined,
): Alteration[] {
  const replacement = found === undefined ? undefined : other(found.text);
  if (found === undefined || replacement === undefined) return [];
  const text = sentence.slice(0, found.index) + replacement + sentence.slice(found.index + found.text.length);
  return [{ kind, text }];
}

/** Of the same length, for a number of another size would be too easy to find. */
function otherNumber(number: string, random: () => number): string {
  const digits = [...number];
  const places = digits.flatMap((digit, i) => (/\d/.test(digit) ? [i] : []));
  const place = places[Math.floor(random() * places.length)] ?? 0;
  const old = Number(digits[place]);
  const lowest = place === 0 && places.length > 1 ? 1 : 0;
  const choices = Array.from({ length: 10 - lowest }, (_, i) => i + lowest).filter((digit) => digit !== old);
  digits[place] = String(choices[Math.floor(random() * choices.length)] ?? 0);
  return digits.join('');
}

function otherName(sentence: string, names: readonly string[], random: () => number): string | undefined {
  const others = names.filter((name) => !sentence.includes(name));
  return others[Math.floor(random() * others.length)];
}

function negated(sentence: string): Alteration[] {
  if (NEGATIVE.test(sentence)) return [{ kind: 'negation', text: sentence.replace(NEGATIVE, '$1') }];
  return POSITIVE.test(sentence) ? [{ kind: 'negation', text: sentence.replace(POSITIVE, '$1 not') }] : [];
}

/** Names of a text that may stand in for others. */
export const namesToSwap = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(NAME), ([name]) => name)),
];
