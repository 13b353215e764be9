import { neutraliseLine } from '../context/neutralise.js';
import type { StoredChunk } from '../core/chunk.js';
import { not, oneOf } from '../core/filter.js';
import type { SearchQuery } from '../engine/engine.js';
import type { VectorCollection } from '../stores/vector-store.js';

/** Names that are listed beside one that nothing has. */
const MOST_NAMES = 12;
/** Characters of a name that are shown: a document says its own type, and may say anything. */
const LONGEST_NAME = 60;

const shown = (names: readonly string[]): string =>
  names.map((name) => neutraliseLine(name.slice(0, LONGEST_NAME))).join(', ');

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
export async function describeEmptyFilters(
  { filters, signal }: SearchQuery,
  scoped: VectorCollection,
): Promise<string> {
  const unknown = [
    await describeUnknown(SOURCE, filters?.source, scoped, signal),
    await describeUnknown(SOURCE_TYPE, filters?.sourceType, scoped, signal),
  ].filter((text) => text !== undefined);
  return unknown.length > 0
    ? unknown.join(' ')
    : 'No indexed passage passes the filters: check their values, or leave some out.';
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
  const there = `${names.length === 1 ? 'there is' : 'there are'} ${shown(names)}${isAll ? '' : ' and others'}`;
  return `There is no ${named.words} ${shown(wanted)}; ${there}.`;
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
      ...(signal === undefined ? {} : { signal }),
    });
    const name = chunks[0] === undefined ? undefined : of(chunks[0]);
    if (typeof name !== 'string' || names.includes(name)) return { names: names.sort(), isAll: true };
    names.push(name);
  }
  return { names: names.sort(), isAll: false };
}
