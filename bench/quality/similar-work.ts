// How well a backlog item finds work before it that is related: `npm run bench:similar-work -- [--json] [--limit N] [--minilm]`.
// Jira: an issue that mentions an earlier key of its project asks for the issue of that key; keys are taken out of its text.
// Hadoop: of two bugs that are duplicates the newer asks for the older. Only what is older is in question, in both.
// Of Hadoop also: of the items whose closest older one matches by so much, how many are marked as its duplicate.
// Then the 100 newest items go through the step in one batch, as a pipeline hands them over.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EnrichContextStep } from '../../src/compat/backlog/index.js';
import type { Engine, Filter, PushedDocument } from '../../src/index.js';
import { and, createEngine, eq, range } from '../../src/index.js';
import { csvRows, jiraRows } from '../shared/data-files.js';
import { circumstances } from '../shared/machine.js';
import { MINILM, SHARED } from '../shared/places.js';
import { median, quantile, rounded, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minilm: { type: 'boolean', default: false },
    /** Questions of each kind; all where it is left out. */
    limit: { type: 'string' },
  },
});

interface Item {
  readonly id: string;
  readonly project: string;
  /** Its place in time among the items of its project. */
  readonly number: number;
  readonly title: string;
  readonly description: string;
  /** Items that it should find. */
  readonly wanted: ReadonlySet<string>;
}

const TOP = 5;
const KEY = /\b[A-Z][A-Z0-9]+-\d+\b/g;

function jiraIssues(): Item[] {
  const rows = jiraRows();
  const known = new Set(rows.map(({ issuekey = '' }) => issuekey));
  return rows.map(({ issuekey = '', title = '', description = '' }) => {
    const [project = '', number = '0'] = issuekey.split('-');
    const mentioned = `${title} ${description}`.match(KEY) ?? [];
    const isEarlier = (key: string): boolean =>
      known.has(key) &&
      key.startsWith(`${project}-`) &&
      Number(key.slice(project.length + 1)) < Number(number);
    return {
      id: issuekey,
      project,
      number: Number(number),
      title,
      description,
      wanted: new Set(mentioned.filter(isEarlier)),
    };
  });
}

function hadoopBugs(): Item[] {
  const folder = join(SHARED, 'data/fixtures/bugs/hadoop');
  const rows = csvRows(join(folder, 'hadoop_bugs.csv'));
  // One cell may name several.
  const pairs = csvRows(join(folder, 'hadoop_bugs-combined.csv')).flatMap((row) =>
    (row['Duplicate id'] ?? '')
      .split(/[^\d]+/)
      .map((other): [number, number] => [Number(row['Issue id']), Number(other)]),
  );
  return rows.map((row) => {
    const number = Number(row['Issue id']);
    const olderOf = ([a, b]: [number, number]): string[] =>
      Math.max(a, b) === number && a !== b ? [String(Math.min(a, b))] : [];
    return {
      id: String(number),
      project: 'hadoop',
      number,
      title: row.Summary ?? '',
      description: row.Description ?? '',
      wanted: new Set(pairs.flatMap(olderOf)),
    };
  });
}

const toDocument = ({ id, project, number, title, description }: Item): PushedDocument => ({
  id,
  title,
  text: `${title}\n\n${description}`,
  metadata: { sourceType: 'issue', pbi_id: id, project, number },
});

const olderThan = ({ project, number }: Item): Filter =>
  and(eq('project', project), range('number', { lt: number }));

/** Ids of what an item finds, best first. */
type Ask = (item: Item) => Promise<readonly string[]>;

const without = (text: string): string => text.replaceAll(KEY, ' ');

function askersOf(engine: Engine): Record<string, Ask> {
  const lexical: Ask = async (item) => {
    const { results } = await engine.search({
      text: `${without(item.title)} ${without(item.description)}`,
      topK: TOP,
      filter: olderThan(item),
      options: { mode: 'lexical', rerank: false },
    });
    return results.map(({ metadata }) => String(metadata.pbi_id));
  };
  const enriched: Ask = async (item) => {
    const step = new EnrichContextStep({ engine, topK: TOP, filter: () => olderThan(item) });
    const { similar_work } = await step.enrich({
      id: item.id,
      title: without(item.title),
      description: without(item.description),
    });
    return similar_work.map(({ ref }) => ref);
  };
  return { 'BM25 alone': lexical, 'EnrichContextStep, defaults': enriched };
}

