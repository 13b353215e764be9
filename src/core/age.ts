const DAY_MS = 24 * 3_600_000;
const DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, y: 365 };

/** Milliseconds of an age as settings state it: `90d`, `13w`, `1y`. */
export function ageMs(stated: string): number {
  const [, count = '0', unit = 'd'] = /^(\d+)([dwy])$/.exec(stated) ?? [];
  return Number(count) * (DAYS[unit] ?? 1) * DAY_MS;
}
