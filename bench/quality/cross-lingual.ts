import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCsv } from '../shared/data-files.js';
import { LOCAL_RESULTS, SHARED } from '../shared/places.js';

const XQUAD = `${SHARED}data/retrieval/xquad-en`;
const BUGS = `${SHARED}data/fixtures/bugs/multilingual-vscode/multilingual_labelled_translated.csv`;

/** Languages in which the questions of XQuAD are asked over its English paragraphs. */
export const LANGUAGES = ['de', 'es', 'zh'] as const;

/** A shorter translation is a template with nothing in it. */
const MIN_TRANSLATION = 40;
const MAX_QUERY = 400;

const folderOf = (name: string): string => join(LOCAL_RESULTS, 'quality/datasets', name);

/** Lays out XQuAD with questions in another language as a data set of its own; returns its folder. */
export function translatedXquad(language: (typeof LANGUAGES)[number]): string {
  const folder = folderOf(`xquad-${language}`);
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  copyFileSync(`${XQUAD}/corpus.jsonl`, join(folder, 'corpus.jsonl'));
  copyFileSync(`${XQUAD}/queries-${language}.jsonl`, join(folder, 'queries.jsonl'));
  copyFileSync(`${XQUAD}/qrels/test.tsv`, join(folder, 'qrels/test.tsv'));
  return folder;
}

/** Issues in the language they were written in, each asked for by its English translation; returns the folder. */
export function multilingualReports(): string {
  const folder = folderOf('vscode-multilingual');
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  const [header = [], ...rows] = parseCsv(readFileSync(BUGS, 'utf8'));
  const cell = (row: readonly string[], name: string): string => row[header.indexOf(name)] ?? '';
  const reports = new Map(rows.map((row) => [cell(row, 'number'), row]));
  const asked = [...reports].filter(
    ([, row]) => cell(row, 'src_lang') !== 'en' && cell(row, 'translation').trim().length >= MIN_TRANSLATION,
  );
  const lines = (values: readonly object[]): string =>
    values.map((value) => `${JSON.stringify(value)}\n`).join('');
  writeFileSync(
    join(folder, 'corpus.jsonl'),
    lines([...reports].map(([id, row]) => ({ _id: id, title: cell(row, 'title'), text: cell(row, 'body') }))),
  );
  writeFileSync(
    join(folder, 'queries.jsonl'),
    lines(
      asked.map(([id, row]) => ({ _id: `en-${id}`, text: cell(row, 'translation').slice(0, MAX_QUERY) })),
    ),
  );
  writeFileSync(join(folder, 'qrels/test.tsv'), asked.map(([id]) => `en-${id}\t${id}\t1\n`).join(''));
  return folder;
}
