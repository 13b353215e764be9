/** The screens, by their name in the address. */
export const SCREENS = [
  'search',
  'answer',
  'documents',
  'miss',
  'compare',
  'questions',
  'sources',
  'health',
] as const;
export type Screen = (typeof SCREENS)[number];

/** What is shown: a screen, one thing of it, and what was chosen there. It never holds a key. */
export interface Address {
  readonly screen: Screen;
  /** Of a document. */
  readonly id?: string | undefined;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Reads the part of an address behind `#`; what is unknown leads to the search. */
export function readAddress(hash: string): Address {
  const [path = '', query = ''] = split(hash.replace(/^#?\/?/, ''), '?');
  const [name = '', id = ''] = split(path, '/');
  const screen = SCREENS.find((one) => one === name) ?? 'search';
  const fields: Record<string, string[]> = {};
  for (const [key, value] of new URLSearchParams(query)) {
    const values = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (values === undefined) Object.defineProperty(fields, key, { value: [value], enumerable: true });
    else values.push(value);
  }
  return { screen, ...(id === '' ? {} : { id: decoded(id) }), query: fields };
}

export function writeAddress({ screen, id, query }: Address): string {
  const fields = new URLSearchParams(
    Object.entries(query).flatMap(([key, values]) =>
      values.filter((value) => value !== '').map((value) => [key, value]),
    ),
  ).toString();
  return `#/${screen}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${fields === '' ? '' : `?${fields}`}`;
}

/** The same address with other values; an empty list takes a field out. */
export const withQuery = (
  address: Address,
  changes: Readonly<Record<string, readonly string[]>>,
): Address => ({
  ...address,
  query: { ...address.query, ...changes },
});

export const firstOf = ({ query }: Address, name: string): string => query[name]?.[0] ?? '';
export const allOf = ({ query }: Address, name: string): readonly string[] => query[name] ?? [];

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
