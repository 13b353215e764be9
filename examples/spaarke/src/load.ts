/**
 * `npm run load [-- --callers 8 --searches 2000 --writes 200]`: the document's target metrics, measured over the service that runs.
 * Start it with `SPAARKE_REQUESTS_PER_MINUTE=0`, or the limit of each tenant is what is measured.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { clientOf } from './client.js';
import { TENANTS } from './corpus/corpus.js';
import { generateCorpus } from './corpus/generate-corpus.js';
import { measureLoad, type Timings } from './load-test.js';
import { runCommand } from './run-command.js';

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '8' },
    searches: { type: 'string', default: '2000' },
    writes: { type: 'string', default: '200' },
  },
});
const { questions } = generateCorpus();

/** The document's targets, in milliseconds. */
const TARGETS = { search: 500, index: 2_000 } as const;

function rowOf(
  name: string,
  { calls, failures, perSecond, p50, p95, p99 }: Timings,
  target?: number,
): string {
  const verdict = p95 < (target ?? Number.POSITIVE_INFINITY) && failures === 0 ? 'met' : 'missed';
  return [
    name.padEnd(24),
    (target === undefined ? '' : `< ${target} ms`).padEnd(10),
    ...[p50, p95, p99].map((time) => time.toFixed(1).padStart(8)),
    perSecond.toFixed(0).padStart(7),
    `${failures}/${calls}`.padStart(10),
    target === undefined ? '' : ` ${verdict}`,
  ].join(' ');
}

await runCommand(async () => {
  const tenants = TENANTS.map(({ id }) => ({
    tenantId: id,
    client: clientOf(id),
    questions: questions.filter(({ tenantId }) => tenantId === id),
  }));
  const [callers, searches, writes] = [values.callers, values.searches, values.writes].map(Number);
  if (!callers || !searches || !writes)
    throw new Error('Callers, searches and writes are whole numbers above 0.');
  const { search, index, embedding } = await measureLoad(tenants, { callers, searches, writes });
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  console.log(`${processor}, ${availableParallelism()} cores, Node ${process.version}, ${callers} callers`);
  console.log('metric                   P95 target p50 (ms) p95 (ms) p99 (ms)   per s    failed');
  console.log(rowOf('search', search, TARGETS.search));
  console.log(rowOf('index one document', index, TARGETS.index));
  console.log(rowOf('embedding of a question', embedding));
  if (search.failures + index.failures + embedding.failures > 0) process.exitCode = 1;
});
