import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCsv } from '../../bench/chunking/csv.js';

/** Documents and queries of which it is known what answers what. */
export interface JudgedCollection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly text: string; readonly relevant: ReadonlySet<string> }[];
}

/** A data set in BEIR layout. */
export async function readBeir(folder: string, split: 'train' | 'test'): Promise<JudgedCollection> {
  const lines = async (file: string) =>
    (await readFile(path.join(folder, file), 'utf8')).split('\n').filter((line) => line !== '');
  const rows = async (file: string) =>
    (await lines(file)).map((line) => JSON.parse(line) as { _id: string; title?: string; text: string });
  const relevant = new Map<string, Set<string>>();
  for (const line of (await lines(`qrels/${split}.tsv`)).slice(1)) {
    const [query = '', document = '', score] = line.split('\t');
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document));
  }
  const queries = await rows(split === 'train' ? 'queries-train.jsonl' : 'queries.jsonl');
  return {
    name: `${path.basename(folder)} ${split}`,
    documents: (await rows('corpus.jsonl')).map(({ _id, title = '', text }) => ({ id: _id, title, text })),
    queries: queries.flatMap(({ _id, text }) => {
      const ids = relevant.get(_id);
      return ids === undefined ? [] : [{ text, relevant: ids }];
    }),
  };
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
