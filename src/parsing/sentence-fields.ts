import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { inlineFields } from './inline-fields.js';
import { labelFields } from './label-fields.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { blanked } from './text-range.js';

/** Of whom, or since when: `of Ann`, `for Ann Lee`, `as of 1 May`. */
const WHOSE = String.raw`(?:[ \t]+(?:of|for|at|in|as[ \t]+of)(?:[ \t]+[\p{L}\p{N}'’.-]{1,40}){1,4}?)?`;
const TO_BE = String.raw`(?:(?:should|must|shall|can|may|could|would|will|has|have)[ \t]+)?be(?:en)?|is|was|are|were|isn['’]t|wasn['’]t`;
const CHANGE = String.raw`equals|remains|remained|becomes?|became|stays|stayed|rises|rose|goes|went|falls|fell|drops|dropped|grew|changes|changed|moves|moved|(?:in|de)creased(?=[ \t]+(?:to|from))`;
const VERB = String.raw`[ \t]+(?:${TO_BE}|${CHANGE})(?:[ \t]+(?:now|still|only|currently))?(?:[ \t]+(?:set|raised|changed|moved|lowered|increased|cut))?(?:[ \t]+(?:up|down))?(?:[ \t]+(?:to|from|at))?[ \t]+`;
const COLON = String.raw`${WHOSE}[ \t]*[:=：][ \t]+`;
/** Behind the name of several words or of a program the value may follow at once. */
const AT_ONCE = String.raw`[ \t]+(?:(?:of|to|from)[ \t]+)?`;
/** The end of what is said: no comma or dot between digits. */
const CLAUSE_END =
  /[;!?()\n]|,(?!\d)|\.(?![\p{L}\p{N}])|[ \t](?:and|but|because|since|which|that|who|so|when|if|while|as|than|until)(?![\p{L}\p{N}])/u;
/** The same of what is said of several, and behind a colon. */
const SENTENCE_END = /[;!?\n]|\.(?![\p{L}\p{N}])/u;
/** Of a value that is told by its form: quoted, with a digit or a sign of money, or with a capital. */
const QUOTED = /^(["'`“‘])[^"'`”’\n]{1,200}["'`”’]/;
const WITH_DIGIT = /^(?:\p{Lu}{1,3}[ \t]?|[\p{Sc}+-]{1,3}[ \t]?)?\p{N}/u;
const CAPITAL = /^\p{Lu}/u;
const CODE = /^(?=[\p{L}\p{N}_.-]*\p{N})(?=[\p{L}\p{N}_.-]*\p{L})[\p{L}\p{N}_.-]{2,30}(?![\p{L}\p{N}_])/u;
/** From what it was changed, and to what. */
const CHANGED =
  /^[\p{Lu}\p{N}][\p{L}\p{N}.,-]{0,40}[ \t]+to[ \t]+[\p{Lu}\p{N}](?:[\p{L}\p{N}-]|[.,](?=\p{N})){0,40}/u;
/** Said of a field, not its value. */
const SAID_OF = new Set(
  'required optional mandatory missing empty null undefined set unset used unused stored kept computed calculated defined derived deprecated encrypted hidden secret confidential public private unknown unique valid invalid visible indexed nullable given returned read written updated changed removed deleted added present absent true false wrong correct right high low higher lower important sensitive numeric text string number integer boolean date here there'.split(
    ' ',
  ),
);
/** In UTF-16 code units. */
const MAX_VALUE = 200;

/** Sentences by the names that are looked for. */
const formOf = madeOnce(
  (labelOf: Label): RegExp =>
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?<name>${labelOf.source})(?![\p{L}\p{N}_])["'\x60*]{0,3}(?:(?<verb>${WHOSE}${VERB})|(?<colon>${COLON})|(?<once>${AT_ONCE}))`,
      'giu',
    ),
);

/**
 * Where sentences state fields: a name, `is` or the like, and a value that is told by its form (`The salary band of Ann is B7`, `salary_band is "high"`). Behind a name of
 * a program one word is a value, too (`salary_band is high`); the name and the value are taken out, and no other words.
 */
export function sentenceFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(withoutPrefixes(text))) return [];
  const { joined, joints } = joinedLines(text);
  const form = formOf(labelOf);
  form.lastIndex = 0;
  const found: StatedFields[] = [];
  let next = 0;
  for (let match = form.exec(joined); match !== null; match = form.exec(joined)) {
    const { name = '', verb, colon } = match.groups ?? {};
    const from = match.index + match[0].length;
    while ((joints[next]?.at ?? Infinity) < match.index) next += 1;
    // The value ends with the line that it begins in.
    let last = next;
    while ((joints[last]?.at ?? Infinity) < from) last += 1;
    const rest = joined.slice(from, Math.min(from + MAX_VALUE, joints[last]?.at ?? Infinity));
    const length = lengthOfStated(rest, { name, verb, colon, said: match[0], isWrapped: last > next });
    if (length === 0) {
      // The next name may stand in what was taken for of whom it is.
      form.lastIndex = match.index + name.length;
      continue;
    }
    const names = labelOf(name);
    found.push(
      ...inLines({ start: match.index, end: from + length }, joints, next - 1).map((range) => ({
        ...range,
        names,
      })),
    );
    form.lastIndex = from + length;
  }
  return found.filter((stated) => stated.names.length > 0);
}

