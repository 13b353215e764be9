import { type ComparedWord, isNegation, isTerm, lower } from './compared-words.js';

type Words = readonly ComparedWord[];

const BE: ReadonlySet<string> = new Set('is are was were be been being get gets got'.split(' '));
const AUXILIARIES: ReadonlySet<string> = new Set(
  'has have had will would can could may might must should shall also only always then first'.split(' '),
);
const ARTICLES: ReadonlySet<string> = new Set(
  'the a an its their his her our your my this that each every'.split(' '),
);
/** Behind "by" these say how, not who. */
const NOBODY = /^(?:hand|default|mistake|accident|design|law|email|mail|phone|post|means|using|\p{L}+ing)$/iu;
/** Behind these "by" says how much. */
const MEASURED =
  /^(?:multipli|divid|increas|decreas|rais|lower|reduc|grow|rose|fell|cut|ordered|sorted|grouped|followed)/i;
/** With these another clause begins. */
const CLAUSES: ReadonlySet<string> = new Set(
  'because since but and or if so as while when before after until once then who which that unless'.split(
    ' ',
  ),
);

/** Words in the active voice, so that who does what stands in one order: "the invoice is paid by Finance" is "Finance paid the invoice". */
export function inActiveVoice(words: Words): Words {
  const by = words.findIndex((word, at) => lower(word) === 'by' && passiveAt(words, at) !== undefined);
  const passive = by < 0 ? undefined : passiveAt(words, by);
  if (passive === undefined) return words;
  const { from, be, agentEnd } = passive;
  const between = words.slice(be, by).filter((word) => !BE.has(lower(word)));
  return [
    ...words.slice(0, from),
    ...words.slice(by + 1, agentEnd),
    ...between,
    ...words.slice(from, be),
    ...inActiveVoice(words.slice(agentEnd)),
  ];
}

/** Where the clause of a passive begins, its verb and what helps it, and what it is done by. */
function passiveAt(words: Words, by: number) {
  const verb = words[by - 1];
  if (verb === undefined || !isTerm(verb) || MEASURED.test(verb.text)) return undefined;
  let be = by - 1;
  while (be > 0 && isHelping(words[be - 1])) be -= 1;
  const isElided = CLAUSES.has(lower(words[be - 1] ?? verb));
  if (!isElided && !words.slice(be, by).some((word) => BE.has(lower(word)))) return undefined;
  let from = be;
  while (
    from > 0 &&
    !CLAUSES.has(lower(words[from - 1] ?? verb)) &&
    (from === be || words[from]?.beginsClause !== true)
  )
    from -= 1;
  let agentEnd = by + 1;
  while (ARTICLES.has(lower(words[agentEnd] ?? verb))) agentEnd += 1;
  const first = agentEnd;
  while (agentEnd < words.length && isAgent(words[agentEnd])) agentEnd += 1;
  return agentEnd === first ? undefined : { from, be, agentEnd };
}

const isHelping = (word: ComparedWord | undefined): boolean =>
  word !== undefined && (BE.has(lower(word)) || AUXILIARIES.has(lower(word)) || isNegation(word));

const isAgent = (word: ComparedWord | undefined): boolean =>
  word !== undefined &&
  isTerm(word) &&
  word.beginsClause !== true &&
  word.quantity === undefined &&
  !NOBODY.test(word.text);
