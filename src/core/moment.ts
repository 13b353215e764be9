/** Seconds since 1970 stay below this until the year 5138; milliseconds are above it since 1973. */
const MOST_SECONDS = 1e11;
const WRITTEN_TIME =
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
  const [, day, time = '00:00:00', zone = 'Z'] = WRITTEN_TIME.exec(plain.trim()) ?? [];
  // A date of February 30 would be one of March.
  if (day === undefined || isoOf(new Date(`${day}T00:00:00Z`))?.startsWith(day) !== true) return undefined;
  return isoOf(
    new Date(`${day}T${time.length === 5 ? `${time}:00` : time}${zone.length === 3 ? `${zone}:00` : zone}`),
  );
}

const isoOf = (date: Date): string | undefined =>
  Number.isNaN(date.getTime()) ? undefined : date.toISOString();