async function measure(name: string, items: readonly Item[]): Promise<object[]> {
  const questions = items
    .filter(({ wanted }) => wanted.size > 0)
    .slice(0, Number(values.limit ?? items.length));
  const model = values.minilm ? `transformers:${MINILM}` : 'builtin';
  return withTemporaryFolder(async (folder) => {
    const engine = await createEngine({
      config: { provider: 'libsql', embedding: { model } },
      dataDir: folder,
      cwd: folder,
    });
    const indexing = await timed(() => engine.index({ documents: items.map(toDocument) }));
    const rows = [];
    for (const [asked, ask] of Object.entries(askersOf(engine))) {
      const ranks: number[] = [];
      const times: number[] = [];
      for (const question of questions) {
        const { ms, value } = await timed(() => ask(question));
        times.push(ms);
        ranks.push(value.findIndex((id) => question.wanted.has(id)));
      }
      const share = (isHit: (rank: number) => boolean): number =>
        rounded(ranks.filter(isHit).length / questions.length);
      rows.push({
        name,
        items: items.length,
        questions: questions.length,
        model: values.minilm ? 'all-MiniLM-L6-v2' : 'builtin',
        asked,
        'hit@1': share((rank) => rank === 0),
        'hit@5': share((rank) => rank >= 0),
        'mrr@5': rounded(
          ranks.reduce((sum, rank) => sum + (rank < 0 ? 0 : 1 / (rank + 1)), 0) / questions.length,
        ),
        'ms p50': rounded(median(times)),
        'ms p95': rounded(quantile(times, 0.95)),
        'index s': rounded(indexing.ms / 1000),
      });
    }
    if (name === HADOOP) rows.push(...(await measureClosest(items, engine)));
    rows.push(await measureBatch(name, items, engine));
    await engine.close();
    return rows;
  });
}

const HADOOP = 'Hadoop duplicates';

/** Whether the match of the closest older item tells duplicates: its precision and recall from some matches on, in percent. */
async function measureClosest(items: readonly Item[], engine: Engine): Promise<object[]> {
  const closest: { readonly similarity: number; readonly isMarked: boolean }[] = [];
  for (const item of items.slice(0, Number(values.limit ?? items.length))) {
    const step = new EnrichContextStep({ engine, topK: 1, filter: () => olderThan(item) });
    const { similar_work } = await step.enrich(item);
    for (const { ref, similarity } of similar_work)
      closest.push({ similarity, isMarked: item.wanted.has(ref) });
  }
  const marked = items.filter(({ wanted }) => wanted.size > 0).length;
  return [70, 90, 95, 98].map((least) => {
    const near = closest.filter(({ similarity }) => similarity >= least);
    const right = near.filter(({ isMarked }) => isMarked).length;
    return {
      name: HADOOP,
      items: items.length,
      questions: near.length,
      model: values.minilm ? 'all-MiniLM-L6-v2' : 'builtin',
      asked: `closest, matching by ${least} % or more`,
      'marked as duplicate': rounded(right / near.length),
      'of all that are': rounded(right / marked),
    };
  });
}

const BATCH = 100;

/** The time of one call of the step, and what is paid for it: nothing leaves this machine. */
async function measureBatch(name: string, items: readonly Item[], engine: Engine): Promise<object> {
  const newest = items.toSorted((a, b) => b.number - a.number).slice(0, BATCH);
  const step = new EnrichContextStep({ engine, topK: TOP });
  const context = { scoredPBIs: { scored_pbis: newest.map((item) => ({ pbi: item })) } };
  const { ms, value } = await timed(() => step.executeStep(context));
  const { enriched_pbis } = value.enrichedPBIs;
  return {
    name,
    items: items.length,
    questions: enriched_pbis.length,
    model: values.minilm ? 'all-MiniLM-L6-v2' : 'builtin',
    asked: `one batch of ${BATCH}`,
    'with similar work': enriched_pbis.filter(({ context: { similar_work } }) => similar_work.length > 0)
      .length,
    'batch s': rounded(ms / 1000),
    'paid calls': 0,
  };
}

const measured = circumstances();
const rows = [...(await measure(HADOOP, hadoopBugs())), ...(await measure('Jira mentions', jiraIssues()))];
if (values.json) console.log(JSON.stringify({ ...measured, rows }, null, 2));
else console.table(rows);
