import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCsv } from '../../bench/chunking/csv.js';
import { type JudgedCollection, readBeir, readJira } from '../calibrate/judged-collection.js';

/** A collection in which a query may be the title of a document, which is then no answer to it. */
export interface FusionCollection {
  readonly name: string;
  readonly documents: JudgedCollection['documents'];
  readonly queries: readonly (JudgedCollection['queries'][number] & { readonly own?: string })[];
}

export interface CollectionFolders {
  /** Holds `retrieval/scifact` and `fixtures/jira-issues`. */
  readonly data: string;
  /** Pairs made by `tools/distill/extract.py`. */
  readonly pairs: string;
  /** Pairs made by `tools/rerank/code_pairs.py`. */
  readonly code: string;
}

const DOCUMENTS = 600;

/** No model was trained on any of these, so that the dense lane is as good as it will be on unseen text, and not better. */
export async function trainCollections({
  data,
  pairs,
  code,
}: CollectionFolders): Promise<FusionCollection[]> {
  return [
    await readBeir(path.join(data, 'retrieval/scifact'), 'train'),
    await readJira(jiraFile(data, 'mesos'), DOCUMENTS),
    ...(await documentation(pairs, ['git-doc', 'keystone-doc', 'python-celery-doc'])),
    await readPairs(path.join(code, 'stdlib.jsonl'), 'code'),
    await relatedIssues(data, ['mesos']),
  ];
}

/** Collections that are only measured on. */
export async function heldOutCollections({
  data,
  pairs,
  code,
}: CollectionFolders): Promise<FusionCollection[]> {
  const projects = ['bamboo', 'duracloud', 'moodle', 'springxd', 'usergrid'];
  return [
    ...(await Promise.all(projects.map((name) => readJira(jiraFile(data, name), DOCUMENTS)))),
    ...(await documentation(pairs, ['apache2-doc', 'krb5-doc', 'valgrind'])),
    await readPairs(path.join(code, 'numpy.jsonl'), 'code'),
    await readPairs(path.join(code, 'scipy.jsonl'), 'code'),
    await relatedIssues(data, ['duracloud', 'usergrid', 'bamboo']),
  ];
}

const jiraFile = (data: string, project: string): string =>
  path.join(data, 'fixtures/jira-issues', `${project}.csv`);

const documentation = (pairs: string, packages: readonly string[]): Promise<FusionCollection[]> =>
  Promise.all(
    packages.flatMap((name) =>
      ['heading', 'sentence'].map((kind) => readPairs(path.join(pairs, `${name}.jsonl`), kind)),
    ),
  );

/** Of a heading, a sentence or a docstring is asked which text it was taken from. */
async function readPairs(file: string, kind: string): Promise<FusionCollection> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const pairs = lines
    .map((line) => JSON.parse(line) as readonly [kind: string, query: string, passage: string])
    .filter((pair) => pair[0] === kind)
    .slice(0, DOCUMENTS);
  return {
    name: `${kind} ${path.basename(file, '.jsonl')}`,
    documents: pairs.map(([, , text], i) => ({ id: `h${i}`, title: '', text })),
    queries: pairs.map(([, text], i) => ({ text, relevant: new Set([`h${i}`]) })),
  };
}

const KEY = /\b[A-Z][A-Z0-9]+-\d+\b/g;

/** The title of an issue is the query, the issues that it names (at most three) the answers. */
async function relatedIssues(data: string, projects: readonly string[]): Promise<FusionCollection> {
  const documents: { id: string; title: string; text: string }[] = [];
  const queries: { text: string; relevant: ReadonlySet<string>; own: string }[] = [];
  for (const project of projects) {
    const [, ...rows] = parseCsv(await readFile(jiraFile(data, project), 'utf8'));
    const keys = new Set(rows.map(([id]) => id));
    for (const [id = '', title = '', text = ''] of rows) {
      documents.push({ id, title, text });
      const named = new Set(
        (`${title} ${text}`.match(KEY) ?? []).filter((key) => key !== id && keys.has(key)),
      );
      const words = title.replace(KEY, ' ').trim();
      if (named.size >= 1 && named.size <= 3 && words.length >= 15)
        queries.push({ text: words, relevant: named, own: id });
    }
  }
  return { name: `related issues ${projects.join(', ')}`, documents, queries };
}
