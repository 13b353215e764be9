/** `1,234,567` */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');

/** `1 document`, `2 documents` */
export const plural = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `840 ms`, `3.2 s`, `4 min 5 s` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `512 B`, `1.4 MB`; powers of 1000. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? ''}`;
}

// C0 and C1 control characters: a document must not be able to steer the terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text of a document or a path, safe to print: without control characters, on one line. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(CONTROL, '').trim();

/** Text of a document, safe to print, its lines kept. */
export const withoutControls = (text: string): string => text.replaceAll('\t', '  ').replaceAll(CONTROL, '');
