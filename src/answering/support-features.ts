import { splitSentences } from '../core/analysis/boundaries.js';
import { extractIdentifiers, isOperator } from '../core/analysis/identifiers.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { TextRange } from '../core/document.js';
import { dotProduct } from '../core/dot-product.js';
import { namesOf, numbersOf, statedNumbers } from './claim-parts.js';
import { type ClaimPlaces, countingAgreement, placesOf, polarityAgreement } from './claim-places.js';
import { claimWords } from './claim-words.js';
import type { ComparedWord } from './compared-words.js';
import { type LedUnit, ledUnits, SourceText, statementsOf, withLead } from './source-text.js';
import { boundsIn, type StatedBounds, withPlainBounds } from './stated-bounds.js';
import { ordersIn, type StatedOrder } from './stated-order.js';
import { ratesIn, type StatedRate } from './stated-rates.js';

/** The vector of a text by the built-in model, of length 1; undefined for one in a script that it does not read. */
export type TextMeaning = (text: string) => Float32Array | undefined;

/** What a sentence shares with a text that is to say it, each in [0, 1]. */
export const SUPPORT_FEATURES = [
  /** Share of the sentence's terms in the whole text. */
  'coverage',
  /** In the best three sentences in a row. */
  'windowCoverage',
  /** In the best single sentence. */
  'sentenceCoverage',
  /** Share of its pairs of neighbouring terms. */
  'pairs',
  /** 1 where each of its numbers stands in the text, exactly; 0 where one does not. */
  'numbers',
  /** Share of its names and identifiers; 1 where it has none. */
  'names',
  'identifiers',
  /** 1 where it denies what the nearest sentences deny, and nothing else. */
  'polarity',
  /** The same against everything. */
  'polarityAnywhere',
  /** Of its number that fits least, the share of the words beside it that stand beside it in the text too. */
  'counting',
] as const;
export type SupportFeature = (typeof SUPPORT_FEATURES)[number];

interface EvidenceSentence extends TextRange {
  /** Which of the texts it stands in; `start` and `end` are offsets of that one. */
  readonly part: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Undefined where it was read without a model, or cannot be. */
  readonly vector: Float32Array | undefined;
}

/** A text that claims are checked against, read once. */
export interface EvidenceText {
  readonly terms: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly identifiers: ReadonlySet<string>;
  readonly places: ClaimPlaces;
  readonly sentences: readonly EvidenceSentence[];
  readonly bounds: StatedBounds;
  readonly rates: readonly StatedRate[];
  readonly orders: readonly StatedOrder[];
  /** Its statements, for comparing word by word. */
  readonly source: SourceText;
  readonly meaning: TextMeaning | undefined;
}

const pairsOf = (text: string): Set<string> => {
  const terms = analyzeText(text);
  return new Set(terms.slice(1).map((term, i) => `${terms[i] ?? ''} ${term}`));
};

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * @param asWritten passages, in any order; a claim may rest on several.
 * @param meaning compares what claims mean too; without it words alone tell.
 */
export function readEvidence(asWritten: readonly string[], meaning?: TextMeaning): EvidenceText {
  const texts = asWritten.map(withPlainForms);
  const all = texts.join('\n');
  const units = texts.map(ledUnits);
  const sentences = texts.flatMap((text, part) =>
    ledRanges(units[part] ?? [], text.length).flatMap(({ lead, ...range }) =>
      splitSentences(text, range).map(({ start, end }) => {
        const sentence = withLead(lead, text.slice(start, end));
        const terms = new Set(analyzeText(sentence));
        return { part, start, end, text: sentence, terms, vector: meaning?.(sentence) };
      }),
    ),
  );
  return {
    terms: new Set(analyzeText(all)),
    pairs: pairsOf(all),
    words: wordsOf(all),
    numbers: numbersOf(all),
    identifiers: new Set(extractIdentifiers(all)),
    places: placesOf(withPlainBounds(sentences.map(({ text }) => text).join('\n'))),
    sentences,
    bounds: boundsIn(all),
    rates: ratesIn(all),
    orders: texts.flatMap((text, part) => ordersIn(text, units[part] ?? [])),
    source: new SourceText(texts.flatMap((text, part) => statementsOf(text, units[part]))),
    meaning,
  };
}

/** A text in ranges: each item of a list that something leads in to, and what stands between such. */
function ledRanges(units: readonly LedUnit[], length: number): (TextRange & { readonly lead: string })[] {
  let last = 0;
  const ranges = units
    .filter(({ lead }) => lead !== '')
    .flatMap(({ start, end, lead }) => {
      const between = { start: last, end: start, lead: '' };
      last = end;
      return [between, { start, end, lead }];
    });
  return [...ranges, { start: last, end: length, lead: '' }];
}

