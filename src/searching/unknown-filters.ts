import { neutraliseLine } from '../context/neutralise.js';
import type { StoredChunk } from '../core/chunk.js';
import { ENGINE_KEYS } from '../core/chunk-metadata.js';
import { isTagField } from '../core/document-tags.js';
import { and, contains, eq, exists, type Filter, lookupPath, not, oneOf, or } from '../core/filter.js';
import type { MetadataScalar } from '../core/metadata.js';
import { UNREAD_FIELD } from '../core/unread.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { SearchQuery } from '../operations/engine.js';
import type { ListPage, VectorCollection } from '../stores/vector-store.js';
import { metadataFilters, searchFilter } from './search-filter.js';

/** Names that are listed beside one that nothing has. */
const MOST_NAMES = 12;
/** Characters of a name that are shown: a document says its own type, and may say anything. */
const LONGEST_NAME = 60;

const shown = (names: readonly string[]): string =>
  names.map((name) => neutraliseLine(name.slice(0, LONGEST_NAME))).join(', ');

const thereAre = (names: readonly string[], isAll: boolean): string =>
  `there ${names.length === 1 ? 'is' : 'are'} ${shown(names)}${isAll ? '' : ' and others'}`;

interface NamedField {
  readonly words: string;
  readonly field: string;
  readonly of: (chunk: StoredChunk) => unknown;
}

const SOURCE: NamedField = { words: 'source', field: '$source', of: ({ source }) => source };
const SOURCE_TYPE: NamedField = {
  words: 'source type',
  field: 'sourceType',
  of: ({ metadata }) => metadata.sourceType,
};

/**
 * Why filters let nothing through, in words. Names are taken from the collection as its scope sees it, so that nobody learns of a
 * source that is not theirs.
 */
export async function describeEmptyFilters(query: SearchQuery, scoped: VectorCollection): Promise<string> {
  const { filters, signal } = query;
  const unknown = [
    await describeUnknown(SOURCE, filters?.source, scoped, signal),
    await describeUnknown(SOURCE_TYPE, filters?.sourceType, scoped, signal),
    ...(await describeUnknownFields(query, scoped)),
  ].filter((text) => text !== undefined);
  return unknown.length > 0
    ? unknown.join(' ')
    : 'No indexed passage passes the filters: check their values, or leave some out.';
}

/** Fields of the filters that no document has, and of the others the values that none has; each field once. */
async function describeUnknownFields(
  query: SearchQuery,
  scoped: VectorCollection,
): Promise<readonly string[]> {
  const wanted = new Map<string, MetadataScalar[]>();
  for (const { field, values } of comparisonsOf(metadataFilters(query)))
    wanted.set(field, [...(wanted.get(field) ?? []), ...values]);
  const said: string[] = [];
  for (const [field, values] of wanted) {
    const isThere = isTagField(field) || (await scoped.count(exists(field), query.signal)) > 0;
    const text = isThere
      ? await describeUnknownValues(field, [...new Set(values)], scoped, query.signal)
      : await describeUnknownField(field, scoped, query.signal);
    if (text !== undefined) said.push(text);
  }
  return said;
}

interface Compared {
  readonly field: string;
  readonly values: readonly MetadataScalar[];
}

/** Fields of metadata that a filter compares with values, outside of negations. */
function comparisonsOf(filter: Filter): Compared[] {
  if (filter.op === 'and' || filter.op === 'or') return filter.filters.flatMap(comparisonsOf);
  if (filter.op === 'not' || filter.field.startsWith('$')) return [];
  if (filter.op === 'in') return [{ field: filter.field, values: filter.values }];
  if (filter.op === 'eq' || filter.op === 'contains')
    return [{ field: filter.field, values: [filter.value] }];
  return [{ field: filter.field, values: [] }];
}

async function describeUnknownField(
  field: string,
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const names = new Set<string>();
  // A page of each kind of document: each question leaves out what has a field that is known.
  for (let page = 0; page < MOST_LOOKS && names.size < MOST_NAMES; page++) {
    const { chunks } = await scoped.list({
      filter: and(...[...names].map((name) => not(exists(name)))),
      limit: LOOKED_AT,
      ...withoutUndefined({ signal }),
    });
    const before = names.size;
    for (const { metadata } of chunks)
      for (const name of Object.keys(metadata)) if (isOfDocument(name)) names.add(name);
    if (names.size === before) break;
  }
  if (names.size === 0) return `No document has a field ${shown([field])}.`;
  const known = [...names].sort().slice(0, MOST_NAMES);
  return `No document has a field ${shown([field])}; ${thereAre(known, names.size === known.length)}.`;
}

