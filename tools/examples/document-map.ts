/** What a README says of one heading of its document: the tests that show it, or why there is none. */
export interface MappedHeading {
  readonly heading: string;
  readonly tests: readonly string[];
  readonly reason: string | undefined;
}

const HEADER = /^\| heading of the document \| shown by \|\n\| --- \| --- \|\n((?:\|.*\|\n)+)/m;
const ROW = /^\| (.+?) \| (.+) \|$/;

/**
 * The table `| heading of the document | shown by |` of a README. Its second column is `test:` and titles of tests as code, or
 * `reason:` and a sentence. Throws where there is no table, or a row says neither.
 */
export function documentMap(readme: string): MappedHeading[] {
  const [, rows] = HEADER.exec(readme) ?? [];
  if (rows === undefined) throw new Error('The README has no table "heading of the document | shown by".');
  return rows.trimEnd().split('\n').map(mappedHeading);
}

function mappedHeading(row: string): MappedHeading {
  const [, heading = '', shown = ''] = ROW.exec(row) ?? [];
  const tests = shown.startsWith('test: ')
    ? [...shown.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title)
    : [];
  const reason = /^reason: (.+)$/.exec(shown)?.[1];
  if (tests.length === 0 && reason === undefined)
    throw new Error(`The README names neither a test nor a reason for ${JSON.stringify(heading || row)}.`);
  return { heading: heading.replaceAll('`', ''), tests, reason };
}

/** A sign behind a heading, such as a tick: a word without a letter or digit of ASCII. */
const SIGN = /\s+[^\sA-Za-z\d]+$/;

/** Headings of a document below its title, without marks of code and signs behind them. */
export function headingsOf(document: string): string[] {
  const prose = document.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) =>
    heading.trim().replaceAll('`', '').replace(SIGN, ''),
  );
}

/** What is wrong with the map of a document; nothing where each of its headings is there once, in its order. */
export function mapFaults(
  map: readonly MappedHeading[],
  { headings, titles }: { readonly headings: readonly string[]; readonly titles: readonly string[] },
): string[] {
  const mapped = map.map(({ heading }) => heading);
  const missing = headings.filter((heading) => !mapped.includes(heading));
  const foreign = mapped.filter((heading) => !headings.includes(heading));
  const isInOrder = missing.length > 0 || foreign.length > 0 || mapped.join('\n') === headings.join('\n');
  const unknown = map.flatMap(({ tests }) => tests).filter((title) => !titles.includes(title));
  return [
    ...missing.map((heading) => `no row for the heading ${JSON.stringify(heading)}`),
    ...foreign.map((heading) => `the document has no heading ${JSON.stringify(heading)}`),
    ...(isInOrder ? [] : ['the rows are not in the order of the headings']),
    ...unknown.map((title) => `there is no test ${JSON.stringify(title)}`),
  ];
}
