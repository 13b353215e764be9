import { escapeMarkup } from '../open-archive.js';
import { allOf, childOf, readXml, type XmlElement } from '../read-xml.js';

/** What of WordprocessingML says how paragraphs are numbered (ECMA-376 part 1, 17.9). */
export interface NumberingParts {
  /** `word/numbering.xml`. */
  readonly numbering: string;
  /** `word/styles.xml`. */
  readonly styles: string;
}

/** Start of a paragraph or a table, or what a paragraph says of itself. */
const MARK = /<w:(?:p|tbl)[ >]|<w:pPr>([\s\S]*?)<\/w:pPr>/g;
const EARLIER = /<w:pPrChange\b[\s\S]*?<\/w:pPrChange>/g;
const NUMBERED = /<w:numPr>[\s\S]*?<\/w:numPr>|<w:numPr\/>/;
const STYLED = /<w:pStyle w:val="([^"]*)"\/>/;
/** Numbers that a list of Markdown has by itself. */
const PLAIN_NUMBER = /^%\d[.)]?$/;
const MAX_LEVELS = 9;

/**
 * A document with the numbers that Word shows before its headings (`2.1 Limits`), and before items of lists that are numbered otherwise than from one on:
 * `§ 3`, `a)`, `1.2`, and lists that go on after other paragraphs. These items become paragraphs that begin with their number.
 *
 * @param name the document's id, for the message
 */
export async function withNumbers(document: string, parts: NumberingParts, name: string): Promise<string> {
  if (!parts.numbering.includes('<w:abstractNum')) return document;
  const lists = readLists(await readXml(parts.numbering, name));
  const styles =
    parts.styles === '' ? new Map<string, Style>() : readStyles(await readXml(parts.styles, name));
  const xml = document.replace(EARLIER, '');
  const items = numberedItems(xml, { lists, styles });
  const written = new Set(items.filter(({ isPlain }) => !isPlain).map(({ list }) => list));
  let at = 0;
  let result = '';
  for (const { start, end, properties, number, isHeading, list } of items) {
    if (!isHeading && !written.has(list)) continue;
    const kept = isHeading ? properties : properties.replace(NUMBERED, '').replace(STYLED, '');
    const run = number === '' ? '' : `<w:r><w:t xml:space="preserve">${escapeMarkup(number)} </w:t></w:r>`;
    result += `${xml.slice(at, start)}<w:pPr>${kept}</w:pPr>${run}`;
    at = end;
  }
  return result + xml.slice(at);
}

interface Level {
  readonly start: number;
  readonly format: string;
  readonly text: string;
}

/** An instance of a numbering. Those of one definition count on, but for levels that begin anew. */
interface List {
  readonly definition: string;
  readonly levels: ReadonlyMap<number, Level>;
  readonly restarts: ReadonlyMap<number, number>;
}

interface Style {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly numId: string | undefined;
  readonly level: number | undefined;
}

interface Lists {
  readonly byId: ReadonlyMap<string, List>;
  /** List and level of the paragraphs of a style, as a level states it. */
  readonly byStyle: ReadonlyMap<string, { readonly numId: string; readonly level: number }>;
}

function readLists(root: XmlElement): Lists {
  const definitions = new Map(
    allOf(root, 'abstractNum').map((element) => [element.attributes.abstractNumId ?? '', element]),
  );
  const byId = new Map<string, List>();
  const byStyle = new Map<string, { numId: string; level: number }>();
  for (const num of allOf(root, 'num')) {
    const numId = num.attributes.numId ?? '';
    const definition = stated(num, 'abstractNumId') ?? '';
    const element = definitions.get(definition);
    if (element === undefined) continue;
    const levels = new Map<number, Level>();
    for (const level of allOf(element, 'lvl')) {
      const index = Number(level.attributes.ilvl ?? 0);
      levels.set(index, {
        start: Number(stated(level, 'start') ?? 1),
        format: stated(level, 'numFmt') ?? 'decimal',
        text: stated(level, 'lvlText') ?? '',
      });
      const style = stated(level, 'pStyle');
      if (style !== undefined && !byStyle.has(style)) byStyle.set(style, { numId, level: index });
    }
    const restarts = allOf(num, 'lvlOverride').flatMap((override): [number, number][] => {
      const start = stated(override, 'startOverride');
      return start === undefined ? [] : [[Number(override.attributes.ilvl ?? 0), Number(start)]];
    });
    byId.set(numId, { definition, levels, restarts: new Map(restarts) });
  }
  return { byId, byStyle };
}

const stated = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.attributes.val;

function readStyles(root: XmlElement): Map<string, Style> {
  return new Map(
    allOf(root, 'style').map((style) => {
      const numbered = childOf(childOf(style, 'pPr'), 'numPr');
      const level = stated(numbered, 'ilvl');
      return [
        style.attributes.styleId ?? '',
        {
          name: stated(style, 'name') ?? '',
          basedOn: stated(style, 'basedOn'),
          numId: stated(numbered, 'numId'),
          level: level === undefined ? undefined : Number(level),
        },
      ];
    }),
  );
}

