import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCsv, readJsonLines } from '../../bench/shared/data-files.js';

/** Documents and queries of which it is known what answers what. */
export interface JudgedCollection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly text: string; readonly relevant: ReadonlySet<string> }[];
}

/** Issues of one Jira project: a title is the query, the description of the same issue the answer (known-item search). */
export async function readJira(file: string, limit: number): Promise<JudgedCollection> {
  const [, ...rows] = parseCsv(await readFile(file, 'utf8'));
  const documents = rows
    .map(([id = '', title = '', text = '']) => ({ id, title, text }))
    .filter(({ title, text }) => title.length >= 20 && text.length >= 100)
    .slice(0, limit);
  return {
    name: `jira ${path.basename(file, '.csv')}`,
    documents: documents.map(({ id, text }) => ({ id, title: '', text })),
    queries: documents.map(({ id, title }) => ({ text: title, relevant: new Set([id]) })),
  };
}

/** What a tool cut out of a text (its heading, a sentence, a docstring), and what is left of it. */
export type Pair = readonly [kind: string, query: string, passage: string];

/** Of a heading, a sentence or a docstring is asked which text it was taken from. */
export function readPairs(file: string, kind: string, limit: number): JudgedCollection {
  const pairs = readJsonLines<Pair>(file)
    .filter((pair) => pair[0] === kind)
    .slice(0, limit);
  return {
    name: `${kind} ${path.basename(file, '.jsonl')}`,
    documents: pairs.map(([, , text], i) => ({ id: `h${i}`, title: '', text })),
    queries: pairs.map(([, text], i) => ({ text, relevant: new Set([`h${i}`]) })),
  };
}
