import { formatCount } from '../../../core/format-count.js';

export { formatCount };

/** `1 document`, `2 documents` */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : nouns}`;

/** `840 ms`, `3.2 s`, `4 min 5 s` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `2026-01-31 09:30 UTC`, of an ISO-8601 time in UTC. */
export const formatTime = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `512 B`, `1.4 MB`; powers of 1000. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? ''}`;
}

/** Text of a document or a path on one line. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Text of a document, its lines kept, its tabs of the same width in every terminal. */
export const withoutTabs = (text: string): string => text.replaceAll('\t', '  ');