/** Chunks that are looked at for their fields, and how often. */
const LOOKED_AT = 100;
const MOST_LOOKS = 5;

/** What a document states, and neither the engine nor its source writes. */
const isOfDocument = (name: string): boolean => !ENGINE_KEYS.has(name) && !OF_SOURCES.has(name);
const OF_SOURCES: ReadonlySet<string> = new Set(['documentId', 'source', 'sourceType', 'url']);

async function describeUnknownValues(
  field: string,
  wanted: readonly MetadataScalar[],
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const held = or(...wanted.flatMap((value) => [eq(field, value), contains(field, value)]));
  if (wanted.length === 0 || (await scoped.count(searchFilter({ filter: held }), signal)) > 0)
    return undefined;
  const { names, isAll } =
    field === UNREAD_FIELD ? await unreadKinds(scoped, signal) : await valuesOf(field, scoped, signal);
  const asked = wanted.map(String);
  const isAlike = (name: string): boolean => asked.some((each) => isInAnotherCase(each, name));
  // What was meant is among those that are listed.
  const ordered = [...names.filter(isAlike), ...names.filter((name) => !isAlike(name))];
  const listed = ordered.slice(0, MOST_NAMES);
  const there = listed.length === 0 ? '' : `; ${thereAre(listed, isAll && listed.length === names.length)}`;
  const reason = names.some(isAlike) ? ' (capitals count)' : '';
  return `No document has ${shown([field])} ${shown([...new Set(asked)])}${reason}${there}.`;
}

const isInAnotherCase = (left: string, right: string): boolean =>
  left !== right && left.toLowerCase() === right.toLowerCase();

/** Values of a field, and of lists in it. Pages leave out single values that are known; lists may hold others beside those. */
async function valuesOf(
  field: string,
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  const single = new Set<MetadataScalar>();
  const listed = new Set<MetadataScalar>();
  const named = (): string[] => [...new Set([...single, ...listed].map(String))].sort();
  let page: ListPage | undefined;
  let known: readonly MetadataScalar[] = [];
  for (let look = 0; look < MOST_LOOKS; look++) {
    const isNext = single.size === known.length;
    known = [...single];
    page = await scoped.list({
      filter: and(exists(field), ...known.map((value) => not(eq(field, value)))),
      limit: LOOKED_AT,
      ...(isNext && page?.cursor !== undefined ? { cursor: page.cursor } : {}),
      ...withoutUndefined({ signal }),
    });
    for (const { metadata } of page.chunks) {
      const value = lookupPath(metadata, field);
      if (isScalar(value)) single.add(value);
      if (Array.isArray(value)) for (const item of value) if (isScalar(item)) listed.add(item);
    }
    if (page.cursor === undefined) return { names: named(), isAll: true };
  }
  return { names: named(), isAll: false };
}

const isScalar = (value: unknown): value is MetadataScalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** What documents hold that was not read. */
async function unreadKinds(
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  const kinds = new Set<string>();
  while (kinds.size < MOST_NAMES) {
    const before = kinds.size;
    const { chunks } = await scoped.list({
      filter: and(exists(UNREAD_FIELD), ...[...kinds].map((kind) => not(exists(`${UNREAD_FIELD}.${kind}`)))),
      limit: 1,
      ...withoutUndefined({ signal }),
    });
    for (const kind of Object.keys(chunks[0]?.metadata[UNREAD_FIELD] ?? {})) kinds.add(kind);
    if (kinds.size === before) return { names: [...kinds].sort(), isAll: true };
  }
  return { names: [...kinds].sort(), isAll: false };
}

async function describeUnknown(
  named: NamedField,
  wanted: readonly string[] | undefined,
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (wanted === undefined || wanted.length === 0) return undefined;
  if ((await scoped.count(oneOf(named.field, wanted), signal)) > 0) return undefined;
  const { names, isAll } = await namesOf(named, scoped, signal);
  if (names.length === 0) return undefined;
  return `There is no ${named.words} ${shown(wanted)}; ${thereAre(names, isAll)}.`;
}

/** The values of a field, one by one: each question leaves out what is known, so that few records are read. */
async function namesOf(
  { field, of }: NamedField,
  scoped: VectorCollection,
  signal: AbortSignal | undefined,
): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  const names: string[] = [];
  while (names.length < MOST_NAMES) {
    const { chunks } = await scoped.list({
      filter: not(oneOf(field, names)),
      limit: 1,
      ...withoutUndefined({ signal }),
    });
    const name = chunks[0] === undefined ? undefined : of(chunks[0]);
    if (typeof name !== 'string' || names.includes(name)) return { names: names.sort(), isAll: true };
    names.push(name);
  }
  return { names: names.sort(), isAll: false };
}
