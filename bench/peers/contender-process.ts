// One contender in a process of its own: `contender-process.ts NAME build|search INPUT FOLDER`. Prints a `ProcessReport`.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { peakKiB } from '../shared/peak-memory.mjs';
import { quantile, rounded, timed } from '../shared/statistics.js';
import type { Contender, OpenIndex } from './contender.js';
import { contenderNamed } from './contenders.js';
import type { SciFact, VectorQuery } from './scifact.js';

const TOP_K = 10;
const PASSES = 3;

/** What a process measured of its contender. */
export interface ProcessReport {
  readonly buildMs?: number;
  /** From nothing but the folder to an index that has answered once. */
  readonly openMs?: number;
  readonly lexical?: LaneReport;
  readonly hybrid?: LaneReport;
  /** Peak resident memory before the contender's own work and after. */
  readonly baseMiB: number;
  readonly peakMiB: number;
}

export interface LaneReport {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Ids of the first ten by query id. */
  readonly rankings: Readonly<Record<string, readonly string[]>>;
}

const peakMiB = (): number => Math.round(peakKiB() / 1024);

const [name = '', phase, input = '', folder = ''] = process.argv.slice(2);
const contender = await contenderNamed(name);
// A Map, typed arrays and texts as the parent wrote them.
const scifact = deserialize(readFileSync(input)) as Pick<SciFact, 'documents' | 'queries'>;
const baseMiB = peakMiB();
const measured = phase === 'build' ? await build(contender) : await ask(contender);
console.log(JSON.stringify({ ...measured, baseMiB, peakMiB: peakMiB() } satisfies ProcessReport));

async function build({ build }: Contender): Promise<Pick<ProcessReport, 'buildMs'>> {
  return { buildMs: rounded((await timed(() => build(scifact.documents, folder))).ms) };
}

async function ask({ open }: Contender): Promise<Omit<ProcessReport, 'baseMiB' | 'peakMiB'>> {
  const [first] = scifact.queries;
  const { ms, value: index } = await timed(async () => {
    const opened = await open(scifact.documents, folder);
    if (first !== undefined) await opened.hybrid(first, TOP_K);
    return opened;
  });
  const lexical = await measureLane((query) => index.lexical(query, TOP_K));
  const hybrid = await measureLane((query) => index.hybrid(query, TOP_K));
  await index.close();
  return { openMs: rounded(ms), lexical, hybrid };
}

async function measureLane(
  search: (query: VectorQuery) => ReturnType<OpenIndex['lexical']>,
): Promise<LaneReport> {
  const times: number[] = [];
  const rankings: Record<string, readonly string[]> = {};
  // Queries that take a third of a second are not asked three times.
  let passes = PASSES;
  for (let pass = 0; pass < passes; pass++)
    for (const query of scifact.queries) {
      const { ms, value } = await timed(() => search(query));
      times.push(ms);
      rankings[query.id] = value;
      if (ms > 100) passes = 1;
    }
  return { p50Ms: rounded(quantile(times, 0.5)), p95Ms: rounded(quantile(times, 0.95)), rankings };
}
