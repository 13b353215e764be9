import { allOf, childOf, type XmlElement } from '../read-xml.js';

/** Built-in formats of dates and times (ECMA-376 part 1, 18.8.30). */
const DATE_FORMATS: ReadonlySet<number> = new Set([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52],
  ...[53, 54, 55, 56, 57, 58],
]);
const PERCENT_FORMATS: ReadonlySet<number> = new Set([9, 10]);

/** Longer formats say nothing of their numbers. */
const MAX_FORMAT_LENGTH = 1_000;

export type NumberForm = 'date' | 'percent' | 'number';

/** What the numbers of each cell style are, in the order of styles. */
export function numberForms(styles: XmlElement | undefined): NumberForm[] {
  if (styles === undefined) return [];
  const formats = new Map(
    allOf(styles, 'numFmt').map(({ attributes }) => [
      Number(attributes.numFmtId),
      formOfCode(attributes.formatCode ?? ''),
    ]),
  );
  const cells = childOf(styles, 'cellXfs');
  return (cells === undefined ? [] : allOf(cells, 'xf')).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0);
    return (
      formats.get(id) ?? (DATE_FORMATS.has(id) ? 'date' : PERCENT_FORMATS.has(id) ? 'percent' : 'number')
    );
  });
}

function formOfCode(code: string): NumberForm {
  if (code.length > MAX_FORMAT_LENGTH) return 'number';
  // Literal text, colours and currencies hold letters too.
  const signs = code.replace(/"[^"]*"|\[[^[\]]*\]|\\./g, '');
  return /[dmyhs]/i.test(signs) ? 'date' : signs.includes('%') ? 'percent' : 'number';
}

const DAY_MS = 86_400_000;
/** Day 0 of the two calendars of Excel, the first of which counts a 29 February 1900 that was none. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

/** A number as its cell shows it: dates as `2025-02-04` or `2025-02-04 10:30`, times as `10:30`, shares as `12.5%`. */
export function shownNumber(value: string, form: NumberForm, epoch: keyof typeof EPOCHS): string {
  const number = Number(value);
  if (value === '' || Number.isNaN(number)) return value;
  if (form === 'percent') return `${Number((number * 100).toPrecision(12))}%`;
  if (form === 'number') return String(Number(number.toPrecision(15)));
  const date = new Date(EPOCHS[epoch] + Math.round(number * 86_400) * 1_000);
  if (Number.isNaN(date.getTime()) || number < 0 || date.getTime() > EPOCHS[1900] + 2_958_466 * DAY_MS)
    return value;
  const [day = '', time = ''] = date.toISOString().slice(0, 16).split('T');
  if (number < 1) return time;
  return Number.isInteger(number) ? day : `${day} ${time}`;
}
