// What the graph finds beside words and vectors: `npm run bench:graph -- [--json] [--every N] [--part tune|report] [--set NAME]`.
// Jira: issues arrive in the order of their numbers; one that mentions an earlier key asks for the issue of that key, with keys taken out of
// its text, before it is indexed itself. So no edge of the masked mention, and nothing later, is in the graph.
// Pages: a paragraph that links to another page asks for that page, with the link taken out of it and out of the indexed page.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mean } from '../../src/evaluation/metrics.js';
import { pairedRandomisationTest } from '../../src/evaluation/paired-test.js';
import type { Engine, PushedDocument, SearchQuery } from '../../src/index.js';
import { and, createEngine, eq, range } from '../../src/index.js';
import { jiraRows } from '../shared/data-files.js';
import { circumstances } from '../shared/machine.js';
import { corpusFolder } from '../shared/places.js';
import { median, quantile, rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Every Nth question. */
    every: { type: 'string', default: '1' },
    /** Projects and questions that settings were chosen on, or those that are reported. */
    part: { type: 'string', default: 'report' },
    /** Sets that are asked, by a part of their names: all without it. */
    set: { type: 'string', default: '' },
  },
});

const isReported = values.part === 'report';

/** Of four questions over pages, the one that settings were chosen on. */
const TUNED = 2;

interface Issue {
  readonly id: string;
  readonly project: string;
  readonly number: number;
  readonly title: string;
  readonly description: string;
}

const KEY = /\b[A-Z][A-Z0-9]+-\d+\b/g;
const masked = (text: string): string => text.replaceAll(KEY, ' ');

function jiraProjects(): Issue[][] {
  const projects = new Map<string, Issue[]>();
  for (const { issuekey = '', title = '', description = '' } of jiraRows()) {
    const [project = '', number = '0'] = issuekey.split('-');
    const issues = projects.get(project) ?? [];
    projects.set(project, issues);
    issues.push({ id: issuekey, project, number: Number(number), title, description });
  }
  // Every other project, in the order of their names.
  return [...projects]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter((_, at) => (at % 2 === 1) === isReported)
    .map(([, issues]) => issues.sort((a, b) => a.number - b.number));
}

/** Ways of asking that are compared. */
const WAYS: Readonly<Record<string, NonNullable<SearchQuery['options']>>> = {
  hybrid: { mode: 'hybrid' },
  'graph, 1 hop': { mode: 'graph', hops: 1 },
  'graph, 2 hops': { mode: 'graph', hops: 2 },
};

interface Tally {
  readonly found: number[];
  readonly times: number[];
}

const tallies = (): Map<string, Tally> =>
  new Map(Object.keys(WAYS).map((way) => [way, { found: [], times: [] }]));

async function askAll(
  engine: Engine,
  query: SearchQuery,
  { wanted, topK, tally }: { wanted: ReadonlySet<string>; topK: number; tally: Map<string, Tally> },
): Promise<void> {
  for (const [way, options] of Object.entries(WAYS)) {
    const began = performance.now();
    const { results } = await engine.search({
      ...query,
      options: { ...options, topK, collapse: 'document' },
    });
    const took = performance.now() - began;
    const ids = new Set(results.map(({ metadata }) => metadata.source));
    tally.get(way)?.times.push(took);
    tally.get(way)?.found.push([...wanted].filter((id) => ids.has(id)).length / wanted.size);
  }
}

function rowsOf(name: string, measure: string, tally: Map<string, Tally>): object[] {
  const hybrid = tally.get('hybrid')?.found ?? [];
  return [...tally].map(([asked, { found, times }]) => ({
    name,
    part: values.part,
    questions: found.length,
    asked,
    [measure]: rounded(mean(found)),
    // Of the difference to `hybrid`.
    p: rounded(pairedRandomisationTest(hybrid, found).pValue),
    'ms p50': rounded(median(times)),
    'ms p95': rounded(quantile(times, 0.95)),
  }));
}

const toDocument = ({ id, project, number, title, description }: Issue): PushedDocument => ({
  id,
  title,
  text: `${title}\n\n${description}`,
  metadata: { sourceType: 'issue', pbi_id: id, project, number },
});

const withEngine = <T>(work: (engine: Engine) => Promise<T>): Promise<T> =>
  withTemporaryFolder(async (folder) => {
    const engine = await createEngine({
      config: { provider: 'libsql', embedding: { model: 'builtin' } },
      dataDir: folder,
      cwd: folder,
    });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  });

