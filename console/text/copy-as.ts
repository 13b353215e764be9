/** A search as it is asked for elsewhere. */
export interface AskedSearch {
  readonly query: string;
  readonly topK?: number | undefined;
  readonly minScore?: number | undefined;
  readonly mode?: string | undefined;
  readonly filters: object;
}

/** A word of a shell of Unix: nothing in it is read by the shell. */
export const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const OPTIONS: Readonly<Record<string, string>> = {
  documentTypes: '--source-type',
  sources: '--source',
  since: '--since',
  until: '--until',
};

/** The command that asks the index of this machine. What it has no option for stands behind it as a comment. */
export function asCommand({ query, topK, minScore, mode, filters }: AskedSearch): string {
  const left = Object.keys(filters).filter((name) => OPTIONS[name] === undefined && name !== 'metadata');
  const words = [
    'ragstone search',
    quoted(query.startsWith('-') ? ` ${query}` : query),
    ...(topK === undefined ? [] : [`--top-k ${topK}`]),
    ...(minScore === undefined ? [] : [`--min-similarity ${minScore}`]),
    ...(mode === undefined ? [] : [`--mode ${quoted(mode)}`]),
    ...fieldsOf(filters).flatMap(([name, values]) => {
      if (name === 'metadata') return metadataOptions(values);
      const option = OPTIONS[name];
      return option === undefined
        ? []
        : [values].flat().map((value) => `${option} ${quoted(dayOf(String(value)))}`);
    }),
    ...(left.length === 0 ? [] : [`# without ${left.join(', ')}`]),
  ];
  return words.join(' ');
}

/** @param base address of the service; `needsKey`: the header with a variable in place of the key */
export function asCurl(search: AskedSearch, { base, needsKey }: { base: string; needsKey: boolean }): string {
  const body = JSON.stringify(bodyOf(search));
  return [
    `curl -s ${quoted(`${base.replace(/\/$/, '')}/api/ai/rag/explain`)}`,
    ...(needsKey ? ['-H "authorization: Bearer $RAGSTONE_KEY"'] : []),
    "-H 'content-type: application/json'",
    `-d ${quoted(body)}`,
  ].join(' ');
}

const ARGUMENTS: Readonly<Record<string, string>> = {
  documentTypes: 'source_type',
  sources: 'source',
  tags: 'tags',
  since: 'updated_after',
  until: 'updated_before',
};

/** As a client of the Model Context Protocol sends it. */
export function asMcpCall({ query, topK, mode, filters }: AskedSearch): string {
  const narrowed = fieldsOf(filters).flatMap(([name, values]) => {
    const argument = ARGUMENTS[name];
    if (argument === undefined) return [];
    return [[argument, typeof values === 'string' ? dayOf(values) : values]];
  });
  const call = {
    query,
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(mode === undefined ? {} : { mode }),
    ...Object.fromEntries(narrowed),
  };
  return JSON.stringify({ method: 'tools/call', params: { name: 'search', arguments: call } }, null, 2);
}

const fieldsOf = (filters: object): [name: string, values: unknown][] => Object.entries(filters);

const metadataOptions = (fields: unknown): string[] =>
  typeof fields === 'object' && fields !== null
    ? fieldsOf(fields).flatMap(([name, values]) =>
        [values].flat().map((value) => `--filter ${quoted(`${name}=${String(value)}`)}`),
      )
    : [];

/** The day of a moment; anything else as it is. */
const dayOf = (value: string): string => /^(\d{4}-\d{2}-\d{2})T/.exec(value)?.[1] ?? value;

const bodyOf = ({ query, topK, minScore, mode, filters }: AskedSearch): object => ({
  query,
  topK: topK ?? null,
  minScore: minScore ?? null,
  ...(mode === undefined ? {} : { mode }),
  ...filters,
});
