import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import { computeMetric, mean } from '../../src/evaluation/metrics.js';
import { folderBytes } from '../shared/folder-state.js';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import type { LaneReport, ProcessReport } from './contender-process.js';
import { CONTENDER_NAMES, contenderNamed } from './contenders.js';
import { readSciFact, type SciFact } from './scifact.js';

/** One library's figures on SciFact with MiniLM vectors given. */
interface PeerRow {
  readonly name: string;
  readonly how: string;
  readonly indexSeconds: number;
  /** Peak resident memory while indexing, and while answering; node with the input read is `baseMiB`. */
  readonly indexMiB: number;
  readonly searchMiB: number;
  readonly baseMiB: number;
  /** Undefined where nothing is kept. */
  readonly diskMiB: number | undefined;
  readonly openMs: number;
  readonly lexical: LaneFigures;
  readonly hybrid: LaneFigures;
}

interface LaneFigures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly ndcg10: number;
}

const PROCESS = fileURLToPath(new URL('./contender-process.ts', import.meta.url));

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
});

assertPlacesExist();
if (!existsSync(fileURLToPath(new URL('./node_modules', import.meta.url)))) {
  console.error('The peers are not installed. Run "npm install --prefix bench/peers".');
  process.exit(2);
}
const measured = circumstances();
console.error('SciFact and its vectors (computed the first time, which takes minutes)');
const scifact = await readSciFact();
const rows: PeerRow[] = [];
for (const name of values.only ?? CONTENDER_NAMES) {
  console.error(name);
  rows.push(await measure(name, scifact));
}
const report = { ...measured, documents: scifact.documents.length, queries: scifact.queries.length, rows };
mkdirSync(LOCAL_RESULTS, { recursive: true });
writeFileSync(join(LOCAL_RESULTS, 'peers.json'), `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else printTable(rows);

function measure(name: string, { documents, queries, judgments }: SciFact): Promise<PeerRow> {
  return withTemporaryFolder(async (folder) => {
    const contender = await describe(name);
    const index = join(folder, 'index');
    mkdirSync(index);
    const corpus = join(folder, 'corpus.bin');
    writeFileSync(corpus, serialize({ documents, queries: [] }));
    const questions = join(folder, 'questions.bin');
    // What is kept on disk is all that an answering process is given.
    writeFileSync(questions, serialize({ documents: contender.isPersistent ? [] : documents, queries }));
    const built = await runPhase(name, 'build', [corpus, index]);
    const asked = await runPhase(name, 'search', [questions, index]);
    const figures = (lane: LaneReport | undefined): LaneFigures => ({
      p50Ms: lane?.p50Ms ?? Number.NaN,
      p95Ms: lane?.p95Ms ?? Number.NaN,
      ndcg10: lane === undefined ? Number.NaN : ndcgOf(lane, judgments),
    });
    return {
      name: contender.name,
      how: contender.how,
      indexSeconds: rounded((built.buildMs ?? Number.NaN) / 1000),
      indexMiB: built.peakMiB,
      searchMiB: asked.peakMiB,
      baseMiB: asked.baseMiB,
      diskMiB: contender.isPersistent ? rounded(folderBytes(index) / 2 ** 20) : undefined,
      openMs: asked.openMs ?? Number.NaN,
      lexical: figures(asked.lexical),
      hybrid: figures(asked.hybrid),
    };
  });
}

async function describe(name: string): Promise<{ name: string; how: string; isPersistent: boolean }> {
  const { name: label, how, isPersistent } = await contenderNamed(name);
  return { name: label, how, isPersistent };
}

async function runPhase(
  name: string,
  phase: 'build' | 'search',
  paths: readonly string[],
): Promise<ProcessReport> {
  const { stdout } = await runProcess(process.execPath, [
    ...process.execArgv,
    PROCESS,
    name,
    phase,
    ...paths,
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ProcessReport;
}

function ndcgOf({ rankings }: LaneReport, judgments: SciFact['judgments']): number {
  const values = Object.entries(rankings).map(([query, ranking]) =>
    computeMetric({ name: 'ndcg', k: 10 }, ranking, judgments.get(query) ?? new Map()),
  );
  return Math.round(mean(values) * 10_000) / 10_000;
}

function printTable(table: readonly PeerRow[]): void {
  console.log(
    '| library | index s | RSS index / search MiB | disk MiB | open ms | lexical p50 ms; nDCG@10 | hybrid p50 ms; nDCG@10 |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const row of table)
    console.log(
      `| ${row.name} | ${row.indexSeconds} | ${row.indexMiB} / ${row.searchMiB} | ${row.diskMiB ?? 'none'} | ${row.openMs} | ${row.lexical.p50Ms}; ${row.lexical.ndcg10} | ${row.hybrid.p50Ms}; ${row.hybrid.ndcg10} |`,
    );
}
