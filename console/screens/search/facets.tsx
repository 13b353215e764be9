import { useMemo } from 'preact/hooks';
import type { FacetsResponse } from 'ragstone/client';
import { type Address, allOf, firstOf, withQuery } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, shown } from '../../text/shown.js';
import { FIELD, hasFilters, searchOf, withoutFilters, writeField } from './search-request.js';

interface Value {
  /** As it stands in the address. */
  readonly value: string;
  readonly count: number;
}

/** What the index holds, to narrow a search by it. On narrow screens it is closed until it is wanted. */
export function Facets({ address }: { address: Address }) {
  const groups = useFacets();
  const isNarrow = matchMedia('(max-width: 1100px)').matches;
  const body = (
    <>
      {groups.map(({ name, title, values }) => (
        <FacetGroup key={name} name={name} title={title} values={values} address={address} />
      ))}
      <Changed address={address} />
      {hasFilters(searchOf(address)) ? (
        <p class="facet">
          <button type="button" class="button" onClick={() => go(withoutFilters(address))}>
            Clear the filters
          </button>
        </p>
      ) : null}
    </>
  );
  return (
    <section class="facets" aria-label="Filters">
      {isNarrow ? (
        <details open={hasFilters(searchOf(address))}>
          <summary class="button">Filters</summary>
          {body}
        </details>
      ) : (
        body
      )}
    </section>
  );
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly values: readonly Value[];
}

/** Fields of metadata that are offered; the most used come first. */
const MOST_FIELDS = 4;

function useFacets(): readonly Group[] {
  const { client } = useSession();
  const { value } = useLoad('facets', (signal) => client.facets({}, { signal }));
  return useMemo(() => (value === undefined ? [] : groupsOf(value)), [value]);
}

/** Values that hardly any two documents share narrow nothing. */
function narrows(values: FacetsResponse['tags']): boolean {
  const documents = values.reduce((sum, { count }) => sum + count, 0);
  return values.length > 1 && documents >= 2 * values.length;
}

function groupsOf({ documentTypes, sources, tags, fields }: FacetsResponse): Group[] {
  const allOf = (values: FacetsResponse['tags']): Value[] =>
    values.map(({ value, count }) => ({ value: String(value), count }));
  return [
    { name: 'type', title: 'Type', values: allOf(documentTypes) },
    { name: 'source', title: 'Source', values: allOf(sources) },
    { name: 'tag', title: 'Tag', values: allOf(tags) },
    ...fields
      .filter(({ name, values }) => narrows(values) && !/^title$|(?:At|[Dd]ate)$/.test(name))
      .slice(0, MOST_FIELDS)
      .map(({ name, values }) => ({
        name: FIELD + name,
        title: name,
        values: values.map(({ value, count }) => ({ value: writeField(value), count })),
      })),
  ];
}

/** Shown before "more" is pressed. */
const FIRST = 8;

function FacetGroup({ name, title, values, address }: Group & { address: Address }) {
  const chosen = allOf(address, name);
  // What is chosen can be taken back, though nothing of it is there any more.
  const gone = chosen
    .filter((value) => !values.some((one) => one.value === value))
    .map((value) => ({ value, count: 0 }));
  const all = [...values].sort((left, right) => right.count - left.count).concat(gone);
  if (all.length === 0) return null;
  const toggle = (value: string): void => {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    go(withQuery(address, { [name]: next }));
  };
  const row = ({ value, count }: Value) => (
    <label key={value} title={shown(value)}>
      <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
      <span>
        <bdi>{shown(shortOf(value))}</bdi>
      </span>
      <span class="number quiet count">{countOf(count)}</span>
    </label>
  );
  return (
    <fieldset class="facet">
      <legend>{shown(title)}</legend>
      {all.slice(0, FIRST).map(row)}
      {all.length <= FIRST ? null : (
        <details>
          <summary class="quiet">{all.length - FIRST} more</summary>
          {all.slice(FIRST).map(row)}
        </details>
      )}
    </fieldset>
  );
}

/** The end of a long name tells the most. */
const LONGEST = 26;
function shortOf(value: string): string {
  if (value.length <= LONGEST) return value;
  const end = value.slice(1 - LONGEST);
  const slash = end.indexOf('/');
  return `…${slash === -1 || slash === end.length - 1 ? end : end.slice(slash)}`;
}

const DAYS: readonly (readonly [days: number, words: string])[] = [
  [7, 'week'],
  [30, 'month'],
  [365, 'year'],
];
const DAY_MS = 86_400_000;

/** When documents were changed. */
function Changed({ address }: { address: Address }) {
  const set = (name: string) => (event: { currentTarget: HTMLInputElement }) =>
    go(withQuery(address, { [name]: [event.currentTarget.value] }));
  return (
    <fieldset class="facet">
      <legend>Changed</legend>
      <div class="row">
        {DAYS.map(([days, words]) => {
          const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
          const isOn = firstOf(address, 'since') === since && firstOf(address, 'until') === '';
          return (
            <button
              key={words}
              type="button"
              class="button"
              aria-pressed={isOn}
              title={`in the last ${words}`}
              onClick={() => go(withQuery(address, { since: isOn ? [] : [since], until: [] }))}
            >
              {words}
            </button>
          );
        })}
      </div>
      <label class="field">
        from
        <input class="input" type="date" value={firstOf(address, 'since')} onChange={set('since')} />
      </label>
      <label class="field">
        to
        <input class="input" type="date" value={firstOf(address, 'until')} onChange={set('until')} />
      </label>
    </fieldset>
  );
}
