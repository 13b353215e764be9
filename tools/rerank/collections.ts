import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readBeir, readJsonLines } from '../../bench/shared/data-files.js';
import { type JudgedCollection, type Pair, readJira, readPairs } from '../calibrate/judged-collection.js';

/** Projects that no training may see: later measures use them. */
export const HELD_OUT_JIRA = ['bamboo', 'duracloud', 'mesos', 'moodle', 'springxd', 'usergrid'] as const;

export interface CollectionFolders {
  /** Holds `retrieval/scifact` and `fixtures/jira-issues`. */
  readonly data: string;
  /** Pairs made by `tools/distill/extract.py`; without them no documentation is trained on. */
  readonly pairs: string | undefined;
  /** Pairs made by `code_pairs.py`; without them no code is trained on. */
  readonly code: string | undefined;
}

const JIRA_DOCUMENTS = 1_500;
const DOCUMENTATION_DOCUMENTS = 2_500;

/** Documentation packages that the built-in embedding model never saw, half to train on, half to measure. */
const TRAIN_DOCUMENTATION = ['git-doc', 'keystone-doc', 'python-celery-doc'];
const DEV_DOCUMENTATION = ['apache2-doc', 'krb5-doc', 'valgrind'];

/** Collections to train on. Each query has one right answer, but for SciFact's. */
export async function trainCollections({
  data,
  pairs,
  code,
}: CollectionFolders): Promise<JudgedCollection[]> {
  const jira = path.join(data, 'fixtures/jira-issues');
  const projects = (await readdir(jira))
    .filter((name) => name.endsWith('.csv'))
    .map((name) => path.basename(name, '.csv'))
    .filter((name) => !HELD_OUT_JIRA.some((heldOut) => heldOut === name))
    .sort();
  return [
    await readBeir(path.join(data, 'retrieval/scifact'), 'train'),
    ...(await Promise.all(projects.map((name) => readJira(path.join(jira, `${name}.csv`), JIRA_DOCUMENTS)))),
    ...readDocumentation(TRAIN_DOCUMENTATION, pairs),
    ...readCode(['stdlib'], code),
  ];
}

/** Collections that are only measured on. */
export async function devCollections({ data, pairs, code }: CollectionFolders): Promise<JudgedCollection[]> {
  const jira = HELD_OUT_JIRA.map((name) =>
    readJira(path.join(data, 'fixtures/jira-issues', `${name}.csv`), JIRA_DOCUMENTS),
  );
  return [
    ...(await Promise.all(jira)),
    ...readDocumentation(DEV_DOCUMENTATION, pairs),
    ...readCode(['numpy', 'scipy'], code),
  ];
}

function readDocumentation(packages: readonly string[], pairs: string | undefined): JudgedCollection[] {
  if (pairs === undefined) return [];
  const files = packages.map((name) => path.join(pairs, `${name}.jsonl`));
  return files.flatMap((file) => [readSentences(file), readPairs(file, 'heading', DOCUMENTATION_DOCUMENTS)]);
}

/** What a function does is the query, its source without that sentence the answer. */
function readCode(packages: readonly string[], folder: string | undefined): JudgedCollection[] {
  if (folder === undefined) return [];
  return packages.map((name) =>
    readPairs(path.join(folder, `${name}.jsonl`), 'code', DOCUMENTATION_DOCUMENTS),
  );
}

/** A sentence is the query; the section that it was taken out of, under its heading, the answer. */
function readSentences(file: string): JudgedCollection {
  const pairs = readJsonLines<Pair>(file);
  const sections = new Map<string, { title: string; sentence?: string }>();
  for (const [kind, query, passage] of pairs) if (kind === 'heading') sections.set(passage, { title: query });
  // Both are cut from one section: what the sentence was taken out of is found by its beginning and its end.
  const byEnds = new Map(Array.from(sections, ([text, section]) => [endsOf(text), { text, section }]));
  const documents: { id: string; title: string; text: string }[] = [];
  const queries: { text: string; relevant: ReadonlySet<string> }[] = [];
  for (const [kind, sentence, rest] of pairs) {
    if (kind !== 'sentence' || documents.length >= DOCUMENTATION_DOCUMENTS) continue;
    const id = `s${documents.length}`;
    documents.push({ id, title: byEnds.get(endsOf(rest))?.section.title ?? '', text: rest });
    queries.push({ text: sentence, relevant: new Set([id]) });
  }
  return { name: `sentence ${path.basename(file, '.jsonl')}`, documents, queries };
}

const endsOf = (text: string): string => `${text.slice(0, 40)} ${text.slice(-40)}`;
