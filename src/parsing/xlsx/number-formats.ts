import { allOf, childOf, type XmlElement } from '../read-xml.js';

/** Built-in formats of dates and times (ECMA-376 part 1, 18.8.30). */
const DATE_FORMATS: ReadonlySet<number> = new Set([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52],
  ...[53, 54, 55, 56, 57, 58],
]);
const PERCENT_FORMATS: ReadonlySet<number> = new Set([9, 10]);

/** Those of them that show seconds. */
const SECONDS_FORMATS: ReadonlySet<number> = new Set([19, 21, 45, 46, 47]);
/** `[h]:mm:ss`. */
const DURATION_FORMAT = 46;

/** What a number of a cell is, and how it is shown. */
export type NumberForm =
  | { readonly kind: 'date'; readonly hasSeconds: boolean }
  | {
      readonly kind: 'duration';
      readonly unit: Unit;
      readonly hasSmaller: boolean;
      readonly hasSeconds: boolean;
    }
  | { readonly kind: 'percent' }
  /** What stands before and behind the figures, and places of figures with what stands between them (`000-00`). */
  | { readonly kind: 'number'; readonly before: string; readonly behind: string; readonly places: string };
type Unit = 'h' | 'm' | 's';

export const PLAIN_NUMBER: NumberForm = { kind: 'number', before: '', behind: '', places: '' };
/** Longer formats say nothing of their numbers. */
const MAX_FORMAT_LENGTH = 1_000;

/** What the numbers of each cell style are, in the order of styles. */
export function numberForms(styles: XmlElement | undefined): NumberForm[] {
  if (styles === undefined) return [];
  const formats = new Map(
    allOf(styles, 'numFmt').map(({ attributes }) => [
      Number(attributes.numFmtId),
      formOf(attributes.formatCode ?? ''),
    ]),
  );
  const cells = childOf(styles, 'cellXfs');
  return (cells === undefined ? [] : allOf(cells, 'xf')).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0);
    return formats.get(id) ?? builtInForm(id);
  });
}

function builtInForm(id: number): NumberForm {
  if (id === DURATION_FORMAT) return { kind: 'duration', unit: 'h', hasSmaller: true, hasSeconds: true };
  if (DATE_FORMATS.has(id)) return { kind: 'date', hasSeconds: SECONDS_FORMATS.has(id) };
  return PERCENT_FORMATS.has(id) ? { kind: 'percent' } : PLAIN_NUMBER;
}

/** A format as it is written (ECMA-376 part 1, 18.8.31), of which the part for numbers above zero is read. */
function formOf(code: string): NumberForm {
  if (code.length > MAX_FORMAT_LENGTH) return PLAIN_NUMBER;
  // Literal text, colours and currencies hold letters too.
  const signs = code.replace(/"[^"]*"|\[[^[\]]*\]|\\./g, '');
  const elapsed = /\[([hms])\1*\]/i.exec(code.replace(/"[^"]*"|\\./g, ''))?.[1]?.toLowerCase();
  const hasSeconds = /s/i.test(signs);
  if (elapsed === 'h' || elapsed === 'm' || elapsed === 's')
    return { kind: 'duration', unit: elapsed, hasSmaller: /[ms]/i.test(signs), hasSeconds };
  if (/[dmyhs]/i.test(signs)) return { kind: 'date', hasSeconds };
  if (signs.includes('%')) return { kind: 'percent' };
  return figuresOf(code);
}

/** Quoted text, a currency, another direction in brackets, a sign that is escaped, room as wide as a sign, a sign of itself. */
const PART = /"([^"]*)"|\[\$([^[\]-]*)[^[\]]*\]|(\[[^[\]]*\])|\\(.)|([_*].)|(General|[\s\S])/gi;
const PLACE = /^(?:[0#?]|General)$/i;

function figuresOf(code: string): NumberForm {
  const parts: { readonly text: string; readonly isPlace: boolean }[] = [];
  for (const [, quoted, currency, , escaped, , sign] of code.matchAll(PART)) {
    if (sign === ';') break;
    const text = quoted ?? currency ?? escaped ?? sign ?? '';
    parts.push({ text, isPlace: sign !== undefined && PLACE.test(sign) });
  }
  const first = parts.findIndex(({ isPlace }) => isPlace);
  const last = parts.findLastIndex(({ isPlace }) => isPlace);
  if (first < 0) return PLAIN_NUMBER;
  const textOf = (some: typeof parts): string => some.map(({ text }) => text).join('');
  const places = textOf(parts.slice(first, last + 1));
  return {
    kind: 'number',
    before: textOf(parts.slice(0, first)),
    behind: textOf(parts.slice(last + 1)).replace(/^,+/, ''),
    places: /^0[0\s/()-]*$/.test(places) ? places : '',
  };
}

const DAY_MS = 86_400_000;
/** Day 0 of the two calendars of Excel, the first of which counts a 29 February 1900 that was none. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

/**
 * A number as its cell shows it: dates as `2025-02-04` or `2025-02-04 10:30`, times as `10:30`, durations as `26:30`, shares as `12.5%`, others in full with
 * the text beside them and the zeros before them.
 */
export function shownNumber(value: string, form: NumberForm, epoch: keyof typeof EPOCHS): string {
  const number = Number(value);
  if (value === '' || Number.isNaN(number)) return value;
  if (form.kind === 'percent') return `${Number((number * 100).toPrecision(12))}%`;
  if (form.kind === 'number')
    return `${form.before}${figures(Number(number.toPrecision(15)), form.places)}${form.behind}`.trim();
  if (form.kind === 'duration') return duration(number, form);
  const date = new Date(EPOCHS[epoch] + Math.round(number * 86_400) * 1_000);
  if (Number.isNaN(date.getTime()) || number < 0 || date.getTime() > EPOCHS[1900] + 2_958_466 * DAY_MS)
    return value;
  const [day = '', time = ''] = date
    .toISOString()
    .slice(0, form.hasSeconds ? 19 : 16)
    .split('T');
  if (number < 1) return time;
  return Number.isInteger(number) ? day : `${day} ${time}`;
}

/** The figures of a whole number in their places, from the last one on; another number as it is. */
function figures(number: number, places: string): string {
  if (places === '' || !Number.isSafeInteger(number) || number < 0) return String(number);
  const left = [...String(number)];
  const placed = Array.from(places, (place) => place)
    .reverse()
    .map((place) => (place === '0' ? (left.pop() ?? '0') : place))
    .reverse();
  return [...left, ...placed].join('');
}

function duration(
  days: number,
  { unit, hasSmaller, hasSeconds }: Extract<NumberForm, { readonly kind: 'duration' }>,
): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60)];
  const two = (count: number): string => String(count % 60).padStart(2, '0');
  const shown = {
    h: [String(hours), ...(hasSmaller ? [two(minutes)] : []), ...(hasSeconds ? [two(seconds)] : [])],
    m: [String(minutes), ...(hasSeconds ? [two(seconds)] : [])],
    s: [String(seconds)],
  }[unit];
  return `${days < 0 ? '-' : ''}${shown.join(':')}`;
}
