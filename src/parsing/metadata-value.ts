import type { MetadataValue } from '../core/metadata.js';

/** Deeper values are left out: no filter reaches them, and a hostile document could nest without end. */
export const MAX_METADATA_DEPTH = 32;

export interface ConversionOptions {
  /** Called where a value is left out for its depth. */
  readonly onTooDeep?: () => void;
}

/**
 * Any parsed value as JSON: dates become ISO-8601 UTC strings; what JSON cannot hold (functions, symbols, numbers that
 * are not finite) and what is nested too deep is left out.
 */
export function toMetadataValue(
  value: unknown,
  options: ConversionOptions = {},
  depth = 0,
): MetadataValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value !== 'object') return undefined;
  if (depth >= MAX_METADATA_DEPTH) {
    options.onTooDeep?.();
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const converted = toMetadataValue(item, options, depth + 1);
      return converted === undefined ? [] : [converted];
    });
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const converted = toMetadataValue(item, options, depth + 1);
      return converted === undefined ? [] : [[key, converted]];
    }),
  );
}