interface NumberedItem {
  /** Of `w:pPr` in the document. */
  readonly start: number;
  readonly end: number;
  /** What stands in it. */
  readonly properties: string;
  readonly list: string;
  readonly number: string;
  readonly isHeading: boolean;
  /** A list of Markdown counts alike. */
  readonly isPlain: boolean;
}

function numberedItems(
  xml: string,
  { lists, styles }: { readonly lists: Lists; readonly styles: ReadonlyMap<string, Style> },
): NumberedItem[] {
  const counters = new Map<string, number[]>();
  const begun = new Set<string>();
  const items: NumberedItem[] = [];
  let running: string | undefined;
  let isBefore = false;
  for (const match of xml.matchAll(MARK)) {
    const [whole, properties] = match;
    if (properties === undefined) {
      // A paragraph that says nothing of itself, or a table, ends a list.
      if (isBefore || whole.startsWith('<w:tbl')) running = undefined;
      isBefore = true;
      continue;
    }
    isBefore = false;
    const place = placeOf(properties, { lists, styles });
    const list = place === undefined ? undefined : lists.byId.get(place.numId);
    const level = place === undefined ? undefined : list?.levels.get(place.level);
    if (place === undefined || list === undefined || level === undefined) {
      running = undefined;
      continue;
    }
    if (level.format === 'bullet') continue;
    const counted = counters.get(list.definition) ?? [];
    counters.set(list.definition, counted);
    for (const [index, start] of begun.has(place.numId) ? [] : list.restarts) counted[index] = start - 1;
    begun.add(place.numId);
    const count = (counted[place.level] ?? level.start - 1) + 1;
    counted[place.level] = count;
    counted.length = place.level + 1;
    const isFirst = running !== list.definition;
    running = list.definition;
    const isPlain =
      level.format === 'decimal' &&
      PLAIN_NUMBER.test(level.text) &&
      (!isFirst || place.level > 0 || count === 1);
    items.push({
      start: match.index,
      end: match.index + whole.length,
      properties,
      list: list.definition,
      number: numberText(level.text, list, counted),
      isHeading: isHeadingStyle(styleOf(properties), styles),
      isPlain,
    });
  }
  return items;
}

const styleOf = (properties: string): string | undefined => STYLED.exec(properties)?.[1];

function placeOf(
  properties: string,
  { lists, styles }: { readonly lists: Lists; readonly styles: ReadonlyMap<string, Style> },
): { readonly numId: string; readonly level: number } | undefined {
  const own = NUMBERED.exec(properties)?.[0] ?? '';
  const numId = /<w:numId w:val="(\d+)"/.exec(own)?.[1];
  const level = /<w:ilvl w:val="(\d)"/.exec(own)?.[1];
  if (numId === '0') return undefined;
  const stated = level === undefined ? undefined : Number(level);
  if (numId !== undefined) return { numId, level: stated ?? 0 };
  const seen = new Set<string>();
  for (let id = styleOf(properties); id !== undefined && !seen.has(id); id = styles.get(id)?.basedOn) {
    seen.add(id);
    const linked = lists.byStyle.get(id);
    const style = styles.get(id);
    if (style?.numId === '0') return undefined;
    if (style?.numId !== undefined)
      return { numId: style.numId, level: stated ?? style.level ?? linked?.level ?? 0 };
    if (linked !== undefined) return { ...linked, level: stated ?? linked.level };
  }
  return undefined;
}

function isHeadingStyle(id: string | undefined, styles: ReadonlyMap<string, Style>): boolean {
  return id !== undefined && (/^Heading\d$/.test(id) || /^heading \d$/i.test(styles.get(id)?.name ?? ''));
}

const numberText = (text: string, { levels }: List, counted: readonly number[]): string =>
  text.replace(/%([1-9])/g, (_, place: string) => {
    const index = Math.min(Number(place), MAX_LEVELS) - 1;
    const level = levels.get(index);
    return formatted(counted[index] ?? level?.start ?? 1, level?.format ?? 'decimal');
  });

function formatted(value: number, format: string): string {
  if (format === 'lowerLetter') return lettered(value);
  if (format === 'upperLetter') return lettered(value).toUpperCase();
  if (format === 'lowerRoman') return roman(value).toLowerCase();
  if (format === 'upperRoman') return roman(value);
  if (format === 'decimalZero') return String(value).padStart(2, '0');
  return format === 'none' ? '' : String(value);
}

/** `a` to `z`, then `aa`, `bb`, as Word counts. */
const lettered = (value: number): string =>
  String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.min(20, Math.floor((value - 1) / 26) + 1));

const ROMAN: readonly (readonly [number, string])[] = [
  ...([
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
  ] as const),
  ...([
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ] as const),
];

function roman(value: number): string {
  let left = Math.min(value, 3_999);
  return ROMAN.map(([size, sign]) => {
    const times = Math.floor(left / size);
    left -= times * size;
    return sign.repeat(times);
  }).join('');
}