/** Adjectives that deny, with what they deny where that is not the rest of the word. */
const DENYING: ReadonlyMap<string, string> = new Map(
  [
    ...'im-possible im-practical im-probable ir-reversible ir-relevant ir-regular il-legal dis-allowed dis-connected dis-similar non-refundable'.split(
      ' ',
    ),
    ...'in-accessible in-active in-appropriate in-compatible in-complete in-consistent in-correct in-eligible in-secure in-significant in-sufficient in-valid in-visible'.split(
      ' ',
    ),
    ...'un-able un-affected un-available un-aware un-changed un-common un-encrypted un-important un-known un-likely un-limited un-locked un-necessary un-paid un-reachable'.split(
      ' ',
    ),
    ...'un-readable un-related un-safe un-stable un-supported un-usable un-used un-usual'.split(' '),
  ]
    .map((word): [string, string] => [word.replace('-', ''), word.slice(word.indexOf('-') + 1)])
    .concat([
      ['non-refundable', 'refundable'],
      ['disabled', 'enabled'],
      ['forbidden', 'allowed'],
      ['prohibited', 'allowed'],
      ['offline', 'online'],
    ]),
);
const DENIED_DENIAL = new RegExp(
  String.raw`\b(?:(is|are|was|were)n['’]t|not|never) (${[...DENYING.keys()].join('|')})\b`,
  'gi',
);
const OUT_OF = /\bout of (?=(?:scope|stock|reach|range|bounds|use|service|print|warranty|sync|memory)\b)/gi;
/** Of these no other country is meant. */
const NATIONAL = /\b(US|U\.S\.|American|British) (dollars?|pounds?)\b/g;

/**
 * What is written in another form and means the same, as long as it was: "no. 481" is a number, which denies nothing and ends no sentence; "not
 * impossible" is possible; US dollars are dollars.
 */
export const withPlainForms = (text: string): string =>
  text
    .replace(/(?<=[^\s.!?]\s|\()no\.(?=\s?\d)/gi, '#  ')
    .replace(DENIED_DENIAL, (all, is: string | undefined, word: string) =>
      `${is === undefined ? '' : `${is} `}${DENYING.get(word.toLowerCase()) ?? ''}`.padEnd(all.length),
    )
    .replace(OUT_OF, 'not in ')
    .replace(NATIONAL, (all, _, money: string) => money.padEnd(all.length));

export interface ClaimEvidence {
  readonly features: Readonly<Record<SupportFeature, number>>;
  /** Cosine of the sentence's vector with the most alike one of the text; undefined where one of both has none. */
  readonly meaning: number | undefined;
  /** What the text lacks. */
  readonly missing: {
    readonly names: readonly string[];
    readonly identifiers: readonly string[];
  };
  /** Position in `sentences` of the nearest one; -1 where nothing is shared. */
  readonly nearest: number;
}

export function compareClaim(
  claim: string,
  evidence: EvidenceText,
  words: readonly ComparedWord[] = claimWords(claim, evidence.source),
): ClaimEvidence {
  const terms = new Set(analyzeText(claim));
  const coverages = evidence.sentences.map((sentence) => shareOf(terms, sentence.terms));
  const nearest = indexOfMost(coverages);
  const numbers = lacking(statedNumbers(claim), evidence.numbers);
  const names = lacking(namesOf(claim), evidence.words, (name) => [...wordsOf(name)]);
  // `GitHub` is a name of code by its letters, and may be written `Github`.
  const coined = extractIdentifiers(claim).filter(
    (identifier) => !isOperator(identifier) && !evidence.words.has(identifier),
  );
  const identifiers = lacking(new Set(coined), evidence.identifiers);
  const places = placesOf(words.map(({ text }) => text).join(' '));
  const around = evidence.sentences.slice(Math.max(0, nearest - 1), nearest + 2);
  return {
    features: {
      coverage: shareOf(terms, evidence.terms),
      windowCoverage: windowCoverage(terms, evidence.sentences),
      sentenceCoverage: coverages[nearest] ?? 0,
      pairs: shareOf(pairsOf(claim), evidence.pairs),
      numbers: numbers.missing.length === 0 ? 1 : 0,
      names: names.share,
      identifiers: identifiers.share,
      polarity:
        nearest < 0
          ? 1
          : polarityAgreement(places, placesOf(withPlainBounds(around.map(({ text }) => text).join('\n')))),
      polarityAnywhere: polarityAgreement(places, evidence.places),
      counting: countingAgreement(places, evidence.places),
    },
    meaning: likeness(claim, evidence),
    missing: { names: names.missing, identifiers: identifiers.missing },
    nearest,
  };
}

function likeness(claim: string, { sentences, meaning }: EvidenceText): number | undefined {
  const own = meaning?.(claim);
  const cosines = sentences.flatMap(({ vector }) =>
    own === undefined || vector === undefined ? [] : [dotProduct(own, vector)],
  );
  return cosines.length === 0 ? undefined : Math.max(0, ...cosines);
}

function shareOf(wanted: ReadonlySet<string>, held: ReadonlySet<string>): number {
  if (wanted.size === 0) return 1;
  let count = 0;
  for (const term of wanted) if (held.has(term)) count += 1;
  return count / wanted.size;
}

function windowCoverage(terms: ReadonlySet<string>, sentences: readonly EvidenceSentence[]): number {
  return sentences.reduce((most, sentence, i) => {
    const window = new Set([
      ...(sentences[i - 1]?.terms ?? []),
      ...sentence.terms,
      ...(sentences[i + 1]?.terms ?? []),
    ]);
    return Math.max(most, shareOf(terms, window));
  }, 0);
}

function lacking(
  wanted: ReadonlySet<string>,
  held: ReadonlySet<string>,
  partsOf: (each: string) => readonly string[] = (each) => [each],
): { share: number; missing: readonly string[] } {
  const missing = [...wanted].filter(
    (each) => !held.has(each) && !partsOf(each).every((part) => held.has(part)),
  );
  return { share: wanted.size === 0 ? 1 : 1 - missing.length / wanted.size, missing };
}

function indexOfMost(values: readonly number[]): number {
  let best = -1;
  values.forEach((value, i) => {
    if (value > (best < 0 ? 0 : (values[best] ?? 0))) best = i;
  });
  return best;
}
