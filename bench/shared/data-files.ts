import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { readRetrievalDataset } from '../../src/evaluation/retrieval-dataset.js';
import { SHARED } from './places.js';

/** Records of a CSV text, that of its header first. */
export const parseCsv = (text: string): string[][] =>
  parse(text, { relax_quotes: true, relax_column_count: true });

/** Rows of a CSV file by the names of its columns. */
export const csvRows = (file: string): Record<string, string>[] =>
  parse(readFileSync(file), { columns: true, bom: true, relax_quotes: true, relax_column_count: true });

/** Issues of all Jira projects of the shared data. */
export function jiraRows(): Record<string, string>[] {
  const folder = `${SHARED}data/fixtures/jira-issues/`;
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return files.flatMap((name) => csvRows(folder + name));
}

/** Objects of a file of one a line. */
export const readJsonLines = <Row>(file: string | URL): Row[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);

/** A data set in BEIR layout, each query with the documents that answer it. */
export async function readBeir(folder: string, split: 'train' | 'test') {
  const { name, documents, queries, judgments } = await readRetrievalDataset(folder, { split });
  return {
    name: `${name} ${split}`,
    documents,
    queries: queries.map(({ id, text }) => {
      const judged = [...(judgments.get(id) ?? [])].filter(([, grade]) => grade > 0);
      return { id, text, relevant: new Set(judged.map(([document]) => document)) };
    }),
  };
}
