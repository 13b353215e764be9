import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCsv, readBeir } from '../../bench/shared/data-files.js';
import { type JudgedCollection, readJira, readPairs } from '../calibrate/judged-collection.js';

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
    ...documentation(pairs, ['git-doc', 'keystone-doc', 'python-celery-doc']),
    readPairs(path.join(code, 'stdlib.jsonl'), 'code', DOCUMENTS),
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
    ...documentation(pairs, ['apache2-doc', 'krb5-doc', 'valgrind']),
    readPairs(path.join(code, 'numpy.jsonl'), 'code', DOCUMENTS),
    readPairs(path.join(code, 'scipy.jsonl'), 'code', DOCUMENTS),
    await relatedIssues(data, ['duracloud', 'usergrid', 'bamboo']),
  ];
}

const jiraFile = (data: string, project: string): string =>
  path.join(data, 'fixtures/jira-issues', `${project}.csv`);

const documentation = (pairs: string, packages: readonly string[]): FusionCollection[] =>
  packages.flatMap((name) =>
    ['heading', 'sentence'].map((kind) => readPairs(path.join(pairs, `${name}.jsonl`), kind, DOCUMENTS)),
  );

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
