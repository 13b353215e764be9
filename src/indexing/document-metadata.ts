import { writtenForms } from '../core/analysis/lexical-analyzer.js';
import { foldCase, normaliseText } from '../core/analysis/normalise.js';
import { ENGINE_KEYS } from '../core/chunk-metadata.js';
import { CHANGED_FIELDS, MADE_FIELDS, plainDateName } from '../core/date-fields.js';
import type { Block, ParsedDocument, RawDocument } from '../core/document.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import { momentOf } from '../core/moment.js';
import { withoutUndefined } from '../core/without-undefined.js';

/** Metadata as it may be stored, and what was left out of it, in words for the user. */
export interface GatedMetadata {
  readonly metadata: Metadata;
  readonly warnings: readonly string[];
}

/** Names that reach the prototype of an object where somebody copies metadata key by key. */
const OF_PROTOTYPES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Where a person who follows a citation may be sent. */
const LINKED: ReadonlySet<string> = new Set(['http:', 'https:']);
const MOST_NAMES = 5;

/**
 * The one way by which what documents, servers and callers say of a document becomes metadata: front matter, fields, pushed
 * facts. What the engine writes itself cannot be set (`redactions`, `unread`, `gap`, and every name that begins with `$`, which names
 * system fields), nor what reaches a prototype; `url` is an address of the web or left out.
 */
export function gateMetadata(stated: Metadata): GatedMetadata {
  const refused = new Set<string>();
  const { url, ...rest } = withoutPrototypes(wellFormedMetadata(stated), refused);
  const entries = Object.entries(rest).filter(([key]) => {
    const isOurs = ENGINE_KEYS.has(key) || key.startsWith('$');
    if (isOurs) refused.add(key);
    return !isOurs;
  });
  const isLinked = isWebAddress(url);
  return {
    metadata: { ...Object.fromEntries(entries), ...(isLinked ? { url } : {}) },
    warnings: [
      ...(refused.size === 0 ? [] : [namesRefused([...refused])]),
      ...(url === undefined || url === null || isLinked ? [] : [URL_REFUSED]),
    ],
  };
}

function withoutPrototypes(metadata: Metadata, refused: Set<string>): Record<string, MetadataValue> {
  const entries = Object.entries(metadata).filter(([key]) => {
    const isRefused = OF_PROTOTYPES.has(key);
    if (isRefused) refused.add(key);
    return !isRefused;
  });
  return Object.fromEntries(entries.map(([key, value]) => [key, cleaned(value, refused)]));
}

function cleaned(value: MetadataValue, refused: Set<string>): MetadataValue {
  if (Array.isArray(value)) return value.map((item: MetadataValue) => cleaned(item, refused));
  return typeof value === 'object' && value !== null ? withoutPrototypes(value as Metadata, refused) : value;
}

function isWebAddress(value: MetadataValue | undefined): value is string {
  return typeof value === 'string' && URL.canParse(value) && LINKED.has(new URL(value).protocol);
}

function namesRefused(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, 40)));
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `Metadata that only Ragstone sets was left out: ${shown.join(', ')}${more}. Rename the fields to keep them.`;
}

const URL_REFUSED = 'The address in `url` was left out: it is no complete http or https address.';

/**
 * A parsed document without half surrogate pairs, which JSON can smuggle in and no store can keep: each becomes U+FFFD. Both
 * are one UTF-16 unit, so no offset moves.
 */
export function wellFormed(document: ParsedDocument): ParsedDocument {
  const repaired: ParsedDocument = {
    ...document,
    text: document.text.toWellFormed(),
    ...(document.title === undefined ? {} : { title: document.title.toWellFormed() }),
    metadata: wellFormedMetadata(document.metadata),
  };
  if (repaired.text === document.text) return repaired;
  const warning = 'Characters that are half of a surrogate pair were replaced by U+FFFD.';
  return {
    ...repaired,
    blocks: document.blocks.map(wellFormedBlock),
    warnings: [...document.warnings, warning],
  };
}

const wellFormedBlock = (block: Block): Block => ({
  ...block,
  ...(block.label === undefined ? {} : { label: block.label.toWellFormed() }),
  ...(block.context === undefined ? {} : { context: block.context.toWellFormed() }),
});

/** The same for keys and values of metadata. */
function wellFormedMetadata(metadata: Metadata): Metadata {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key.toWellFormed(), wellFormedValue(value)]),
  );
}

function wellFormedValue(value: MetadataValue): MetadataValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedValue);
  return typeof value === 'object' && value !== null ? wellFormedMetadata(value as Metadata) : value;
}

