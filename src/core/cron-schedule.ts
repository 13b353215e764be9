import { Cron } from 'croner';

/** A cron expression of five fields: minute, hour, day of month, month, day of week; or `@daily` and its like. */
export interface CronSchedule {
  readonly expression: string;
  /** IANA name, such as `Europe/Berlin`. @default that of the machine */
  readonly timezone?: string | undefined;
}

/** No schedule is asked for a turn before: when a year of it is known not to come, it never comes. */
const SOME_DAY = Date.UTC(2024, 0, 1);
const EXAMPLE = '"0 2 * * *" (every day at 2:00) or "*/15 * * * *" (every 15 minutes)';
const FIELDS = 'minute, hour, day of month, month and day of week';

/** Why an expression is none, in words that name an example; undefined where it is one. */
export function problemOfSchedule(expression: string): string | undefined {
  try {
    if (nextTurn({ expression, timezone: 'UTC' }, SOME_DAY) !== undefined) return undefined;
    return `names a time that never comes; write ${FIELDS}, such as ${EXAMPLE}`;
  } catch (error) {
    return `must be a cron expression (${FIELDS}), such as ${EXAMPLE}${detailOf(error)}`;
  }
}

/** What the library says of the field that is wrong. */
const detailOf = (error: unknown): string => {
  const field = error instanceof Error ? /Invalid value for (\w+): (\S+)/.exec(error.message) : null;
  return field === null ? '' : `; "${field[2]}" is no ${NAMES[field[1] ?? ''] ?? field[1]}`;
};

const NAMES: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of the month',
  day: 'day of the month',
  dayOfWeek: 'day of the week',
};

/** Whether the machine knows a time zone of this name. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * The first turn after a moment (milliseconds since 1970); undefined where none comes. A turn in an hour that the clocks leave out
 * comes right after it, and one in an hour that comes twice comes in the first of both.
 */
export function nextTurn({ expression, timezone }: CronSchedule, after: number): number | undefined {
  // It computes moments alone and is never started: callers have a clock and timers of their own.
  const cron = new Cron(expression, {
    mode: '5-part',
    paused: true,
    ...(timezone === undefined ? {} : { timezone }),
  });
  return cron.nextRun(new Date(after))?.getTime();
}
