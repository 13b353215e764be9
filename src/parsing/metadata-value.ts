import type { MetadataValue } from '../core/metadata.js';

/** Deeper values are dropped: no filter reaches them, and a hostile document could nest without end. */
const MAX_DEPTH = 32;

/**
 * Any parsed value as JSON: dates become ISO-8601 UTC strings; what JSON cannot hold (functions, symbols, numbers that
 * are not finite, values nested deeper than 32) is left out.
 */
export function toMetadataValue(value: unknown, depth = 0): MetadataValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const converted = toMetadataValue(item, depth + 1);
      return converted === undefined ? [] : [converted];
    });
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const converted = toMetadataValue(item, depth + 1);
      return converted === undefined ? [] : [[key, converted]];
    }),
  );
}
