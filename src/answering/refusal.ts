import { splitSentences } from '../core/analysis/boundaries.js';
import { NO_ANSWER } from './prompts/answer-prompt.js';

/** Stands beside an answer where a model gives both. */
export const REFUSAL_LINE = new RegExp(String.raw`^[*_\s]*${NO_ANSWER}\b[*_.:\s]*`, 'gm');

/** The word that the prompt asks for, alone or with a remark, or nothing but words to the same effect; what cites a passage is an answer. */
export function isRefusal(text: string): boolean {
  const written = text.trim();
  if (/\[\d/.test(written)) return false;
  if (written.slice(0, NO_ANSWER.length + 2).includes(NO_ANSWER)) return true;
  const sentences = splitSentences(written, { start: 0, end: written.length });
  return (
    sentences.length <= MOST_REFUSING &&
    sentences.every(({ start, end }) => isOwnRefusal(written.slice(start, end)))
  );
}

const MOST_REFUSING = 3;
const isOwnRefusal = (sentence: string): boolean => IN_OWN_WORDS.test(sentence) && !GOES_ON.test(sentence);
const GOES_ON = /(?<!\b(?:sorry|afraid),? )\b(?:but|however|although|though|aber|jedoch|sondern)\b/i;
const SOURCES =
  '(?:passages?|sources?|documents?|documentation|context|texts?|excerpts?|information|material)';
/** A sentence that says of the sources or of its writer that there is no answer. */
const IN_OWN_WORDS = new RegExp(
  [
    'n/?a\\W*$',
    'not (?:specified|stated|mentioned|provided|given|known|available|found|covered)\\b',
    'unknown\\W*$',
    "(?:sorry|unfortunately|(?:i'm|i am) (?:sorry|afraid|unable))\\b.*\\b(?:not|cannot|unable|no|\\w+n['’]t)\\b",
    "i (?:can ?not|can['’]t|could ?n(?:o|['’])t|do ?n(?:o|['’])t|am unable to|was unable to)\\b.*\\b(?:answer|find|know|tell|determine|say|see|have)\\b",
    'there is no (?:information|mention|answer|data|passage)\\b',
    `(?:the |these |your )?(?:given |provided |available )?${SOURCES} (?:do|does|did) ?n(?:o|['’])t (?:say|state|mention|contain|answer|provide|specify|tell|cover|include|describe|give)\\b`,
    'no (?:information|answer|passage|document|source)s?\\b.*\\b(?:found|available|given|provided|says?|mentions?|answers?)\\b',
    '(?:leider|tut mir leid)\\b.*\\b(?:nicht|kein\\w*)\\b',
    'ich (?:kann|konnte|weiß|finde)\\b.*\\b(?:nicht|kein\\w*)\\b',
    '(?:das|dazu|darüber)? ?(?:steht|wird|ist)\\b.*\\b(?:nicht|kein\\w*)\\b.*\\b(?:erwähnt|angegeben|enthalten|dokumenten|passagen|quellen)\\b',
    'die (?:passagen|quellen|dokumente|texte) (?:sagen|enthalten|nennen|erwähnen|beantworten)\\b.*\\b(?:nicht|nichts|kein\\w*)\\b',
    'keine (?:angaben?|informationen?|antwort)\\b',
  ]
    .map((line) => `^\\W*(?:${line})`)
    .join('|'),
  'is',
);
