import { RAGError } from '../../core/errors.js';

/** What `asOf` means: a moment, in milliseconds since 1970 (the beginning of a day where no time was stated), or the name of a state of a source. */
export type AsOf = { readonly moment: number; readonly isDay?: true } | { readonly name: string };

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** Says that what follows is a name, whatever it looks like. */
const NAME_PREFIX = 'tag:';

/**
 * Reads `asOf`: a date (`2026-03-01`, its beginning in UTC), a time with its zone (ISO-8601), else a tag.
 *
 * @throws RAGError `QUERY_INVALID` for what is neither, and for a time without a zone
 */
export function readAsOf(asOf: string | Date): AsOf {
  if (asOf instanceof Date) return { moment: validMoment(asOf.getTime(), String(asOf)) };
  const text = asOf.trim();
  if (text.startsWith(NAME_PREFIX)) return named(text.slice(NAME_PREFIX.length), asOf);
  if (DATE.test(text)) return { moment: dayOf(text, asOf), isDay: true };
  const time = TIME.exec(text);
  if (time === null) return named(text, asOf);
  if (time[1] === undefined)
    throw invalid(`"${asOf}" says no time zone. Write 2026-03-01T12:00:00Z, or +02:00 in place of Z.`);
  dayOf(text.slice(0, DAY_LENGTH), asOf);
  // The parser takes 24:00, and means the next day.
  if (text.slice(DAY_LENGTH + 1).startsWith('24')) throw notADate(asOf);
  return { moment: validMoment(Date.parse(text.replace(' ', 'T')), asOf) };
}

function named(name: string, asOf: string): AsOf {
  if (name === '') throw invalid(`${JSON.stringify(asOf)} is empty. ${EXPECTED}`);
  return { name };
}

/** The beginning of a day in UTC. A day that no month has is moved on by the parser, so that it is compared. */
function dayOf(day: string, given: string): number {
  const moment = validMoment(Date.parse(`${day}T00:00:00.000Z`), given);
  if (new Date(moment).toISOString().startsWith(day)) return moment;
  throw notADate(given);
}

function validMoment(moment: number, given: string): number {
  if (Number.isNaN(moment)) throw notADate(given);
  return moment;
}

const EXPECTED =
  'State a date (2026-03-01), a time with its zone (2026-03-01T12:00:00Z), or a tag of a Git source (v1.2, or tag:NAME).';

const notADate = (given: string): RAGError => invalid(`"${given}" is no date. ${EXPECTED}`);

const invalid = (message: string): RAGError =>
  new RAGError('QUERY_INVALID', `asOf: ${message}`, { details: { key: 'asOf' } });
