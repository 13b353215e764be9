import type { MetadataValue } from '../../core/metadata.js';

/**
 * A database value as JSON can hold it: dates in ISO-8601 UTC, numbers that a double holds exactly as numbers and others as
 * text, bytes not at all.
 */
export function jsonValueOf(value: unknown): MetadataValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return exactNumber(value.toString());
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value)) return value.map((member) => jsonValueOf(member) ?? null);
  if (value instanceof Uint8Array || value instanceof ArrayBuffer || typeof value !== 'object')
    return undefined;
  const members = Object.entries(value).flatMap(([key, member]): [string, MetadataValue][] => {
    const json = jsonValueOf(member);
    return json === undefined ? [] : [[key, json]];
  });
  return Object.fromEntries(members);
}

/** A decimal as a number where nothing of it is lost, else as it is written. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return String(number) === plain ? number : text;
}

/** Seconds since 1970 stay below this until the year 5138; milliseconds are above it since 1973. */
const MOST_SECONDS = 1e11;
const SQL_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * A moment as ISO-8601 UTC: of a date, of a text such as `2024-05-01 10:00:00` (UTC where it names no zone, as SQLite and
 * PostgreSQL's `timestamp` have none), of seconds or milliseconds since 1970. Undefined for what is no moment.
 */
export function momentOf(value: unknown): string | undefined {
  const plain = typeof value === 'bigint' ? Number(value) : value;
  if (plain instanceof Date) return isoOf(plain);
  if (typeof plain === 'number')
    return isoOf(new Date(Math.abs(plain) < MOST_SECONDS ? plain * 1000 : plain));
  if (typeof plain !== 'string') return undefined;
  const [, day, time = '00:00:00', zone = 'Z'] = SQL_TIME.exec(plain.trim()) ?? [];
  if (day === undefined) return undefined;
  return isoOf(
    new Date(`${day}T${time.length === 5 ? `${time}:00` : time}${zone.length === 3 ? `${zone}:00` : zone}`),
  );
}

const isoOf = (date: Date): string | undefined =>
  Number.isNaN(date.getTime()) ? undefined : date.toISOString();
