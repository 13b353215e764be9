import type { TextRange } from '../core/document.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { type SpannedCell, spreadCells } from './spanned-cells.js';
import { columnFields, occursApart } from './table-fields.js';
import { endOfLine } from './text-range.js';

/** An element of markup: from its opening tag to its closing one, or without one. */
interface Element extends TextRange {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  /** Where its opening tag ends. */
  readonly open: number;
  readonly parent: Element | undefined;
  /** Its number among the children of its parent. */
  readonly place: number;
  readonly children: Element[];
  /** Where its closing tag begins; the end of what may be its content where it has none. */
  close: number;
  end: number;
}

interface Attribute extends TextRange {
  readonly name: string;
  readonly value: string;
}

/** Quoted values hold no `<`, so that no tag is longer than the text up to the next one. */
const TAG = /<(\/?)([A-Za-z_][\w.:-]*)((?:[\s/](?:"[^"<]*"|'[^'<]*'|[^"'<>])*)?)>/g;
const ATTRIBUTE =
  /(?<![\w.:-])(?:([A-Za-z_:@*#[(][\w.:@()[\]-]*)\s*=\s*("[^"]*"|'[^']*'|\{(?:[^{}"']|"[^"]*"|'[^']*'|\{[^{}]*\})*\}|[^\s"'<>]+)|(data-[\w.-]+)(?![\w.:-]|\s*=))/g;
/** Elements of HTML that have no content. */
const EMPTY: ReadonlySet<string> = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'col',
  'area',
  'wbr',
  'source',
]);
/** Elements of HTML that need no closing tag: what their opening one ends, and what that is not looked for around. */
const ENDING: ReadonlyMap<string, { readonly ends: RegExp; readonly around: RegExp }> = new Map(
  (
    [
      ['dt', 'd[td]', 'dl'],
      ['dd', 'd[td]', 'dl'],
      ['td', 't[dh]', 'table|tr'],
      ['th', 't[dh]', 'table|tr'],
      ['tr', 't[dhr]', 'table'],
      ['li', 'li', '[uod]l|menu'],
      ['option', 'option', 'select'],
    ] as const
  ).map(([name, ends, around]) => [
    name,
    { ends: new RegExp(`^(?:${ends})$`, 'i'), around: new RegExp(`^(?:${around})$`, 'i') },
  ]),
);
/** Attributes that say nothing of what an element is called. */
const UNNAMING: ReadonlySet<string> = new Set(['href', 'src', 'style', 'type']);
const MOST_DEPTH = 200;

/**
 * Where elements of XML or HTML state fields: one that is called so, or by an attribute (`<field name="salary">7</field>`), an attribute of that
 * name, and what stands beside an element that holds the name alone (`<key>salary</key><string>7</string>`).
 */
export function markupFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!text.includes('<') || !(labelOf.occursIn(text) || occursApart(text, names))) return [];
  const elements = elementsOf(text);
  const found: StatedFields[] = [...inGrids(elements, text, labelOf), ...inTables(elements, text, labelOf)];
  for (const [at, element] of elements.entries()) {
    const own = labelOf(localName(element.name));
    if (own.length > 0 && element.close > element.open)
      found.push({ start: element.open, end: element.close, names: own });
    const attributes = element.attributes.map((attribute) => ({
      ...attribute,
      names: labelOf(localName(attribute.name)),
      of: UNNAMING.has(attribute.name.toLowerCase()) ? [] : labelOf(saidName(attribute)),
    }));
    for (const { start, end, names: stated } of attributes)
      if (stated.length > 0 || own.length > 0) found.push({ start, end, names: [...stated, ...own] });
    const called = [...new Set(attributes.flatMap(({ of }) => of))];
    if (called.length > 0) {
      if (element.close > element.open)
        found.push({ start: element.open, end: element.close, names: called });
      for (const { start, end } of attributes) found.push({ start, end, names: called });
      const next = elements[at + 1];
      const isPair = attributes.some(({ name, of }) => name === 'value' && of.length > 0);
      if (isPair && next?.parent === element.parent && text.slice(element.end, next?.start).trim() === '')
        found.push(...valuesOf([next], called));
      const isEmpty = element.end > element.close && text.slice(element.open, element.close).trim() === '';
      const behind = (isEmpty ? WORD_BEHIND : SIGN_BEHIND).exec(
        text.slice(element.end, element.end + MAX_CONTENT),
      )?.[0];
      if (behind !== undefined && (isEmpty || SHORT.test(element.name)))
        found.push({ start: element.open, end: element.end + behind.length, names: called });
    }
    const [child] = element.children;
    const until = Math.min(child?.start ?? element.close, element.open + MAX_CONTENT);
    const leading = labelOf(withoutEntities(text.slice(element.open, until)));
    if (leading.length === 0) continue;
    const isAlone =
      child === undefined || (BREAK.test(child.name) && text.slice(child.end, element.close).trim() === '');
    if (isAlone) found.push(...besideOf(element, leading, text));
    else found.push({ start: element.open, end: Math.max(element.close, child.end), names: leading });
  }
  return found;
}

/** What an attribute calls an element: one without a value itself, and of a phrase what it is about (`The salary band of Ann`). */
const saidName = ({ name, value }: Attribute): string =>
  value === ''
    ? localName(name)
    : value.length > MAX_CONTENT
      ? value
      : withoutEntities(PREFIXED.test(name) ? value.replace(/^\S*[/#:](?=\S)/, '') : value)
          .replace(/^(?:(?:the|an?|his|her|their|your|our|my|current|new|old|[\w.-]{1,40}['’]s)\s){1,3}/i, '')
          .replace(/\s(?:of|for)\s.*$/is, '');

/** Of these the name is the last part of an address, or stands behind a prefix. */
const PREFIXED = /^(?:property|itemprop|name|key)$/i;

/** Cells of a grid of other elements (ARIA), by the place of a heading in its row. */
function* inGrids(elements: readonly Element[], text: string, labelOf: Label): Generator<StatedFields> {
  const columns = new Map<Element | undefined, Map<number, readonly string[]>>();
  const roleOf = ({ attributes }: Element): string =>
    attributes.find(({ name }) => name.toLowerCase() === 'role')?.value.toLowerCase() ?? '';
  const gridOf = ({ parent: row }: Element): Element | undefined =>
    row?.parent !== undefined && roleOf(row.parent) === 'rowgroup' ? row.parent.parent : row?.parent;
  for (const element of elements) {
    const role = roleOf(element);
    if (role === 'columnheader') {
      const names = labelOf(
        withoutEntities(text.slice(element.open, element.close).replace(/<[^<>]*>/g, '')),
      );
      const grid = gridOf(element);
      const own = columns.get(grid) ?? new Map<number, readonly string[]>();
      columns.set(grid, own);
      if (names.length > 0) own.set(element.place, names);
    } else if (/cell$/.test(role)) {
      const names = columns.get(gridOf(element))?.get(element.place);
      if (names !== undefined) yield { start: element.open, end: element.close, names };
    }
  }
}

/** Columns of tables, whose cells may stand in several rows. */
function inTables(elements: readonly Element[], text: string, labelOf: Label): StatedFields[] {
  const tables = new Map<Element, { readonly cells: SpannedCell[]; row: Element | undefined }>();
  for (const element of elements) {
    if (!/^t[dh]$/i.test(element.name)) continue;
    const row = element.parent;
    const part = row?.parent;
    const of = /^t(?:head|body|foot)$/i.test(part?.name ?? '') ? part?.parent : part;
    if (of === undefined) continue;
    const table = tables.get(of) ?? { cells: [], row: undefined };
    tables.set(of, table);
    const spanOf = (attribute: string): number =>
      Number(element.attributes.find(({ name }) => name.toLowerCase() === attribute)?.value) || 1;
    const { open: start, close: end } = element;
    const inner = text.slice(start, Math.min(end, start + MAX_BESIDE));
    const spoken = [element, ...element.children].flatMap(({ attributes }) =>
      attributes.filter(({ name }) => /^(?:abbr|title|aria-label)$/i.test(name)).map(({ value }) => value),
    );
    const content = inner.replace(/<br\b[^<>]*>/gi, ' ').replace(/<[^<>]*>/g, '');
    table.cells.push({
      ...{ start, end, text: withoutEntities(content), isFirst: table.row !== row },
      isHeading: /^th$/i.test(element.name),
      said: [inner.replace(/<[^<>]*>/g, '|'), ...spoken].join('|'),
      ...{ columns: spanOf('colspan'), rows: spanOf('rowspan') },
    });
    table.row = row;
  }
  return [...tables.values()].flatMap(({ cells }) => columnFields(spreadCells(cells), labelOf));
}

/** Longer ones are no name. In UTF-16 code units. */
const MAX_CONTENT = 200;

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1).replace(/^data-/, '');

const withoutEntities = (content: string): string =>
  content
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&nbsp;|&#160;|\u00A0/g, ' ')
    .trim()
    .replace(/[:=：]$/, '');

/** The next element, of the nearest one around that has one, with the name itself; the text behind it where that is none. */
function besideOf(element: Element, names: readonly string[], text: string): StatedFields[] {
  let inner = element;
  for (let depth = 0; depth < MOST_LEVELS; depth += 1) {
    const isHeading = inner.attributes.some(({ name, value }) => name === 'role' && value === 'columnheader');
    if (ELSEWHERE.test(inner.name) || isHeading) return [];
    const { parent } = inner;
    const siblings: readonly Element[] = parent?.children ?? [];
    let at = inner.place + 1;
    while (isPassed(siblings[at], text)) at += 1;
    const next = leafOf(siblings[at]);
    const until = siblings[at]?.start ?? parent?.close ?? inner.end;
    const behind = text.slice(inner.end, until).replace(/<[^<>]*>/g, '');
    const isMenu = [inner, siblings[at]].every((each) => each?.name.toLowerCase() === 'a');
    if (isMenu && behind.trim() === '') return [];
    if (behind.replace(/[\s:=–—-]+/g, '') !== '') return [{ start: element.open, end: until, names }];
    if (next !== undefined) {
      // A term may have several descriptions, and a change two values.
      let count = 1;
      const isValue = ({ name }: Element): boolean =>
        inner.name === 'dt' ? name === 'dd' : VALUE.test(name);
      for (let more = siblings[at + count]; more !== undefined && isValue(more); more = siblings[at + count])
        count += 1;
      const values = [next, ...siblings.slice(at + 1, at + count)];
      return [{ start: element.open, end: element.close, names }, ...valuesOf(values, names)];
    }
    const isAlone = siblings.length === 1 && text.slice(parent?.open, inner.start).trim() === '';
    if (parent === undefined || !isAlone) return [];
    inner = parent;
  }
  return [];
}

/** A break, or a sign behind a name. */
const isPassed = (element: Element | undefined, text: string): boolean =>
  element !== undefined &&
  (BREAK.test(element.name) || /^\s*[:=：]\s*$/.test(text.slice(element.open, element.close)));

/** What elements hold, and their attributes and those of their children say. */
const valuesOf = (elements: readonly (Element | undefined)[], names: readonly string[]): StatedFields[] =>
  elements.flatMap((element) =>
    element === undefined
      ? []
      : [
          ...[element, ...element.children]
            .flatMap(({ attributes }) => attributes.filter(({ name }) => VALUE_ATTRIBUTE.test(name)))
            .map(({ start, end }) => ({ start, end, names })),
          { start: element.open, end: element.close, names },
        ],
  );

/** What a page goes on with is no value as a whole. */
function leafOf(element: Element | undefined): Element | undefined {
  let inner = element;
  while (inner !== undefined && inner.close - inner.open > MAX_BESIDE && inner.children[0] !== undefined)
    [inner] = inner.children;
  return inner;
}

/** In UTF-16 code units. */
const MAX_BESIDE = 4_000;
const MOST_LEVELS = 4;
/** What stands for a name that it says elsewhere. */
const SHORT = /^(?:abbr|dfn)$/i;
const SIGN_BEHIND = /^\s*[:=：][^<\n]*/;
/** All there is of a line or an element. */
const WORD_BEHIND = /^[ \t]*[:=：]?[ \t]*[^\s<]{1,80}[ \t]*(?=<|\n|$)/;
const VALUE = /^(?:from|to|old|new|before|after|value)(?:[_-]?value)?$/i;
const BREAK = /^(?:br|hr|wbr)$/i;
/** What is below a heading, and in the column of a cell, is found in the text that is made of the page; the next item of a list says something else. */
const ELSEWHERE = /^(?:h[1-6]|t[dhr]|li|option)$/i;
const VALUE_ATTRIBUTE = /^(?:value|content|placeholder|data-.*|title|alt|aria-.*)$/i;

/** Elements in order. What is never closed holds the text up to the next tag. */
function elementsOf(text: string): Element[] {
  const all: Element[] = [];
  const open: Element[] = [];
  const close = (element: Element, at: number): void => {
    // A type of a program: `List<salary>`.
    const isType = /\w/.test(text.charAt(element.start - 1));
    if (!isType) Object.assign(element, { close: at, end: at });
  };
  TAG.lastIndex = 0;
  let last: Element | undefined;
  for (let found = TAG.exec(text); found !== null; found = TAG.exec(text)) {
    const { 0: tag, 1: closing, 2: name = '', 3: attributes = '', index: start } = found;
    const end = start + tag.length;
    if (last !== undefined) close(last, start);
    last = undefined;
    if (closing === '/') {
      const at = open.findLastIndex((each) => each.name === name);
      if (at < 0) continue;
      const [closed, ...inner] = open.splice(at);
      if (closed !== undefined) Object.assign(closed, { close: start, end });
      for (const each of inner)
        if (ENDING.has(each.name.toLowerCase())) Object.assign(each, { close: start, end: start });
      continue;
    }
    // Elements of HTML that end where the next one of their kind begins.
    const ended = ENDING.get(name.toLowerCase());
    const outer = ended === undefined ? -1 : open.findLastIndex((each) => ended.around.test(each.name));
    const begun =
      ended === undefined ? -1 : open.findIndex((each, at) => at > outer && ended.ends.test(each.name));
    if (begun >= 0) {
      for (const each of open.splice(begun)) Object.assign(each, { close: start, end: start });
    }
    const parent = open.at(-1);
    const place = parent?.children.length ?? 0;
    const from = start + 1 + name.length;
    const element: Element = {
      ...{ name, start, end, open: end, close: end, parent, place, children: [] },
      attributes: attributesOf(attributes, from),
    };
    parent?.children.push(element);
    all.push(element);
    if (attributes.endsWith('/') || EMPTY.has(name.toLowerCase())) continue;
    last = element;
    if (open.length < MOST_DEPTH) open.push(element);
  }
  if (last !== undefined) close(last, endOfLine(text, last.open));
  return all;
}

function attributesOf(text: string, from: number): Attribute[] {
  return [...text.matchAll(ATTRIBUTE)].map(({ 0: all, 1: known, 2: stated = '', 3: bare = '', index }) => {
    const name = known ?? bare;
    const isQuoted = /^["']/.test(stated);
    const start = from + index + all.length - stated.length + (isQuoted ? 1 : 0);
    return {
      name,
      value: isQuoted ? stated.slice(1, -1) : stated,
      start,
      end: start + stated.length - (isQuoted ? 2 : 0),
    };
  });
}
