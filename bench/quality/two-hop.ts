// Questions that two documents answer together, in each mode of `ask`: `npm run bench:two-hop -- [--json] [--split develop|report] [--single] [--top N] [--misses MODE]`.
// What counts is whether both documents stand among the first passages that an answer rests on.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listenTo } from '../../src/core/telemetry-listener.js';
import { bootstrapInterval, pairedRandomisationTest } from '../../src/evaluation/paired-test.js';
import { type AskRequest, createEngine, type Engine } from '../../src/index.js';
import { readJsonLines } from '../shared/data-files.js';
import { circumstances } from '../shared/machine.js';
import { corpusFolder, LOCAL_RESULTS, SHARED } from '../shared/places.js';
import { median, quantile, rounded, sum } from '../shared/statistics.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Half of the questions; all of them where it is left out. Rules were made on `develop`. */
    split: { type: 'string' },
    /** In their place the questions of `shared/data/questions`, which one document answers: what steps cost where they are not needed. */
    single: { type: 'boolean', default: false },
    /** First passages that count. */
    top: { type: 'string', default: '10' },
    /** Names the questions that a mode misses. */
    misses: { type: 'string' },
  },
});

interface Question {
  readonly id: string;
  readonly corpus: keyof typeof FOLDERS;
  /** `bridge`: one document leads to the other. `conjunction`: two things are asked. `comparison`: two things are compared. */
  readonly kind: 'bridge' | 'conjunction' | 'comparison';
  readonly split: 'develop' | 'report';
  readonly question: string;
  /** Paths in the folder of the corpus. */
  readonly supports: readonly string[];
}

/** Documentation that comes with every Node.js. */
const NPM_DOCS = join(dirname(process.execPath), '../lib/node_modules/npm/docs/content');

const FOLDERS = {
  handbook: join(corpusFolder('sourcegraph-handbook'), 'content'),
  ise: join(corpusFolder('ise-playbook'), 'docs'),
  rfcs: join(corpusFolder('rust-rfcs'), 'text'),
  npm: NPM_DOCS,
};

const PASSAGES = Number(values.top);
/** So that ten passages fit. */
const CONTEXT_BUDGET = 12_000;

const SYSTEMS: Readonly<Record<string, Omit<AskRequest, 'question'>>> = {
  naive: { mode: 'naive' },
  enhanced: { mode: 'enhanced' },
  // Beside it, for whether more documents alone are what helps.
  'enhanced, each document once': { mode: 'enhanced', options: { collapse: 'document' } },
  agentic: { mode: 'agentic' },
  'agentic, each document once': { mode: 'agentic', options: { collapse: 'document' } },
};
const BASELINE = 'enhanced';

interface Outcome {
  readonly both: number;
  readonly one: number;
  readonly ms: number;
  readonly searches: number;
}

let searches = 0;
listenTo(
  {
    end: () => {
      searches += 1;
    },
  },
  ['search'],
);

async function openIndex(corpus: Question['corpus']): Promise<Engine> {
  const dataDir = join(LOCAL_RESULTS, 'two-hop', corpus);
  mkdirSync(dataDir, { recursive: true });
  const engine = await createEngine({
    cwd: dataDir,
    dataDir,
    config: { context: { budget: CONTEXT_BUDGET } },
    trust: true,
  });
  await engine.index({ paths: [FOLDERS[corpus]] });
  return engine;
}

async function ask(engine: Engine, { question, supports }: Question, request: object): Promise<Outcome> {
  const before = searches;
  const start = performance.now();
  const { sources } = await engine.ask({ ...request, question, topK: PASSAGES, answerer: 'extractive' });
  const ms = performance.now() - start;
  const shown = new Set(sources.slice(0, PASSAGES).map(({ source }) => source));
  const found = supports.filter((path) => shown.has(path)).length;
  return {
    both: found === supports.length ? 1 : 0,
    one: found > 0 ? 1 : 0,
    ms,
    searches: searches - before,
  };
}

interface SingleQuestion {
  readonly id: string;
  readonly question: string;
  readonly gold: readonly { readonly path: string }[];
}

/** Questions with one gold document; the folder that is indexed is the first part of its path. */
const singleQuestions = (corpus: 'handbook' | 'ise'): Question[] =>
  readJsonLines<SingleQuestion>(`${SHARED}data/questions/${corpus}.jsonl`).flatMap(
    ({ id, question, gold: [first] }) =>
      first === undefined
        ? []
        : [
            {
              ...{ id, corpus, question, kind: 'bridge', split: 'report' },
              supports: [first.path.replace(/^[^/]+\//, '')],
            },
          ],
  );

const twoHops = fileURLToPath(new URL('./two-hop/questions.jsonl', import.meta.url));
const all = values.single
  ? [...singleQuestions('handbook'), ...singleQuestions('ise')]
  : readJsonLines<Question>(twoHops);
const questions = all
  .filter(({ split }) => values.split === undefined || split === values.split)
  .filter(({ corpus }) => {
    if (existsSync(FOLDERS[corpus])) return true;
    throw new Error(`The documents of "${corpus}" are missing: ${FOLDERS[corpus]}.`);
  });

const outcomes = new Map<string, Outcome[]>(Object.keys(SYSTEMS).map((name) => [name, []]));
const asked: Question[] = [];
for (const corpus of Object.keys(FOLDERS) as Question['corpus'][]) {
  const own = questions.filter((question) => question.corpus === corpus);
  if (own.length === 0) continue;
  console.error(`${corpus}: ${own.length} questions`);
  const engine = await openIndex(corpus);
  await engine.ask({ question: 'warm up', topK: PASSAGES });
  for (const question of own) {
    asked.push(question);
    for (const [name, request] of Object.entries(SYSTEMS))
      outcomes.get(name)?.push(await ask(engine, question, request));
  }
  await engine.close();
}

const share = (all: readonly number[]): number => rounded(sum(all) / Math.max(1, all.length));
const baseline = (outcomes.get(BASELINE) ?? []).map(({ both }) => both);
const rows = [...outcomes].map(([name, all]) => {
  const both = all.map((outcome) => outcome.both);
  const ofKind = (kind: Question['kind']): number => share(both.filter((_, at) => asked[at]?.kind === kind));
  const { difference, pValue } = pairedRandomisationTest(baseline, both);
  const { low, high } = bootstrapInterval(baseline, both);
  return {
    name,
    both: share(both),
    bridge: ofKind('bridge'),
    conjunction: ofKind('conjunction'),
    comparison: ofKind('comparison'),
    one: share(all.map(({ one }) => one)),
    searches: rounded(sum(all.map((outcome) => outcome.searches)) / all.length),
    medianMs: rounded(median(all.map(({ ms }) => ms))),
    p95Ms: rounded(
      quantile(
        all.map(({ ms }) => ms),
        0.95,
      ),
    ),
    [`over ${BASELINE}`]: `${rounded(difference)} (${rounded(low)} to ${rounded(high)}), p ${rounded(pValue)}`,
  };
});
const report = { ...circumstances(), questions: asked.length, split: values.split ?? 'all', rows };
writeFileSync(join(LOCAL_RESULTS, 'two-hop.json'), `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else console.table(rows);
if (values.misses !== undefined)
  for (const [at, { both }] of (outcomes.get(values.misses) ?? []).entries())
    if (both === 0) console.log(asked[at]?.id, asked[at]?.kind, asked[at]?.question);