const dateOf = (value: unknown): string | undefined => {
  // YAML takes `20130303` for a number.
  if (typeof value === 'number') return momentOf(isoDayOf(String(value)));
  return typeof value === 'string' ? (momentOf(value) ?? momentOf(isoDayOf(value))) : undefined;
};

/** `2024/5/1`, `2024-5-1`, `2024年5月1日`. */
const YEAR_FIRST = /^(\d{4})[-/.年] ?(\d{1,2})[-/.月] ?(\d{1,2})日?$/;
/** `20240501`. */
const WITHOUT_SIGNS = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
/** `1.5.2024`, the one order in which dots are written. */
const WITH_DOTS = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/;
/** `1 May 2024`, `Wed, 01 May 2024 10:00:00 GMT`, `1. Mai 2024`, `1er mai 2024`, `1 de mayo de 2024`. */
const DAY_FIRST =
  /^(?:\p{L}{2,12}\.?,? (?:den )?)?(\d{1,2})(?:st|nd|rd|th|er|[.º°])?[ -](?:de )?(\p{L}{3,12})\.?,?[ -](?:de )?(\d{4})(?!\p{N})/iu;
/** `May 1, 2024`. */
const MONTH_FIRST = /^(?:\p{L}{3,12},? )?(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\p{N})/iu;

/** The day that people write, as `2024-05-01`; what could be two days (`5/1/2024`) is none. */
function isoDayOf(value: string): string | undefined {
  const text = value.trim();
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? WITHOUT_SIGNS.exec(text) ?? [];
  if (year !== undefined) return isoDay(year, Number(month), day);
  const dotted = WITH_DOTS.exec(text);
  if (dotted !== null) return isoDay(dotted[3], Number(dotted[2]), dotted[1]);
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) return isoDay(dayFirst[3], monthOf(dayFirst[2]), dayFirst[1]);
  const monthFirst = MONTH_FIRST.exec(text);
  return monthFirst === null ? undefined : isoDay(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2]);
}

const monthOf = (name = ''): number => monthNames().get(foldCase(normaliseText(name))) ?? 0;

/** Languages in which months are read. */
const LANGUAGES = ['en-US', 'en-GB', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'nb', 'pl', 'cs', 'ru'];

let names: ReadonlyMap<string, number> | undefined;

/** Months by their names and abbreviations, as CLDR has them; a name of two months is none. */
function monthNames(): ReadonlyMap<string, number> {
  if (names !== undefined) return names;
  const found = new Map<string, number>();
  for (const language of LANGUAGES)
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month++) {
        const parts = format.formatToParts(Date.UTC(2024, month - 1, 15));
        const name = parts.find(({ type }) => type === 'month')?.value.replace(/\.$/, '') ?? '';
        for (const form of writtenForms(name))
          found.set(form, (found.get(form) ?? month) === month ? month : 0);
      }
    }
  names = found;
  return found;
}

/** Undefined where there is no such day. */
function isoDay(year: string | undefined, month: number, day: string | undefined): string | undefined {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return momentOf(text)?.startsWith(text) === true ? text : undefined;
}

/** Dates of several kinds under one name: `date: { created, updated }`. What stands at the top comes before them. */
const membersOfDate = ({ date }: ParsedDocument['metadata']): [string, unknown][] =>
  typeof date === 'object' && date !== null && !Array.isArray(date) ? Object.entries(date) : [];

type Dates = Pick<RawDocument, 'createdAt' | 'updatedAt'>;

/**
 * When a document was made and changed, ISO-8601 UTC. What its text states comes before the times of a file, which are those of a copy, and
 * behind the dates of a system that keeps them.
 */
export function documentDates(raw: RawDocument, { metadata }: Pick<ParsedDocument, 'metadata'>): Dates {
  const fields = new Map(
    [...membersOfDate(metadata), ...Object.entries(metadata)].map(([name, value]) => [
      plainDateName(name),
      value,
    ]),
  );
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => dateOf(fields.get(name))).find((moment) => moment !== undefined);
  const stated = { createdAt: first(MADE_FIELDS), updatedAt: first(CHANGED_FIELDS) };
  const [before, behind] = raw.isDatedByFile === true ? [stated, raw] : [raw, stated];
  const createdAt = before.createdAt ?? behind.createdAt;
  const updatedAt = before.updatedAt ?? behind.updatedAt;
  return withoutUndefined({ createdAt, updatedAt });
}