async function measureJira(): Promise<object[]> {
  const tally = tallies();
  let questions = 0;
  await withEngine(async (engine) => {
    for (const issues of jiraProjects()) {
      const earlier = new Set<string>();
      let waiting: PushedDocument[] = [];
      for (const issue of issues) {
        const mentioned = `${issue.title} ${issue.description}`.match(KEY) ?? [];
        const wanted = new Set(mentioned.filter((key) => earlier.has(key)));
        if (wanted.size > 0 && questions++ % Number(values.every) === 0) {
          if (waiting.length > 0) await engine.push(waiting);
          waiting = [];
          const query = {
            text: `${masked(issue.title)} ${masked(issue.description)}`.slice(0, 2_000),
            filter: and(eq('project', issue.project), range('number', { lt: issue.number })),
          };
          await askAll(engine, query, { wanted, topK: 5, tally });
        }
        waiting.push(toDocument(issue));
        earlier.add(issue.id);
      }
      if (waiting.length > 0) await engine.push(waiting);
    }
  });
  return rowsOf('Jira mentions', 'recall@5', tally);
}

const LINK = /\[([^\]\n]*)\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g;

/** Documentation that comes with every Node.js. */
const NPM_DOCS = join(dirname(process.execPath), '../lib/node_modules/npm/docs/content');

/** Documentation that a package of this repository brings along. */
const docsOf = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/${name}/docs`, import.meta.url));

/** A link's page: links of the web leave out `.md`. */
function linkedPage(target: string, { from, pages }: LinkPlace): string | undefined {
  const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target);
  return [path, `${path}.md`].find((candidate) => pages.has(candidate) && candidate !== from);
}

interface LinkPlace {
  readonly from: string;
  readonly pages: ReadonlyMap<string, string>;
}

async function measurePages(name: string, folder: string): Promise<object[]> {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const),
  );
  const tally = tallies();
  const toPage = (id: string, text: string): PushedDocument => ({ id, text });
  await withEngine(async (engine) => {
    await engine.push([...pages].map(([id, text]) => toPage(id, text)));
    let questions = 0;
    let ofPart = 0;
    for (const [path, text] of pages)
      for (const paragraph of text.split(/\n\s*\n/)) {
        const match = [...paragraph.matchAll(LINK)].find(
          ([, , target = '']) => linkedPage(target, { from: path, pages }) !== undefined,
        );
        if (match === undefined) continue;
        const [, label = '', target = ''] = match;
        const linked = linkedPage(target, { from: path, pages }) ?? '';
        const plain = paragraph.replaceAll(LINK, (whole, said: string, to: string) =>
          to === target ? '' : said && whole,
        );
        if (plain.split(/\s+/).length < 12) continue;
        if ((questions++ % 4 === TUNED) === isReported || ofPart++ % Number(values.every) !== 0) continue;
        // Every link of the page to that page is masked, by its words.
        const without = text.replaceAll(LINK, (whole, said: string, to: string) =>
          to === target ? said : whole,
        );
        await engine.push([toPage(path, without.replaceAll(label, ''))]);
        const query = { text: plain.replace(LINK, '$1').slice(0, 1_000) };
        await askAll(engine, query, { wanted: new Set([linked]), topK: 10, tally });
        await engine.push([toPage(path, text)]);
      }
  });
  return rowsOf(name, 'recall@10', tally);
}

const measured = circumstances();
const SETS: Readonly<Record<string, () => Promise<object[]>>> = {
  'ise-playbook': () => measurePages('ise-playbook', corpusFolder('ise-playbook')),
  'sourcegraph-handbook': () => measurePages('sourcegraph-handbook', corpusFolder('sourcegraph-handbook')),
  // Nothing was chosen on these.
  'rust-rfcs': () => measurePages('rust-rfcs', corpusFolder('rust-rfcs')),
  'npm docs': () => measurePages('npm docs', NPM_DOCS),
  'fastify docs': () => measurePages('fastify docs', docsOf('fastify')),
  'undici docs': () => measurePages('undici docs', docsOf('undici')),
  'pino docs': () => measurePages('pino docs', docsOf('pino')),
  'Jira mentions': measureJira,
};
const rows: object[] = [];
for (const [name, measure] of Object.entries(SETS))
  if (name.includes(values.set)) rows.push(...(await measure()));
if (values.json) console.log(JSON.stringify({ ...measured, rows }, null, 2));
else console.table(rows);
