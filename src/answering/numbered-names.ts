import { type ExactName, exactName } from './exact-names.js';

/** A name with a bare number: `ADR 13`, `ticket 77`, `release 4.2`, `step 2`. */
export interface NumberedName {
  /** Whether a text names it: the name with the number, a path or heading that begins with it, a version by its number. */
  readonly standsIn: (text: string) => boolean;
  /** Whether a text has the name with another number. */
  readonly isAnotherIn: (text: string) => boolean;
  /** To look it up in the whole index; absent for parts of documents (`step 2`), whose numbers texts write alone. */
  readonly name?: ExactName;
}

/** Names of what is told apart by numbers all over an index, and of parts of one document. */
const ISSUED =
  'ticket|issue|bug|case|incident|invoice|order|contract|request|proposal|decision|advisory|regulation|directive|ordinance';
const PARTS =
  'chapter|section|step|article|appendix|annex|paragraph|clause|rule|phase|stage|part|level|lesson|exercise|figure|table|page|question|item|sprint|milestone|floor|room|line';
const VERSIONED = 'release|version';
/** With a capital, too. */
const anyCase = (words: string): string =>
  words.replaceAll(/(?<![^|])[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
const NUMBERED = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:(\p{Lu}{2,8})|(${anyCase(ISSUED)})|(${anyCase(PARTS)})|(${anyCase(VERSIONED)})|(\p{Lu}\p{Ll}+)) (?:(?:no\.?|number|#) ?)?(\d{1,6}(?:\.\d{1,6})*)(?![\p{L}\p{N}%]|[-:/,.]\d)`,
  'gu',
);
/** Acronyms that numbers follow as amounts or as what they are: no name of theirs. */
const UNNUMBERED = new Set([
  'HTTP',
  'HTTPS',
  'USD',
  'EUR',
  'GBP',
  'CHF',
  'AM',
  'PM',
  'UTC',
  'GMT',
  'UTF',
  'TCP',
  'UDP',
  'IP',
  'TOP',
]);

/** The numbered names of a question, in order. */
export function numberedNamesIn(question: string): NumberedName[] {
  return [...question.matchAll(NUMBERED)].flatMap(
    ([, acronym, issued, part, versioned, proper, number = '']) => {
      const called = acronym ?? issued ?? part ?? versioned ?? proper ?? '';
      const isVersion = number.includes('.');
      if (acronym !== undefined && UNNUMBERED.has(acronym)) return [];
      if (proper !== undefined && !isVersion) return [];
      if (versioned !== undefined || proper !== undefined || (acronym !== undefined && isVersion))
        return [versionName(called, number, isVersion)];
      const own = exactName(`${called} ${number}`, `${called}-${number}`.toLowerCase());
      const [whole = number] = number.split('.');
      const alone = new RegExp(
        part === undefined
          ? String.raw`(?:^|/)0*${whole}(?!\d)`
          : String.raw`(?:^|[/\n])[\s#>*]*0*${number.replaceAll('.', '\\.')}(?:[.):]|\s|$|-)`,
        'u',
      );
      const others = new RegExp(String.raw`(?<![\p{L}\p{N}])${called}s?[^\p{L}\p{N}]{0,4}\d`, 'iu');
      return [
        {
          standsIn: (text) => own.standsIn(text) || alone.test(text),
          isAnotherIn: (text) => others.test(text),
          ...(part === undefined ? { name: own } : {}),
        },
      ];
    },
  );
}

function versionName(called: string, number: string, isVersion: boolean): NumberedName {
  const own = exactName(number, number);
  const loose = new RegExp(String.raw`(?<![\d.])v?0*${number}(?![\d])`, 'iu');
  return {
    standsIn: (text) => (isVersion ? own.standsIn(text) : loose.test(text)),
    isAnotherIn: () => false,
    ...(isVersion ? { name: { ...own, name: `${called} ${number}` } } : {}),
  };
}
