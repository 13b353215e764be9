import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineView, IndexedDocument, ListRequest } from '../../../index.js';

/** Documents on a page, and those that are counted: some 100 ms a thousand. */
const PAGE = 1_000;
const MOST_DOCUMENTS = 10_000;
const MOST_FIELDS = 50;
/** A field with more of them, or with hardly one twice, tells documents apart and narrows nothing. */
const MOST_VALUES = 1_000;
const MOST_CHARACTERS = 200;

/** Every document that a view lists. */
export async function* everyDocument(
  view: EngineView,
  { filters, signal }: Pick<ListRequest, 'filters'> & { readonly signal: AbortSignal },
): AsyncGenerator<IndexedDocument> {
  // Others are answered between the pages, which an embedded index reads in one turn each.
  for (let cursor: string | undefined; ; await nextTurn()) {
    signal.throwIfAborted();
    const page = await view.list({ filters, cursor, limit: PAGE });
    yield* page.documents;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}

type Value = string | number | boolean;

class Counts {
  readonly #byValue = new Map<Value, number>();

  add(value: Value): void {
    // One more than there may be, so that it shows.
    if (this.#byValue.size <= MOST_VALUES || this.#byValue.has(value))
      this.#byValue.set(value, (this.#byValue.get(value) ?? 0) + 1);
  }

  /** Most frequent first, then by their names. */
  first(limit: number): { readonly value: Value; readonly count: number }[] {
    return [...this.#byValue]
      .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (String(a) < String(b) ? -1 : 1))
      .slice(0, limit)
      .map(([value, count]) => ({ value, count }));
  }

  get total(): number {
    return [...this.#byValue.values()].reduce((sum, count) => sum + count, 0);
  }

  get size(): number {
    return this.#byValue.size;
  }

  get narrows(): boolean {
    return this.size <= Math.min(MOST_VALUES, 1 + this.total / 2);
  }
}

/** How many documents that the caller may read have each value of the fields by which searches are filtered. */
export async function countFacets(
  view: EngineView,
  {
    limit,
    ...asked
  }: Pick<ListRequest, 'filters'> & { readonly limit: number; readonly signal: AbortSignal },
) {
  const [sources, types, tags] = [new Counts(), new Counts(), new Counts()];
  const fields = new Map<string, Counts>();
  let documents = 0;
  let isWhole = true;
  for await (const { source, sourceType, metadata } of everyDocument(view, asked)) {
    if (documents === MOST_DOCUMENTS) {
      isWhole = false;
      break;
    }
    documents += 1;
    sources.add(source);
    types.add(sourceType);
    for (const [name, stated] of Object.entries(metadata)) {
      if (name === 'sourceType') continue;
      const counts = name === 'tags' ? tags : (fields.get(name) ?? new Counts());
      if (name !== 'tags') fields.set(name, counts);
      for (const value of new Set(Array.isArray(stated) ? (stated as readonly unknown[]) : [stated]))
        if (isCounted(value)) counts.add(value);
    }
  }
  return {
    documents,
    isWhole,
    sources: sources.first(limit),
    documentTypes: types.first(limit),
    tags: tags.first(limit),
    fields: [...fields]
      .filter(([, counts]) => counts.narrows)
      .sort(([, a], [, b]) => b.total - a.total)
      .slice(0, MOST_FIELDS)
      .map(([name, counts]) => {
        const values = counts.first(limit);
        return { name, values, more: counts.size - values.length };
      }),
  };
}

const isCounted = (value: unknown): value is Value =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS);
