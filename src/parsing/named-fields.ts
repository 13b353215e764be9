import { splitSentences } from '../core/analysis/boundaries.js';
import type { TextRange } from '../core/document.js';
import { endOfHeaders, endOfSection, HEADING, type Line, linesOf, UNDERLINE } from './label-fields.js';
import type { StatedFields } from './markdown/stated-names.js';
import { isLone, isWorded as isWordedName, namedPlaces } from './named-places.js';
import { statementFields } from './named-statements.js';
import { BLANKS, commentsAlone, inLines, joinedLines, PARAMETER, separatorIn } from './sentence-fields.js';
import { blanked, endOfLine, startOfLine } from './text-range.js';

const FENCE = /^[ \t>]{0,12}(`{3,}|~{3,})[ \t]*([^\s`{]*)/;
/** What opens a quotation, an item or a heading. */
const MARK = /^[\s>]*(?:(?:[-*+]|#{1,6})[ \t]+)?/;
const TAGGED = /^[ \t]*<(?:h[1-6]|dt|summary|caption|legend|label)\b/i;
const VALUE = /[\p{L}\p{N}]/u;
const RULE = /^[\s>|:+=\u2500-\u257F-]+$/;
/** What stands between a name of one word and its value. */
const SIGN =
  /^(?:[\])}"'`*_\\]|&quot;|%22|<\/?[a-z]{1,8}\/?>){0,8}(?:[ \t]?[([][^()[\]\n]{0,40}[)\]])?["'`*_]{0,3}(?:[ \t](?:is|are|was|were)(?=[ \t]?[:：]))?[ \t]{0,40}(?<sign>%3[da](?:%20)?|&(?:#58|#61|colon|equals);|[-=~]{1,3}>|→|⇒|[|?+~!*/&^.:-]{0,3}[:=：＝][>=~:-]?)/iu;
const TO_BE = /[ \t](?:is|are|was|were)[ \t]{0,40}[:：]/i;
/** Where a word of a sentence would not stand. */
const BEFORE_LABEL = /(?:^|[,;{([|&?<>•·–—"'`\t$%@]|--?|^[ \t>]*[*_#+.)-]{1,6}[ \t]+)$/;
/** In UTF-16 code units. */
const LOOKED_AT = 400;

/**
 * Where a text still names a field once every reader of structure has looked. Of a name of several words the sentence, the row, or the statement of a program goes, unless nothing else
 * is in it; of a name of one word what stands behind a sign.
 *
 * @param language of source code; undefined for text, whose fenced blocks are code of their own
 * @param separator of cells, where the text is one table
 */
export function namedFields(
  text: string,
  names: readonly string[],
  {
    language,
    separator,
  }: { readonly language?: string | undefined; readonly separator?: string | undefined },
): StatedFields[] {
  // A name may go on behind what opens a line of a quotation or a comment.
  if (namedPlaces(text.replace(/\n[ \t>#*;%/-]+/g, '\n'), names).length === 0) return [];
  if (language === 'diff' || language === 'patch') {
    const lines = text.replace(/^[-+]/gm, ' ');
    if (lines !== text) return namedFields(lines, names, { language: 'yaml' });
  }
  if (language !== undefined) {
    const said = commentsAlone(text);
    return [...statementFields(text, said, names, language), ...saidFields(said, names, undefined)];
  }
  const fences = [...fencesOf(text)];
  return [
    ...saidFields(blanked(text, fences), names, separator),
    ...fences.flatMap(({ start, end, language: own }) =>
      namedFields(text.slice(start, end), names, { language: own }).map((each) => ({
        ...each,
        start: each.start + start,
        end: each.end + start,
      })),
    ),
  ];
}

/** What fenced blocks of Markdown hold. */
export function* fencesOf(text: string): Generator<TextRange & { readonly language: string }> {
  let open: { readonly mark: string; readonly language: string; readonly start: number } | undefined;
  let start = 0;
  for (const line of text.split('\n')) {
    const [, mark, language = ''] = FENCE.exec(line) ?? [];
    if (mark !== undefined && open === undefined)
      open = { mark, language: language.toLowerCase(), start: start + line.length + 1 };
    else if (mark !== undefined && open !== undefined && mark.startsWith(open.mark)) {
      yield { start: open.start, end: start, language: open.language };
      open = undefined;
    }
    start += line.length + 1;
  }
  if (open !== undefined && open.start < text.length)
    yield { start: open.start, end: text.length, language: open.language };
}

/** The same of what is no source code. */
function saidFields(text: string, names: readonly string[], separator: string | undefined): StatedFields[] {
  const lines = linesOf(text);
  const found: StatedFields[] = [];
  let done = 0;
  for (const { start, end, names: own, isWorded } of namedPlaces(text, names)) {
    if (isWorded || start < done || !isLabel(text, { start, end })) continue;
    done = endOfLine(text, end);
    found.push({ start, end: done, names: own });
  }
  if (!names.some(isWordedName)) return found;
  const { joined, joints } = separator === undefined ? joinedLines(text) : { joined: text, joints: [] };
  let sentences: readonly TextRange[] = [];
  let paragraph = -1;
  done = 0;
  let endOfBlock = 0;
  for (const { start, end, names: own, isWorded } of namedPlaces(joined, names)) {
    if (!isWorded || start < done || isEmptied(joined, { start, end })) continue;
    if ((inLines({ start, end }, joints)[0]?.start ?? 0) < endOfBlock) continue;
    const from = startOfLine(joined, start);
    const until = endOfLine(joined, end);
    const line = joined.slice(from, until);
    const between = separator === undefined ? separatorIn(line) : separator;
    const at = lineOf(lines, inLines({ start: from, end: from }, joints)[0]?.start ?? 0);
    if (between !== undefined) {
      if (isLone(line, names)) {
        done = until;
        continue;
      }
      const last = lastRow(lines, at, {
        place: start - from,
        between,
        names,
        isTable: separator !== undefined,
      });
      if (last === undefined) continue;
      const range = { start: lines[at]?.start ?? 0, end: lineEnd(lines[last]) };
      found.push({ ...range, names: own });
      done = until + range.end - lineEnd(lines[at]);
      continue;
    }
    if (paragraph !== until) sentences = sentencesOf(joined, { start: from, end: until });
    paragraph = until;
    const first = sentences.findLast((range) => range.start <= start)?.start ?? from;
    const unit = {
      start: first + (MARK.exec(joined.slice(first, start))?.[0].length ?? 0),
      end: sentences.find((range) => range.end >= end)?.end ?? until,
    };
    const said = joined.slice(unit.start, unit.end);
    const isBeforeColon = /[:：][*_"'`\s]*$/.test(said);
    const split = inLines(unit, joints).slice(1);
    const isTitle = split.length > 0 && isUnderlined(lines, lineOf(lines, split.at(-1)?.start ?? 0));
    const isOfLabel = (isBeforeColon && unit.start > from) || isTitle;
    if ((isLone(said, names) || isMenu(said, names)) && !isOfLabel) {
      done = unit.end;
      continue;
    }
    const isAsked = /\?[^\p{L}\p{N}]*$/u.test(said.replace(/<[^<>]*>/g, ''));
    const stated = isAsked ? { ...unit, end: until } : unit;
    const ranges = inLines(stated, joints);
    found.push(...ranges.map((range) => ({ ...range, names: own })));
    done = stated.end;
    // What a heading, a question or a colon is about stands below.
    const last = lineOf(lines, ranges.at(-1)?.start ?? 0);
    const isOpen =
      isAsked || isBeforeColon || HEADING.test(line) || TAGGED.test(line) || isUnderlined(lines, last);
    const above = isOpen ? endOfHeaders(text, lines, last) : last;
    const below =
      isOpen && joined.slice(unit.end, until).trim() === '' ? endOfSection(lines, above, false) : above;
    if (below === above) continue;
    endOfBlock = lineEnd(lines[below]);
    found.push({ start: lines[above + 1]?.start ?? 0, end: endOfBlock, names: own });
  }
  return found;
}

/** Sentences; one that may not be over goes on in what is behind it. */
function sentencesOf(text: string, range: TextRange): TextRange[] {
  const found: TextRange[] = [];
  for (const piece of splitSentences(text, range)) {
    const last = found.at(-1);
    const behind = text.slice(piece.start, piece.start + LOOKED_AT);
    const before = last === undefined ? '' : text.slice(Math.max(last.start, last.end - LOOKED_AT), last.end);
    const isOver = !SMALL.test(behind) && (FIRST_WORD.test(behind) || OVER.test(before));
    if (last !== undefined && !isOver && !WIDE_END.test(before))
      found.splice(-1, 1, { start: last.start, end: piece.end });
    else found.push(piece);
  }
  return found;
}

/** The certain end of a sentence: behind a word in small letters, a code or a bracket, none of which is an abbreviation or a number in order. */
const OVER =
  /(?:(?:(?<!\p{L})(?!(?:abs|avg|bzw|dept|est|ext|gem|ggf|incl|inkl|max|min|resp|tel|vgl)[.])\p{Ll}{3,60}|\d{3}|\p{L}\d{1,9}|\d\p{L}{1,9})["'”’*_\x60]{0,3}\)?|\))[.!?][*_]{0,3}$|\?[^\p{L}\p{N}]{0,8}$/u;
const WIDE_END = /[。！？｡][」』”’）]*$/;
/** A word that begins no sentence, and no address. */
const SMALL = /^["'“‘(]?\p{Ll}(?!\p{L}{0,9}:\/\/)/u;
/** Words that only begin one. */
const FIRST_WORD =
  /^["'“‘«(*_]{0,3}(?:The|It|He|She|They|We|You|This|That|These|Those|There|His|Her|Their|Its|Our|But|And|If|When|Der|Die|Das|Es|Er|Sie|Wir)[ \t]/i;

/** Links alone, of which one says nothing but a name. */
const isMenu = (said: string, names: readonly string[]): boolean =>
  said.split('](').length > 2 &&
  isLone(
    said.replace(LINK, (all, label: string) =>
      isLone(label, names) || namedPlaces(all, names).length === 0 ? ' ' : all,
    ),
    [],
  );

const LINK = /\[([^[\]\n]{0,200})\]\([^()\s]{0,400}\)/g;
const isUnderlined = (lines: readonly Line[], at: number): boolean =>
  UNDERLINE.test(lines[at + 1]?.text ?? '');
const lineEnd = (line: Line | undefined): number => (line?.start ?? 0) + (line?.text.length ?? 0);

/** The number of the line of a place. */
function lineOf(lines: readonly Line[], place: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether a name of one word stands in front of a sign and a value, and is no word of a sentence. */
function isLabel(text: string, { start, end }: TextRange): boolean {
  const near = text.slice(Math.max(0, start - LOOKED_AT), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const behind = text.slice(end, Math.min(endOfLine(text, end), end + LOOKED_AT));
  const [all = '', sign = ''] = SIGN.exec(behind) ?? [];
  const value = behind.slice(all.length).trim();
  const isLink =
    before.endsWith('[') && behind.startsWith(']:') && /^[<#./]|:\/\/|^\S+\.\w{2,5}(?:\s|$)/.test(value);
  const isName = /[=＝>%→⇒]/.test(sign) || TO_BE.test(all) || BEFORE_LABEL.test(before);
  return sign !== '' && VALUE.test(value) && isName && !isLink && !PARAMETER.test(before);
}

/** Whether the value of a key is gone, or it names an element or an attribute of markup, whose values readers of that know. */
function isEmptied(text: string, { start, end }: TextRange): boolean {
  const before = text.slice(Math.max(0, start - LOOKED_AT), start);
  const behind = text.slice(end, end + LOOKED_AT);
  return (
    EMPTY_KEY.test(behind) ||
    (IN_TAG.test(before) && /^[^<>"']{0,200}(?:["'][^"'<>]*["'][^<>"']*){0,8}>/.test(behind))
  );
}

const EMPTY_KEY = /^[\w.-]{0,60}["'`\])]{0,3}[ \t]*[:=][ \t]*["'`]?[ \t]+["'`]?[ \t]*(?:[,;}\])>/<\r\n]|$)/;
const IN_TAG = /<\/?(?:[A-Za-z][^<>"']*(?:["'][^"'<>]*["'][^<>"']*){0,8})?$/;

interface Cell {
  readonly place: number;
  readonly between: RegExp | string;
  readonly names: readonly string[];
  readonly isTable: boolean;
}

/** The last one of the rows that go with the cell of a name; undefined where the values beside or below it are gone already. */
function lastRow(
  lines: readonly Line[],
  at: number,
  { place, between, names, isTable }: Cell,
): number | undefined {
  const row = lines[at]?.text ?? '';
  const { cells, starts, isAllNames } = cellsOf(row, between, names);
  if (isAllNames) return undefined;
  const index = starts.findLastIndex((start) => start <= place);
  const isAloneInCell = isLone(cells[index] ?? '', names);
  let next = at + 1;
  while (RULE.test(lines[next]?.text ?? '') && lines[next]?.isBlank === false) next += 1;
  const isHeading = next > at + 1;
  const below = lines[next]?.text ?? '';
  const isRow = below.trim() !== '' && (isTable || separatorIn(below) !== undefined || between === BLANKS);
  if (isAloneInCell) {
    const behind = cells.slice(index + 1);
    const isTaken = behind.some((cell) => cell !== '') && !behind.some((cell) => VALUE.test(cell));
    const width = (cells[index] ?? '').length;
    const cell = between === BLANKS ? below.slice(place, place + width) : (below.split(between)[index] ?? '');
    if (isTaken || (isRow && !VALUE.test(cell))) return undefined;
  }
  const above = lines[at - 1];
  const isFirst = isTable || above === undefined || above.isBlank || separatorIn(above.text) === undefined;
  const isColumn = isHeading || (isFirst && isAloneInCell);
  let last = at;
  if (isColumn && isRow)
    for (last = next; lines[last + 1]?.isBlank === false && last - at < MOST_ROWS; ) last += 1;
  return last;
}

interface Cells {
  readonly cells: readonly string[];
  readonly starts: readonly number[];
  readonly isAllNames: boolean;
}

/** Of the last row, which is looked at once. */
let known: (Cells & Pick<Cell, 'between' | 'names'> & { readonly row: string }) | undefined;

function cellsOf(row: string, between: RegExp | string, names: readonly string[]): Cells {
  if (known?.row === row && known.between === between && known.names === names) return known;
  const cells = row.replace(/\|[ \t]*$/, '').split(between);
  let end = 0;
  const starts = cells.map((cell) => {
    const start = row.indexOf(cell, end);
    end = start + cell.length;
    return start;
  });
  known = { row, between, names, cells, starts, isAllNames: isLone(row, names) };
  return known;
}

const MOST_ROWS = 10_000;
