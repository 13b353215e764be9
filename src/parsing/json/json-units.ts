import type { CodeUnit } from '../../core/document.js';

/** Shorter values are not divided. */
const MIN_DIVISIBLE_LENGTH = 80;
/** Deeper values are one piece. */
const MAX_DEPTH = 64;
const MAX_LABEL_LENGTH = 80;
/** Members that name a record. */
const NAMING_KEYS: ReadonlySet<string> = new Set(['title', 'name', 'key', 'id', '_id', 'summary']);

/** A value under way. */
interface Open {
  readonly start: number;
  readonly isObject: boolean;
  readonly units: CodeUnit[];
  /** The member or element that is being read. */
  unitStart: number | undefined;
  key: string | undefined;
  label: string | undefined;
  count: number;
}

/**
 * Members and elements of a JSON text with their places: `"key": value` of an object, each element of a list. Their symbol
 * is the key, or the position with the record's own name. One pass without recursion.
 *
 * @param text valid JSON (one value with nothing but white space around it)
 */
export function jsonUnits(text: string, offset = 0): CodeUnit[] {
  const stack: Open[] = [];
  let root: CodeUnit[] = [];
  let at = 0;
  const endUnit = (end: number, children: readonly CodeUnit[] = [], label?: string): void => {
    const open = stack.at(-1);
    if (open?.unitStart === undefined) return;
    if (stack.length <= MAX_DEPTH) open.units.push(toUnit(open, { end, offset, children, label, text }));
    open.unitStart = undefined;
    open.count += 1;
  };
  let closed: { children: readonly CodeUnit[]; label: string | undefined } | undefined;
  while (at < text.length) {
    const character = text.charAt(at);
    const open = stack.at(-1);
    if (character === '{' || character === '[') {
      if (open !== undefined) open.unitStart ??= at;
      stack.push(newOpen(at, character === '{'));
      closed = undefined;
    } else if (character === '}' || character === ']') {
      endUnit(lastCharacterBefore(text, at), closed?.children, closed?.label);
      const done = stack.pop();
      closed = { children: done?.units ?? [], label: done?.label };
      if (stack.length === 0) root = done?.units ?? [];
    } else if (character === ',') {
      endUnit(at + 1, closed?.children, closed?.label);
      closed = undefined;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (open !== undefined) readString(open, text, { start: at, end });
      at = end;
      continue;
    } else if (open !== undefined && /[^\s:]/.test(character)) {
      open.unitStart ??= at;
    }
    at += 1;
  }
  return root;
}

const newOpen = (start: number, isObject: boolean): Open => ({
  start,
  isObject,
  units: [],
  unitStart: undefined,
  key: undefined,
  label: undefined,
  count: 0,
});

/** A string is a key where no member is under way, else a value, which may name its record. */
function readString(open: Open, text: string, { start, end }: { start: number; end: number }): void {
  const isKey = open.isObject && open.unitStart === undefined;
  if (isKey) open.key = stringValue(text.slice(start, end));
  else if (open.isObject && open.label === undefined && NAMING_KEYS.has(open.key ?? '')) {
    open.label = stringValue(text.slice(start, end));
  }
  open.unitStart ??= start;
}

const stringValue = (literal: string): string => {
  const value: unknown = JSON.parse(literal.length > 6 * MAX_LABEL_LENGTH ? '""' : literal);
  return String(value).toWellFormed().replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL_LENGTH).toWellFormed();
};

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function lastCharacterBefore(text: string, at: number): number {
  let end = at;
  while (end > 0 && /\s/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Start of the line where only white space stands before, else the offset itself. */
function withIndentation(text: string, offset: number): number {
  let lineStart = offset;
  while (lineStart > 0 && /[^\S\n]/.test(text.charAt(lineStart - 1))) lineStart -= 1;
  return lineStart === 0 || text.charAt(lineStart - 1) === '\n' ? lineStart : offset;
}

interface UnitEnd {
  readonly end: number;
  readonly offset: number;
  readonly children: readonly CodeUnit[];
  readonly label: string | undefined;
  readonly text: string;
}

function toUnit(open: Open, { end, offset, children, label, text }: UnitEnd): CodeUnit {
  const start = open.unitStart ?? end;
  const symbol = open.isObject ? (open.key ?? '') : [`[${open.count}]`, label ?? ''].join(' ').trim();
  const isDivisible = end - start >= MIN_DIVISIBLE_LENGTH;
  return {
    start: offset + withIndentation(text, start),
    end: offset + end,
    ...(symbol === '' ? {} : { symbol }),
    children: isDivisible ? children : [],
  };
}
