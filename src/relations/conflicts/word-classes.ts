import { stemEnglish } from '../../core/analysis/porter2-stemmer.js';
import { madeWhenAsked } from '../../core/made-once.js';

/** Words of general use that say little of what a statement is about: two statements may differ in all of them. */
const LIGHT = [
  'use used using get gets got take taken takes make made makes go goes give given keep kept have having want need needs come put let',
  'please note see also even still already currently now today then thus therefore however usually generally typically often normally basically',
  'every everyone everybody anyone anybody someone somebody something anything whole entire various certain own other others another else',
  'within during through via per over above under between among across around onto upon against toward towards without along',
  'before after until till since once prior later earlier ago again yet least most more less much many few several about approximately roughly',
  'place way thing things case kind sort order time times moment account respect regard basis',
  'able ability possible order up out off down back away together just only simply directly exactly well new',
  'whether unless while whereas although though instead rather either both',
  'happen happens occur occurs become becomes remain remains stay stays look looks',
  'e.g i.e etc eg ie',
];

/** Words that mean the same in nearly every text of a company; the first stands for all. */
const SYNONYMS = [
  'employee teammate staff worker colleague',
  'customer client',
  'vendor supplier',
  'purchase buy procure procurement',
  'email e-mail mail',
  'delete remove erase',
  'send submit',
  'require must mandatory necessary',
  'permit allow',
  'begin start commence',
  'end finish conclude',
  'help assist support',
  'manage administer handle',
  'create set-up setup establish',
  'review assess reassess evaluate',
  'notify inform tell',
  'doc document documentation',
  'fee cost price',
  'pay compensate compensation',
  'salary wage',
  'repository repo',
  'organization organisation org',
  'maximum max',
  'minimum min',
  'database db',
  'configuration config',
  'information info',
  'application app',
  'business-day workday',
  'phone telephone',
  'location site',
  'bonus award',
  'budget allowance',
  'average mean',
  'internet web',
  'deploy roll-out rollout',
  'schedule arrange',
  'attach enclose',
  'answer respond reply',
  'request ask',
  'meeting call',
  'version release',
  'error fault',
  'fix repair',
  'vacation holiday',
  'dollar usd',
  'euro eur',
  'franc chf',
  'yen jpy',
  'rupee inr',
  'public publicly',
  'private privately',
];

const stemOf = (word: string): string => (/^[a-z]+$/.test(word) ? stemEnglish(word) : word);

export const LIGHT_WORDS: ReadonlySet<string> = new Set(LIGHT.flatMap((line) => line.split(' ')));

const CLASSES: readonly (readonly string[])[] = SYNONYMS.map((line) => line.split(' '));

/** Stems that words of several classes have: `allow` is that of `allowance` too. */
const sharedStems = madeWhenAsked((): ReadonlySet<string> => {
  const classes = CLASSES.map((words) => words.map(stemOf));
  return new Set(
    classes.flatMap((stems, at) =>
      stems.filter((stem) => classes.some((others, other) => other !== at && others.includes(stem))),
    ),
  );
});

/** By what a word is known: its stem, or itself where another word has the better claim to that. */
const keyOf = (word: string): string => {
  const stem = stemOf(word);
  return sharedStems().has(stem) && word !== stem ? word : stem;
};

const standIns = madeWhenAsked(
  (): ReadonlyMap<string, string> =>
    new Map(
      CLASSES.flatMap(([first = '', ...others]) =>
        [first, ...others].map((word) => [keyOf(word), keyOf(first)] as const),
      ),
    ),
);

/** The words of names of a document, such as its title and path, as they are and as terms. */
export const aboutOf = (...names: readonly string[]): ReadonlySet<string> =>
  new Set(
    (
      names
        .join(' ')
        .toLowerCase()
        .match(/[\p{L}\p{N}]{2,}/gu) ?? []
    ).flatMap((word) => [word, termOf(word)]),
  );

/** The term of a word in lower case: its stem, or that of the word that stands for it. */
export function termOf(word: string): string {
  const stem = stemOf(word);
  const same = standIns();
  return same.get(sharedStems().has(stem) ? word.replace(/s$/, '') : stem) ?? same.get(stem) ?? stem;
}

/** Words of names that say which kind of page it is, or which of several copies, and not what it is about. */
const noSubjects = madeWhenAsked(
  (): ReadonlySet<string> =>
    new Set(
      [
        'index readme md html pdf txt doc document docs documentation page guide handbook faq faqs overview introduction process processes policy policies',
        'procedure plan note notes old new draft copy archive archived deprecated legacy latest current final version update updated revised the of and for to in a',
        'january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec',
      ].flatMap((line) => line.split(' ').map(termOf)),
    ),
);

const subjectsOf = (about: ReadonlySet<string>, other: ReadonlySet<string>): string[] =>
  [...about].filter((word) => !other.has(word) && !/\d/.test(word) && !noSubjects().has(termOf(word)));

/** Whether each of two documents names a thing in its title or path that the other one does not; years, versions and kinds of pages are none. */
export const haveOwnSubjects = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  subjectsOf(a, b).length > 0 && subjectsOf(b, a).length > 0;
