/** Characters that turn the order of a text or are seen by nobody: what a document holds of them is named. */
const HIDDEN = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A text of a document as it may be shown: nothing in it turns round what stands beside it. */
export const shown = (text: string): string =>
  text.replace(HIDDEN, (mark) =>
    mark === '\r' ? '' : `\u27e8U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`,
  );

const STEPS: readonly (readonly [most: number, of: number, unit: string])[] = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [30 * 86_400, 86_400, 'd'],
  [365 * 86_400, 30 * 86_400, 'mo'],
  [Number.POSITIVE_INFINITY, 365 * 86_400, 'y'],
];

/** `3 h ago`; nothing for what is no time. */
export function ageOf(time: string | undefined, now: number): string {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return '';
  const seconds = Math.round(Math.abs(now - at) / 1_000);
  if (seconds < 5) return 'now';
  const [, of, unit] = STEPS.find(([most]) => seconds < most) ?? [0, 1, 's'];
  const words = `${Math.floor(seconds / of)} ${unit}`;
  return at > now ? `in ${words}` : `${words} ago`;
}

/** `2026-11-28 16:38`, in the reader's zone. */
export function timeOf(time: string | undefined): string {
  const at = new Date(time ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const countOf = (value: number): string => value.toLocaleString('en');

/** `1 passage`, `2 passages`. */
export const several = (count: number, one: string, many = `${one}s`): string =>
  `${countOf(count)} ${count === 1 ? one : many}`;

export const millisecondsOf = (value: number): string =>
  value < 9.95
    ? `${value.toFixed(1)} ms`
    : value < 999.5
      ? `${Math.round(value)} ms`
      : `${(value / 1_000).toFixed(1)} s`;

/** `18-22` or `18`. */
export const rangeOf = ({ start, end }: { readonly start: number; readonly end: number }): string =>
  start === end ? String(start) : `${start}-${end}`;
