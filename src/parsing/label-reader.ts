import { madeOnce } from '../core/made-once.js';
import { foldedName, nameSource } from '../core/metadata.js';

/** Of what a person or a program writes as a name the fields that it is the name of. */
export interface Label {
  (written: string): readonly string[];
  /** The same of what is nothing but a name, with blanks in it or as a part of a longer one without any. */
  readonly alone: (written: string) => readonly string[];
  /** The same of a heading of a column or of a member, where no value stands: a name of several words anywhere in it, one of one word between signs and numbers. */
  readonly inHeading: (written: string) => readonly string[];
  /** Whether one of them may be written anywhere in a text. */
  readonly occursIn: (text: string) => boolean;
  /** An expression for the names as they stand in a sentence. */
  readonly source: string;
}

/** Longer ones are sentences. In UTF-16 code units. */
export const MAX_LABEL_LENGTH = 120;

/** In UTF-16 code units. */
const MAX_PATH_LENGTH = 4_000;

/**
 * Names of fields as they are written: `salary_band` is `Salary band`, `**salary-band**`, `salaryBand` and `Salary band (EUR)`, and of it is
 * `salary_band.base`, and `/people/0/salary_band` a path to it.
 */
export const labelReader = madeOnce((names: readonly string[]): Label => {
  const folded = names
    .map((name) => ({ name, fold: fold(name), words: wordsOf(name) }))
    .filter(({ fold: own }) => own !== '');
  const separated = (between: string) =>
    folded.map(({ fold: own }) => nameSource(own, between)).join('|') || '(?!)';
  const anywhere = new RegExp(separated(String.raw`[\s_\\-]*`), 'i');
  const readAs = (written: string, isLonger: boolean): readonly string[] => {
    const isPath = written.length < MAX_PATH_LENGTH && /^[^\s]*[./][^\s./]+$/.test(written);
    if ((written.length > MAX_LABEL_LENGTH && !isPath) || !anywhere.test(written)) return [];
    const label = fold(pathInDots(written));
    const plain = label.replace(/[([].*[)\]]$/, '');
    // The end of a sentence is no part of a field.
    const hasParts = !/\s\.|\.(?:[\s.]|$)/.test(written.trim());
    const words = SENTENCE.test(written)
      ? ''
      : wordsOf(plain === label ? written : written.replace(/[([].*$/s, ''));
    const isShort = isLonger && !APART.test(written.trim()) && words.split(' ').length - 2 <= MOST_WORDS;
    return folded
      .filter(
        ({ fold: own, words: named }) =>
          (isShort && named.trim().includes(' ') && words.includes(named)) ||
          [label, plain].some((each) => each === own || (hasParts && `.${each}.`.includes(`.${own}.`))),
      )
      .map(({ name }) => name);
  };
  const read = (written: string): readonly string[] => readAs(written, true);
  const inHeading = (written: string): readonly string[] => {
    if (!anywhere.test(written)) return [];
    const found = read(written);
    const words = wordsOf(written.replace(/(?<=\p{L})(?=\p{N})/gu, ' '));
    const parts = written.split(SIGNS).map(foldedName);
    return folded
      .filter(
        ({ name, fold: own, words: named }) =>
          found.includes(name) ||
          parts.includes(own) ||
          (named.trim().includes(' ') && words.includes(named)),
      )
      .map(({ name }) => name);
  };
  return Object.assign(read, {
    alone: (written: string) => readAs(written, !/\s/.test(written.trim())),
    inHeading,
    occursIn: (text: string) => anywhere.test(text),
    source: separated(String.raw`[ \t_\\-]?`),
  });
});

/** What a name of one word may stand between in a heading. */
const SIGNS = /[^\p{L}\p{M}\s_'’-]+/u;
/** What is said, and no name. */
const SENTENCE =
  /\.(?:\s|$)|[^\p{L}\p{N} _.'’"*`-]|(?<![\p{L}\p{N}])(?:is|are|was|were|be|been|has|have|had|do|does|did|by|as|with|and|or|but|which|that|who|we|you|it|not|to|from|can|may|must|will|see|how|what)(?![\p{L}\p{N}])/iu;
/** Between names that blanks part. */
const APART = /\t| {2}/;
/** Of a longer name that one of several words is a part of, between the blanks around it. */
const MOST_WORDS = 5;

/** Words of a name, each in small letters between blanks and without its plural. */
const wordsOf = (written: string): string =>
  ` ${written
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(foldedName)
    .join(' ')} `;

/** `/people/0/salary`, `$.people[0].salary`: names as their path writes them, but no address. */
const pathInDots = (written: string): string =>
  written.includes('://')
    ? written
    : written.replace(/\[(?:\d+|\*|-)\]|\/|^[$#]\.?/g, '.').replace(/^\.+|\.+$/g, '');

const fold = (written: string): string => foldedName(withoutMarkup(written.replace(/[\\*`"|]/g, '').trim()));

/** What a name may be marked up with. */
const MARKUP = '*_`"\'|';

/** By hand: an expression for the end of a text begins at each of its marks. */
export function withoutMarkup(label: string): string {
  let start = 0;
  let end = label.length;
  while (start < end && MARKUP.includes(label.charAt(start))) start += 1;
  while (end > start && MARKUP.includes(label.charAt(end - 1))) end -= 1;
  return label.slice(start, end);
}
