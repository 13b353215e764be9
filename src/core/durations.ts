const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A number and its unit: `500ms`, `30s`, `15m`, `6h`, `7d`. */
export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)\s?(ms|s|m|h|d)$/;

/** Milliseconds of a text that `DURATION` accepts; `never` is without end. */
export function durationMs(text: string): number {
  if (text === 'never') return Infinity;
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
}
