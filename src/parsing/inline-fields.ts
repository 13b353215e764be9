import type { TextRange } from '../core/document.js';
import { madeOnce } from '../core/made-once.js';
import { endOfBracket } from './closed-brackets.js';
import { insertedRows, rowsBefore } from './inserted-rows.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { lengthOfValue } from './sentence-fields.js';
import { isStatement } from './statement-lines.js';
import { endOfLine, startOfLine } from './text-range.js';
import { endOfBlock, endOfStated, MAX_GAP, MAX_PAIR, MAX_VALUE } from './value-ends.js';

/** Names of what a pair of a name and a value calls its name, and its value. */
const NAME_KEY = `(?:name|key|field|label|title|id|attribute|attr|property|column|param|parameter|header|variable|var|tag|term|type|k|path|pointer|from|msgid)`;
/** Names that count where a value stands beside them. */
const NAMING_KEY = `(?:${NAME_KEY}|code|url|uri|link_?id|ref|slug|concept|question|metric|measure|dimension|fact|caption|heading)`;
const VALUE_KEY = String.raw`(?:[\w-]{0,20}value[\w-]{0,20}|val|v|data|text|content|answer|example|default|old|new|from|to|is)`;
/** What stands between a name and its value, in comparisons of a query too. */
const SIGN = String.raw`(?:[:=]=?>?|:=|<>|!=|[<>]=?|\s(?:is|like|in|eq)(?=\s))`;
/** What may stand behind a name: what closes quotation or emphasis, and a unit. */
const CLOSING = String.raw`(?:\.[\p{L}\p{N}_.\x2d]{1,60})?(?:[\])]{1,2}\.[\p{L}\p{N}_.\x2d]{1,60}|[\]\\"'\x60*_)}]{0,6})(?:[ \t]?\([^()\n]{0,40}\))?[ \t]*`;
/** What a name of one word is behind where it is no word of a sentence. */
const BEFORE_NAME = /[,;:{([|&?<>•·–—"'`\t]$|--$/;

/**
 * Where a text states fields inside its lines: `name: value` and `name=value` behind whatever stands before, names and values in quotation marks,
 * members that are a name and a value (`name: "salary", value: 7`), and rows of SQL.
 *
 * @param isCode lines are looked at elsewhere
 * @param hasBlocks what stands in brackets behind a name is its value (HCL, Protobuf)
 */
export function inlineFields(
  text: string,
  names: readonly string[],
  isCode: boolean,
  hasBlocks = !isCode,
): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text)) return [];
  const forms = formsOf(labelOf);
  return [
    ...(isCode ? [] : statements(text, { labelOf, ...forms })),
    ...pairs(text, { labelOf, ...forms }),
    ...(isCode ? [] : optionsOfCommands(text, { labelOf, ...forms })),
    ...insertedRows(text, labelOf),
    ...rowsBefore(text, labelOf),
    ...(hasBlocks ? blocks(text, { labelOf, ...forms }) : []),
  ];
}

interface Forms {
  /** A name with the sign behind it. */
  readonly statement: RegExp;
  /** A name as the value of one that calls it a name. */
  readonly named: RegExp;
  /** A name, labels of a block, and the bracket behind it. */
  readonly block: RegExp;
  /** A name as an option of a command, with the value behind a blank. */
  readonly option: RegExp;
}

const formsOf = madeOnce(
  ({ source }: Label): Forms => ({
    statement: new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(${source})${CLOSING}(${SIGN})(?:[*_\x60]{1,3}(?=\s))?[ \t]*`,
      'giu',
    ),
    named: new RegExp(
      String.raw`(?<![\p{L}\p{N}])${NAMING_KEY}\\?["']?[ \t]*(?:[:=]>?)[ \t]*(?:\[[^\]\n]{0,200}?["'])?\\?["']?(?:[^\s"',;{}]{0,200}[/.])?(${source})(?=\\?["']|[ \t,;}\n]|$)`,
      'giu',
    ),
    block: new RegExp(
      String.raw`(?<![\p{L}\p{N}_.#-])(${source})["']?\]?(?:[ \t]+"[^"\n]{0,120}"){0,3}[ \t]*(?::[ \t]*)?([{<])(?=\s)`,
      'giu',
    ),
    option: new RegExp(
      String.raw`(?<=(?:^|[\s\x60"'(])--?)(${source})[ \t]+(?:"[^"\n]*"|'[^'\n]*'|[^\s\x60"')-][^\s\x60"')]*)`,
      'gimu',
    ),
  }),
);

interface Search {
  readonly labelOf: Label;
}

function* statements(text: string, { labelOf, statement }: Search & Forms): Generator<StatedFields> {
  statement.lastIndex = 0;
  for (let found = statement.exec(text); found !== null; found = statement.exec(text)) {
    const [all, name = '', sign = ''] = found;
    const names = labelOf(name);
    const behind = found.index + all.length;
    // A comparison of a query, where what it compares with is quoted.
    const isDenied = /^(?:<|>|!|\s)/.test(sign) && !/^\(?["']/.test(text.slice(behind, behind + 2));
    if (names.length === 0 || isDenied) continue;
    const before = text.slice(Math.max(0, found.index - 3), found.index);
    const start = Math.max(startOfLine(text, found.index), found.index - MAX_GAP);
    const isMidLine = text.slice(start, found.index).trim() !== '';
    const value = text.slice(behind, behind + MAX_GAP).split('\n', 1)[0] ?? '';
    if (!isName(all, sign, before) && !(isMidLine && lengthOfValue(value, '') > 0)) continue;
    // Of the first label of a line the others know whether a paragraph goes on.
    const wrapped = sign === ':' && isMidLine ? names : [];
    const end = endOfStated(text, { start: found.index, end: behind }, { sign, wrapped });
    if (end === undefined || text.slice(behind, end).trim() === '') continue;
    yield { start: found.index, end, names };
    statement.lastIndex = end;
  }
}

/** Whether it is a name and no word of a sentence with a colon behind it. */
function isName(stated: string, sign: string, before: string): boolean {
  const isLink = before.endsWith('[') && /\]:[ \t]*$/.test(stated);
  if (isLink) return false;
  const isOfWords = /[\p{L}\p{N}][\s_-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(stated.split(/[:=]/)[0] ?? '');
  return (
    isOfWords || sign.includes('=') || BEFORE_NAME.test(before.trimEnd() === '' ? before : before.trimEnd())
  );
}

/** Blocks that state something, from the name to the closing bracket. */
function* blocks(text: string, { labelOf, block }: Search & Forms): Generator<StatedFields> {
  block.lastIndex = 0;
  let sign = -1;
  for (let found = block.exec(text); found !== null; found = block.exec(text)) {
    const opening = found.index + found[0].length - 1;
    if (sign < opening) sign = signBehind(text, opening);
    if (sign - opening > MAX_VALUE) continue;
    if (isStatement(text.slice(text.lastIndexOf('\n', found.index) + 1, opening))) continue;
    const end = endOfBlock(text, opening);
    if (sign >= end) continue;
    yield { start: found.index, end, names: labelOf(found[1] ?? '') };
    block.lastIndex = end;
  }
}

function signBehind(text: string, at: number): number {
  const sign = /[:=]/g;
  sign.lastIndex = at;
  return sign.exec(text)?.index ?? Infinity;
}

function* optionsOfCommands(text: string, { labelOf, option }: Search & Forms): Generator<StatedFields> {
  for (const { 0: all, 1: name = '', index } of text.matchAll(option))
    yield { start: index, end: index + all.length, names: labelOf(name) };
}

/** Members that are a name and a value, in braces or in lines of one paragraph. */
function* pairs(text: string, { labelOf, named }: Search & Forms): Generator<StatedFields> {
  named.lastIndex = 0;
  let done = 0;
  for (let found = named.exec(text); found !== null; found = named.exec(text)) {
    const names = labelOf(found[1] ?? '');
    if (names.length === 0 || found.index < done) continue;
    const isLink = /^(?:ur[il]|ref)/i.test(found[0]);
    const around =
      valuedAround(text, found.index, isLink ? 1 : MOST_BRACES) ?? linesAround(text, found.index);
    done = Math.max(done, around.end);
    if (VALUED.test(text.slice(around.start, around.end))) yield { ...around, names };
  }
}

/** The braces around a place, or those around them that hold the value itself (`{"code": {"text": "salary"}, "value": 7}`). */
function valuedAround(text: string, at: number, most: number): TextRange | undefined {
  const first = bracesAround(text, at);
  let around = first;
  for (let depth = 0; depth < most && around !== undefined; depth += 1) {
    const inner = text.slice(around.start, around.end);
    if (VALUED.test(around === first ? inner : ownOf(inner))) return around;
    around = bracesAround(text, around.start - 1);
  }
  return first;
}

const MOST_BRACES = 3;

/** What stands in braces without what stands in others inside of them. */
function ownOf(inner: string): string {
  let own = inner;
  for (let depth = 0; depth < MOST_BRACES; depth += 1) own = own.replace(/\{[^{}]*\}/g, '');
  return own;
}

const VALUED = new RegExp(String.raw`(?<![\p{L}\p{N}])${VALUE_KEY}\\?["']?[ \t]*(?:[:=]>?)`, 'iu');
const OTHER_NAME = new RegExp(String.raw`^[ \t-]*["']?${NAME_KEY}["']?[ \t]*[:=]`, 'iu');

/** What is between the braces around a place; undefined where none are near. */
function bracesAround(text: string, at: number): TextRange | undefined {
  let depth = 0;
  for (let place = at - 1; place >= Math.max(0, at - MAX_PAIR); place -= 1) {
    const character = text.charAt(place);
    if (character === '}') depth += 1;
    if (character !== '{') continue;
    if (depth === 0) {
      const end = endOfBracket(text, place, MAX_PAIR);
      return end === undefined ? undefined : { start: place + 1, end: end - 1 };
    }
    depth -= 1;
  }
  return undefined;
}

/** Lines beside the one of a place, up to a blank one or one that names something else. */
function linesAround(text: string, at: number): TextRange {
  let start = text.lastIndexOf('\n', at) + 1;
  let end = endOfLine(text, at);
  for (let count = 0; count < MAX_LINES && end < text.length; count += 1) {
    const next = text.slice(end + 1, endOfLine(text, end + 1));
    if (next.trim() === '' || OTHER_NAME.test(next) || /^[ \t]*- /.test(next)) break;
    end += 1 + next.length;
  }
  const isItem = /^[ \t]*- /.test(text.slice(start, at));
  for (let count = 0; !isItem && count < MAX_LINES && start > 0; count += 1) {
    const from = text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(from, start - 1);
    if (line.trim() === '' || OTHER_NAME.test(line)) break;
    start = from;
    if (/^[ \t]*- /.test(line)) break;
  }
  return { start: Math.max(start, at - MAX_PAIR), end: Math.min(end, at + MAX_PAIR) };
}

const MAX_LINES = 8;
