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