/** How a sentence comes to what it states. */
interface Said {
  readonly name: string;
  readonly verb: string | undefined;
  readonly colon: string | undefined;
  /** From the name on. */
  readonly said: string;
  /** Lines end in it. */
  readonly isWrapped: boolean;
}

function lengthOfStated(rest: string, { name, verb, colon, said, isWrapped }: Said): number {
  const isOfProgram = /[_-]|\p{Ll}\p{Lu}/u.test(name);
  if (verb !== undefined) return lengthOfValue(rest, { isOfProgram, verb });
  if (!isOfProgram && !/[ \t]/.test(name)) return 0;
  if (colon === undefined) return lengthAtOnce(rest, said);
  if (isWrapped) return /[(){};=]/.test(rest) ? 0 : lengthOfValue(rest, { isOfProgram, verb: '' });
  return /^[ \t]*[:=：]/.test(colon) ? 0 : rest.slice(0, SENTENCE_END.exec(rest)?.index).trimEnd().length;
}

/** Of what follows a name without a verb, with what it was changed to. */
function lengthAtOnce(rest: string, said: string): number {
  const changed = /\bfrom[ \t]+$/.test(said) ? CHANGED.exec(rest)?.[0].length : undefined;
  if (changed !== undefined) return changed;
  const first = (CODE.exec(rest) ?? QUOTED.exec(rest))?.[0].length ?? 0;
  const more = /\bfrom[ \t]+$/.test(said) ? /^[ \t]+to[ \t]+/.exec(rest.slice(first))?.[0].length : undefined;
  if (first === 0 || more === undefined) return first;
  const behind = rest.slice(first + more);
  return first + more + ((CODE.exec(behind) ?? QUOTED.exec(behind))?.[0].length ?? 0);
}

