import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import { extractIdentifiers } from '../core/analysis/identifiers.js';
import { literalPattern } from '../core/literal-pattern.js';
import { type ExactName, exactName, exactNamesIn, type IsKnownIdentifier } from './exact-names.js';
import { numberedNamesIn } from './numbered-names.js';

/** Whether some passage that the asker may see holds a word as a whole, in whatever case: `MongoDB` is not known where `DB` is. */
export type IsKnownWord = (word: string) => Promise<boolean>;

/** Names that are looked up, at most; a question has fewer. */
const MOST_NAMES = 8;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_.+#-]*/gu;
const HAS_DIGIT_OR_JOINT = /^(?=.*\p{L})(?=.*[\p{N}_])/u;
const HAS_INNER_CAPITAL = /^.+\p{Lu}/u;
const IS_CAPITALISED = /^\p{Lu}/u;
/** `17th`, `24h`, `5GB`: other words may say the same. */
const IS_ORDINAL_OR_AMOUNT =
  /^\d+(?:[.,]\d+)*(?:st|nd|rd|th|x|k|[ap]m|[mnµ]?s|secs?|mins?|h|hrs?|d|[kKMGTP]i?B|[kmcµ]?m|k?g|k?W|V|[kMG]?Hz|[kMG]bps|px)$/u;

/** How it is told what stands in the index. */
export interface NameLookup {
  readonly isKnownWord: IsKnownWord;
  /** Without it an identifier is looked up as a word. */
  readonly isKnownIdentifier?: IsKnownIdentifier | undefined;
}

/**
 * The names of a question that no passage holds (`SPDX`, `Kafka`, `MESOS-99999`), as they are written. A question about
 * something that is never named has no answer here, whatever else of it is found.
 *
 * @param found passages that were found: a name that stands in one is there, however an index cuts words (`undici-SnapshotAgent`).
 */
export async function missingNames(
  question: string,
  found: readonly string[],
  { isKnownWord, isKnownIdentifier }: NameLookup,
): Promise<string[]> {
  const numbered = numberedNamesIn(question).flatMap(({ name }) => name ?? []);
  const exact = [...exactNamesIn(question), ...numbered]
    .slice(0, MOST_NAMES)
    .filter(({ standsIn }) => !found.some(standsIn));
  const coined = namesIn(question)
    .filter((name) => extractIdentifiers(name).length === 0)
    .slice(0, MOST_NAMES)
    .filter((name) => !found.some((text) => standsIn(name, text)));
  const looked = await Promise.all([
    ...exact.map(
      async (name) => [name.name, await isKnownExactly(name, { isKnownWord, isKnownIdentifier })] as const,
    ),
    ...coined.map(async (name) => [name, await isKnownInPart(name, isKnownWord)] as const),
  ]);
  return looked.flatMap(([name, isKnown]) => (isKnown ? [] : [name]));
}

/** One more `5754` is another issue: an identifier is not known by a part of it, but for a generation (`OAuth2`). */
async function isKnownExactly(
  name: ExactName,
  { isKnownWord, isKnownIdentifier }: NameLookup,
): Promise<boolean> {
  const [, base] = GENERATION.exec(name.word) ?? [];
  if (base !== undefined && (await isKnownWord(base))) return true;
  return isKnownIdentifier === undefined ? isKnownWord(name.word) : isKnownIdentifier(name);
}

const GENERATION = /^(\p{L}{3,})\d{1,2}$/u;

/** `PRs` and `PR`, but not `iOS`. */
const PLURAL_OF_CAPITALS = /(?<=\p{Lu}{2})s$/u;

/** As it is written, joined or apart by a mark (`Wi-Fi` and `WiFi`, `NodeJS` and `Node.js`), one or several. */
function standsIn(name: string, text: string): boolean {
  const { parts } = exactName(name.replace(PLURAL_OF_CAPITALS, ''), name);
  const spelled = parts.map(literalPattern).join('[-._]?');
  return new RegExp(`(?<![\\p{L}\\p{N}])${spelled}(?:e?s)?(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

/** `Python3` is known where `Python` is, `PRs` where `PR` is, `Wi-Fi` where `WiFi` is. */
async function isKnownInPart(name: string, isKnown: IsKnownWord): Promise<boolean> {
  if (await isKnown(name)) return true;
  const one = name.replace(PLURAL_OF_CAPITALS, '');
  const forms = [
    one,
    ...(/\p{Lu}{2}$/u.test(one) ? [`${one}s`] : []),
    name.replaceAll('-', ''),
    ...(name.match(/\p{L}{3,}/gu) ?? []),
  ];
  const known = await Promise.all(forms.filter((form) => form !== name).map((form) => isKnown(form)));
  return known.includes(true);
}

/** Words of English grammar that are words of German, French, Spanish or the languages of Scandinavia as well: `Was kostet ein Liegeplatz?` */
const OF_OTHER_LANGUAGES: ReadonlySet<string> = new Set([
  'a',
  'am',
  'an',
  'as',
  'do',
  'in',
  'me',
  'no',
  'on',
  'so',
  'was',
]);

/**
 * Words that look like names: with a digit, an underscore or a capital inside, or with a capital where no sentence begins. A
 * capital alone tells nothing in languages that give one to every noun, so it counts in English questions only.
 */
export function namesIn(question: string): string[] {
  const isEnglish = (question.toLowerCase().match(/\p{L}+/gu) ?? []).some(
    (word) => ENGLISH_STOP_WORDS.has(word) && !OF_OTHER_LANGUAGES.has(word),
  );
  const names = new Set<string>();
  for (const match of question.matchAll(WORD)) {
    const word = match[0].replace(/[.+-]+$/, '');
    const before = question.slice(0, match.index).trimEnd();
    const beginsSentence = before === '' || /[.!?:]["')]?$/.test(before);
    const isName =
      HAS_DIGIT_OR_JOINT.test(word) ||
      HAS_INNER_CAPITAL.test(word) ||
      (isEnglish && IS_CAPITALISED.test(word) && !beginsSentence);
    if (
      isName &&
      word.length > 1 &&
      !IS_ORDINAL_OR_AMOUNT.test(word) &&
      !ENGLISH_STOP_WORDS.has(word.toLowerCase())
    )
      names.add(word);
  }
  return [...names];
}
