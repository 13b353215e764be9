import type { TextRange } from '../core/document.js';
import { oneLine } from '../core/one-line.js';
import { withoutQuotedMarks } from './citation-marks.js';
import { withoutHiddenCharacters } from './hidden-characters.js';
import { applyEdits, rewriteParts } from './markup/edits.js';
import { codeSpan, defang, defangAddresses, shownImage, withoutFences } from './markup/inert-forms.js';
import { readMarkup } from './markup/read-markup.js';
import { StepCounter, TooManySteps } from './markup/step-counter.js';

// Attack: a retrieved text pretends to be something else than text. It closes the block it stands in, opens a turn of the
// conversation, carries marks that look like citations, or renders as an image that tells its server what was asked.
// All of it is made inert here; the exact text stays in the entry's pieces.
//
// Invariant: what comes out, read as Markdown with or without tables and HTML, holds no image, no link but to a mail address,
// no reference definition, no tag with attributes or of an element that loads, runs or hides; and no fence is left open.
// It holds for what stands between blank lines: join such texts with one between them.

/** Marks of chat templates (ChatML, Llama, Mistral) and of our own blocks. */
const TEMPLATE_MARK =
  /<\s{0,8}(\/?)\s{0,8}(\|[^|<>\n]{1,40}\||passage\b|context\b|sources?\b|system\b|instructions?\b|s\s{0,8}>|<\s{0,8}\/?SYS)/gi;
const INSTRUCTION_MARK = /\[(\/?)(INST|SYSTEM|SYS)\]/gi;
const LINE_END = /\r\n?|[\u2028\u2029]/g;

/** What is made inert may bring to light what it covered. A text that needs more rounds was made to. */
const MAX_ROUNDS = 8;
const STEPS_PER_CHARACTER = 100;
const LEAST_STEPS = 10_000;

/** How many steps a text of so many UTF-16 code units may take; one that needs more is not read but escaped whole. */
export const stepLimit = (length: number): number => LEAST_STEPS + STEPS_PER_CHARACTER * length;

/**
 * Retrieved text as it may stand in a prompt or be shown: no hidden characters, no marks, no links, images, HTML or comments.
 * Code and plain text stay as they are.
 *
 * @param counter counts the work; by default it also ends it, at `stepLimit`.
 */
export const neutralise = (text: string, counter?: StepCounter): string =>
  madeInert(text, withoutQuotedMarks, counter);

/** A model's answer as it may be shown: as `neutralise`, but its citations stay. */
export const neutraliseAnswer = (text: string): string => madeInert(text, (prose) => prose);

/** Retrieved text on one line, inert wherever on a line it is put: for names, excerpts and sentences of an answer. */
export const neutraliseLine = (text: string): string =>
  oneLine(neutralise(withoutFences(oneLine(withoutHiddenCharacters(text)))));

/** What happens to marks that look like citations outside of code. */
type MarkRewriting = (prose: string) => string;

function madeInert(
  text: string,
  marks: MarkRewriting,
  counter = new StepCounter(stepLimit(text.length)),
): string {
  const visible = withoutHiddenCharacters(text);
  const level = visible.replace(LINE_END, '\n');
  const result = settled(level, marks, counter);
  // Windows line ends stay where nothing else had to change.
  return result === level && !/\r(?!\n)|[\u2028\u2029]/.test(visible) ? visible : result;
}

function settled(text: string, marks: MarkRewriting, counter: StepCounter): string {
  let current = text;
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const next = isPlain(current) ? breakMarks(marks(current)) : nextRound(current, marks, counter);
      if (next === current) return current;
      current = next;
    }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
  }
  return breakMarks(defang(current));
}

function nextRound(text: string, marks: MarkRewriting, counter: StepCounter): string {
  const { edits, code } = readMarkup(text, counter);
  if (edits.length > 0) return applyEdits(text, edits);
  return breakMarks(
    rewriteParts(text, code, {
      outside: (prose, start) => marks(withoutAddresses(prose, besideBackticks(text, start))),
      inside: (code) => code,
    }),
  );
}

/** Nothing in it can begin markup, code included. */
const isPlain = (text: string): boolean => !/[<[`~]|:\/\/|www\.|^(?: {4}|\t)/im.test(text);

const breakMarks = (text: string): string =>
  text.replace(TEMPLATE_MARK, '‹$1$2').replace(INSTRUCTION_MARK, '($1$2)');

const IMAGE_WITHOUT_TARGET = /!\[([^[\]\n]{0,300})\](?:\[[^[\]\n]{0,200}\])?/g;
const ADDRESS = /(?<![A-Za-z])(?:(?:https?|ftp):\/\/|www\.)[^\s<>`"'\])]{1,2000}/gi;

/** Addresses that some readers turn into links, and images whose definition may stand elsewhere. */
function withoutAddresses(prose: string, isInBackticks: (range: TextRange) => boolean): string {
  const shown = prose.replace(ADDRESS, (address, start: number) =>
    // A stray backtick beside it would pair with ours.
    isInBackticks({ start, end: start + address.length }) ? defangAddresses(address) : codeSpan(address),
  );
  return shown.replace(IMAGE_WITHOUT_TARGET, (_, alt: string) => shownImage(alt));
}

const besideBackticks =
  (text: string, offset: number) =>
  ({ start, end }: TextRange): boolean =>
    text[offset + start - 1] === '`' || text[offset + end] === '`';