function lengthOfValue(
  rest: string,
  { isOfProgram, verb }: { readonly isOfProgram: boolean; readonly verb: string },
): number {
  const isOfSeveral = /[ \t](?:are|were)[ \t]/i.test(verb);
  const isFrom = /[ \t]from[ \t]+$/i.test(verb);
  const quoted = QUOTED.exec(rest)?.[0].length;
  if (quoted !== undefined && !isOfSeveral && !isFrom) return quoted;
  const end = (isOfSeveral ? SENTENCE_END : CLAUSE_END).exec(rest)?.index ?? rest.length;
  const value = rest.slice(0, end).trimEnd();
  const [first = ''] = /^[\p{L}\p{N}'’-]+/u.exec(value) ?? [];
  const isPlain = ENGLISH_STOP_WORDS.has(first.toLowerCase()) || SAID_OF.has(first.toLowerCase());
  if (quoted !== undefined || WITH_DIGIT.test(value) || CODE.test(value) || (CAPITAL.test(value) && !isPlain))
    return value.length;
  const isDenied = /n['’]t[ \t]/.test(verb);
  return isOfProgram && !isDenied && first === value && !isPlain && !/(?:ed|ing|able)$/.test(first)
    ? value.length
    : 0;
}

/** A line end inside of a paragraph, where it stands in the text whose lines are joined by a blank in its place, and behind what the next line opens with. */
interface Joint {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** What goes on in the next line is none of these: an item, a heading, a row, a fence, a definition. */
const OWN_LINE = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|:=~\x60<{}[\]]|-{3})/;

function joinedLines(text: string): { readonly joined: string; readonly joints: readonly Joint[] } {
  const joints: Joint[] = [];
  const parts: string[] = [];
  let length = 0;
  let start = 0;
  let before = '';
  for (const line of text.split('\n')) {
    const own = line.replace(/\r$/, '');
    const opened = /^[ \t>]*/.exec(own)?.[0].length ?? 0;
    const left = own.slice(opened);
    const isGoingOn =
      before !== '' && left !== '' && !OWN_LINE.test(left) && !/^(?:#{1,6}[ \t]|\|)/.test(before);
    const trimmed = own.trimEnd();
    if (start > 0) {
      if (isGoingOn) {
        const last = parts.pop() ?? '';
        const kept = last.trimEnd();
        length -= last.length - kept.length;
        joints.push({ at: length, start: start - 1 - (last.length - kept.length), end: start + opened });
        parts.push(kept, ' ');
        length += 1;
      } else {
        parts.push('\n');
        length += 1;
      }
    }
    const part = isGoingOn ? line.slice(opened) : line;
    parts.push(part);
    length += part.length;
    start += line.length + 1;
    before = trimmed === '' ? '' : left.trimEnd();
  }
  return { joined: parts.join(''), joints };
}

/** Names may go on behind what opens a line of a quotation or a comment. */
const withoutPrefixes = (text: string): string => text.replace(/\n[ \t]*[>#*;%/-]+/g, '\n');

/** A range of joined lines as ranges of each line. */
function inLines(range: TextRange, joints: readonly Joint[], first: number): TextRange[] {
  const inText = (at: number, last: number): number => {
    const joint = joints[last];
    return joint === undefined ? at : joint.end + at - joint.at - 1;
  };
  const ranges: TextRange[] = [];
  let { start } = range;
  for (let last = first; ; last += 1) {
    const at = joints[last + 1]?.at ?? Infinity;
    const end = Math.min(range.end, at);
    ranges.push({ start: inText(start, last), end: inText(end, last) });
    if (at >= range.end) return ranges;
    start = at + 1;
  }
}

/**
 * What opens a comment: up to the end of its line behind blanks or the end of a statement (`#`, `;`, `%` and `--` begin other things, too), or up to what
 * closes it.
 */
const OPENING =
  /(?<line>(?:^|(?<=[\s;{}(),]))(?:\/\/+!?|#+(?=[ \t#])|--+(?=[ \t-]))|^[ \t]*(?:#+(?!!|define\b|include\b|if|endif\b|el|pragma\b|undef\b|error\b|region\b|endregion\b)|;+|%+|'(?!'')|REM\b|--+))|(?<block>\/\*|<!--|\{-|\(\*|"""|\x27\x27\x27)/gi;
const CLOSING: Readonly<Record<string, string>> = { '/*': '*/', '<!--': '-->', '{-': '-}', '(*': '*)' };
const STARS = /^[ \t]*\*+(?!\/)/;

/** Where comments of source code stand, without what opens them. Each run of lines apart, so that nothing goes on behind it. */
function* commentsOf(text: string): Generator<TextRange[]> {
  let run: TextRange[] = [];
  let closing: string | undefined;
  let start = 0;
  for (const line of text.split('\n')) {
    const ranges: TextRange[] = [];
    let at = closing === undefined ? 0 : (STARS.exec(line)?.[0].length ?? 0);
    while (at < line.length || (closing !== undefined && at === 0)) {
      if (closing !== undefined) {
        const end = line.indexOf(closing, at);
        ranges.push({ start: start + at, end: start + (end < 0 ? line.length : end) });
        at = end < 0 ? line.length + 1 : end + closing.length;
        if (end >= 0) closing = undefined;
        continue;
      }
      OPENING.lastIndex = at;
      const opened = OPENING.exec(line);
      if (opened === null) break;
      at = OPENING.lastIndex;
      const { block } = opened.groups ?? {};
      if (block !== undefined) closing = CLOSING[block] ?? block;
      else {
        ranges.push({ start: start + at, end: start + line.length });
        break;
      }
    }
    if (ranges.length === 0 && run.length > 0) {
      yield run;
      run = [];
    }
    run.push(...ranges);
    start += line.length + 1;
  }
  if (run.length > 0) yield run;
}

/** What documentation says of a parameter is no value of it. */
export const PARAMETER =
  /[@:\\](?:param|parameter|arg|argument|property|prop|type|var|member|attr)\b[^\n]{0,40}$/;
const LOOKED_BACK = 60;

/** Where comments of source code state fields, as other texts do in lines and sentences: behind a sign, or a verb. */
export function commentFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(withoutPrefixes(text))) return [];
  const found: StatedFields[] = [];
  for (const run of commentsOf(text)) {
    // Whole lines, so that the first is indented as the others are.
    const first = text.lastIndexOf('\n', (run[0]?.start ?? 0) - 1) + 1;
    const whole = text.slice(first, run.at(-1)?.end);
    const others = run.map(({ start }, at) => ({
      start: (at === 0 ? first : (run[at - 1]?.end ?? first)) - first,
      end: start - first,
    }));
    const said = blanked(whole, others);
    if (!labelOf.occursIn(said)) continue;
    const lines = labelFields(said, names, false).filter(({ start, end }) =>
      /[:=：]/.test(said.slice(start, end).split('\n', 1)[0] ?? ''),
    );
    const stated = [...lines, ...inlineFields(said, names, false), ...sentenceFields(said, names)]
      .filter(({ start }) => !PARAMETER.test(said.slice(Math.max(0, start - LOOKED_BACK), start)))
      .map((each) => ({ ...each, start: each.start + first, end: each.end + first }));
    found.push(...withinRun(stated, run));
  }
  return found;
}

/** Code between comments, and what opens and closes them, stays. */
function* withinRun(stated: readonly StatedFields[], run: readonly TextRange[]): Generator<StatedFields> {
  let first = 0;
  for (const each of stated.toSorted((a, b) => a.start - b.start)) {
    while ((run[first]?.end ?? Infinity) <= each.start) first += 1;
    for (let at = first; (run[at]?.start ?? Infinity) < each.end; at += 1) {
      const comment = run[at];
      if (comment !== undefined)
        yield {
          ...each,
          start: Math.max(each.start, comment.start),
          end: Math.min(each.end, comment.end),
        };
    }
  }
}
