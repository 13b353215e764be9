import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCsv, readBeir, readJsonLines } from '../../bench/shared/data-files.js';
import type { IndexRequest, SearchResult } from '../../src/index.js';
import { FETCHED, READ, storedQuote } from '../answers/documentation.js';
import { readDocSets, readQuestions } from '../questions/doc-sets.js';
import { HELD_OUT_JIRA } from '../rerank/collections.js';

export interface JudgedQuery {
  readonly text: string;
  readonly isRight: (result: SearchResult) => boolean;
  /** A result that does not count: the item that the query was made from. */
  readonly isOwn?: (result: SearchResult) => boolean;
}

type FilesSources = readonly { name: string; type: 'files'; root: string; paths: string[] }[];

/** Something to index, and what is asked of it. */
export interface JudgedCollection {
  readonly name: string;
  readonly kind: 'documentation' | 'linked items' | 'scientific claims' | 'visible folders';
  readonly side: 'train' | 'test';
  /** Collections of one subject: questions of one may have answers in another. */
  readonly subject: string;
  readonly index: IndexRequest;
  /** What is configured for it; `index` names nothing then. */
  readonly sources?: FilesSources;
  readonly queries: readonly JudgedQuery[];
}

/** A result counts that covers the first or the last half of a quote, white space normalised. */
const coversOneOf =
  (quotes: readonly string[]) =>
  ({ content }: SearchResult): boolean => {
    const text = spaced(content);
    return quotes.map(spaced).some((quote) => {
      const half = Math.ceil(quote.length / 2);
      return text.includes(quote.slice(0, half)) || text.includes(quote.slice(-half));
    });
  };

const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

// Kolla's specifications and its guides; two companies' ways of working.
const SUBJECTS: Readonly<Record<string, string>> = {
  decisions: 'kolla',
  runbooks: 'kolla',
  'ise-playbook': 'ways of working',
  'sourcegraph-handbook': 'ways of working',
};

async function documentation(fetched: string): Promise<JudgedCollection[]> {
  return Promise.all(
    readDocSets().map(async ({ name, split }): Promise<JudgedCollection> => {
      const folder = path.join(fetched, name);
      const queries = readQuestions(name).filter(({ gold }) => gold.length > 0);
      return {
        name,
        kind: 'documentation',
        side: split,
        subject: SUBJECTS[name] ?? name,
        index: {},
        sources: [{ name, type: 'files', root: folder, paths: [...READ] }],
        queries: await Promise.all(
          queries.map(async ({ question, gold, alternates }) => ({
            text: question,
            isRight: coversOneOf(
              await Promise.all([...gold, ...alternates].map((span) => storedQuote(span, folder))),
            ),
          })),
        ),
      };
    }),
  );
}

/** Folders whose questions anybody may look at: measured, never learned from. */
function visible(data: string): JudgedCollection[] {
  return (
    [
      ['ise', 'ise-playbook'],
      ['handbook', 'sourcegraph-handbook'],
    ] as const
  ).map(([file, folder]) => {
    const questions = readJsonLines<
      Record<'gold' | 'alternates', { quote: string }[]> & { readonly question: string }
    >(path.join(data, `questions/${file}.jsonl`));
    return {
      name: folder,
      kind: 'visible folders',
      side: 'test',
      subject: SUBJECTS[folder] ?? folder,
      index: { paths: [path.join(data, 'corpora', folder)] },
      queries: questions
        .filter(({ gold }) => gold.length > 0)
        .map(({ question, gold, alternates }) => ({
          text: question,
          isRight: coversOneOf([...gold, ...alternates].map(({ quote }) => quote)),
        })),
    };
  });
}

const TRAIN_JIRA = [
  'appceleratorstudio',
  'aptanastudio',
  'clover',
  'datamanagement',
  'mule',
  'talenddataquality',
  'talendesb',
  'titanium',
];
const ITEMS = 1_500;
const LINKED = 50;

/** Items that mention another one of their project: the whole item is the query, without the key that gives it away. */
async function linkedItems(
  data: string,
  name: string,
  side: JudgedCollection['side'],
): Promise<JudgedCollection> {
  const [, ...rows] = parseCsv(await readFile(path.join(data, `fixtures/jira-issues/${name}.csv`), 'utf8'));
  const keys = new RegExp(`\\b${rows[0]?.[0]?.split('-')[0] ?? ''}-\\d+\\b`, 'g');
  const known = new Set(rows.map(([id = '']) => id));
  const items = rows.map(([id = '', title = '', description = '']) => {
    const text = `${title}\n\n${description}`;
    const linked = new Set((text.match(keys) ?? []).filter((key) => key !== id && known.has(key)));
    return { id, title, text: text.replaceAll(keys, '').trim(), linked };
  });
  const queries = evenly(
    items.filter(({ linked }) => linked.size > 0),
    LINKED,
  );
  const wanted = new Set(queries.flatMap(({ linked }) => [...linked]));
  const kept = [
    ...items.filter(({ id }) => wanted.has(id)),
    ...items.filter(({ id }) => !wanted.has(id)),
  ].slice(0, ITEMS);
  return {
    name,
    kind: 'linked items',
    side,
    subject: name,
    index: { documents: kept.map(({ id, title, text }) => ({ id, title, text })) },
    queries: queries.map(({ id, text, linked }) => ({
      text,
      isRight: ({ metadata }) => linked.has(metadata.source),
      isOwn: ({ metadata }) => metadata.source === id,
    })),
  };
}

async function claims(data: string, side: JudgedCollection['side']): Promise<JudgedCollection> {
  const { documents, queries } = await readBeir(path.join(data, 'retrieval/scifact'), side);
  return {
    name: `scifact ${side}`,
    kind: 'scientific claims',
    side,
    subject: 'science',
    index: { documents: documents.map(({ id, title, text }) => ({ id, title, text })) },
    queries: evenly(queries, 300).map(({ text, relevant }) => ({
      text,
      isRight: ({ metadata }) => relevant.has(metadata.source),
    })),
  };
}

export async function judgedCollections(
  side: JudgedCollection['side'],
  { data, fetched = FETCHED }: { readonly data: string; readonly fetched?: string | undefined },
): Promise<JudgedCollection[]> {
  const projects = side === 'train' ? TRAIN_JIRA : HELD_OUT_JIRA;
  const all = [
    ...(await documentation(fetched)),
    ...visible(data),
    ...(await Promise.all(projects.map((name) => linkedItems(data, name, side)))),
    await claims(data, side),
  ];
  return all.filter((collection) => collection.side === side);
}

/** Questions about other subjects, an even sample: nothing here answers them. */
export function strangersTo(
  { subject }: JudgedCollection,
  all: readonly JudgedCollection[],
  most: number,
): readonly JudgedQuery[] {
  const others = all.filter(
    (other) =>
      other.subject !== subject && other.kind !== 'linked items' && other.kind !== 'scientific claims',
  );
  return evenly(
    others.flatMap(({ queries }) => queries),
    most,
  );
}

function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, i) => i % step === 0);
}
