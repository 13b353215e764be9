import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Circumstances } from '../shared/machine.js';
import { LOCAL_RESULTS, REPOSITORY } from '../shared/places.js';
import type { AnswerComparison, AnswerReport } from './equal-answers.js';
import type { SearchTimes, StoreMeasurement } from './measure-store.js';
import { renderRecommendations } from './recommendations.js';
import type { Failure } from './store-process.js';

/** Files of results in `bench/results/local`. */
export const SPEED = 'stores.json';
export const ANSWERS = 'stores-answers.json';

const PAGE = join(REPOSITORY, 'docs', 'stores.md');
const MAX_OVERHEAD = 1.25;
const MIN_RECALL = 0.95;
const MIN_OVERLAP = 0.98;
const MAX_DIFFERENCE = 0.01;

interface SpeedReport extends Circumstances {
  readonly results: readonly StoreMeasurement[];
  readonly failures: readonly Failure[];
}

/** What bare databases needed on one machine, before there was an engine: what the figures are held against. */
const FLOORS: readonly (readonly [store: string, size: number, floor: string])[] = [
  ['postgres', 20_000, 'pgvector alone: build 3.7 s, p50 1.0 ms at recall .985'],
  ['lancedb', 100_000, 'LanceDB alone: insert 4.8 s, build 21 s, p50 1.5 ms'],
  ['usearch', 100_000, 'usearch alone: p50 .5 ms'],
];

/** Puts the last results into `docs/stores.md`, between its markers. */
export function writePage(): void {
  const speed = readResult<SpeedReport>(SPEED);
  const answers = readResult<Circumstances & AnswerReport>(ANSWERS);
  let page = readFileSync(PAGE, 'utf8');
  if (speed !== undefined) {
    const text = `${provenance(speed)}\n\n${renderSpeed(speed.results)}${renderFailures(speed.failures)}`;
    page = replaced(page, 'speed', text);
    page = replaced(page, 'recommendations', renderRecommendations(speed.results));
  }
  if (answers !== undefined)
    page = replaced(page, 'answers', `${provenance(answers)}\n\n${renderAnswers(answers)}`);
  writeFileSync(PAGE, page);
  console.log(`Written: ${PAGE}`);
}

function readResult<T>(name: string): T | undefined {
  const file = join(LOCAL_RESULTS, name);
  // Written by this program.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

function replaced(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start < 0 || stop < start) throw new RangeError(`${PAGE} has no part "${name}" between markers.`);
  return `${page.slice(0, start + begin.length)}\n\n${text}\n\n${page.slice(stop)}`;
}

const provenance = ({ date, commit, isModified, machine }: Circumstances): string =>
  `Measured on ${date.slice(0, 10)} at commit \`${commit}\`${isModified ? ' with changes' : ''}: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}, load before ${machine.loadBefore}.`;

/** One table a size. A figure that misses its target is marked with `!`. */
export function renderSpeed(results: readonly StoreMeasurement[]): string {
  const sizes = [...new Set(results.map(({ size }) => size))];
  return sizes
    .map((size) => {
      const rows = results.filter((result) => result.size === size).map(speedRow);
      const header = [
        'store',
        'insert, records/s',
        'index, s',
        'search p50 / p95, ms',
        'recall@10',
        'candidates',
        'over bare client',
        '1 % filter p50 / p95, ms',
        'its recall@10',
        'delete, ms',
        'disk, MiB',
        'memory, MiB',
      ];
      return `**${size.toLocaleString('en')} chunks of 384 dimensions**\n\n${table(header, rows)}\n\n${floorsOf(size)}`;
    })
    .join('\n\n')
    .trim();
}

function speedRow(result: StoreMeasurement): string[] {
  const { store, recordsPerSecond, indexSeconds, effort, search, filtered, bare } = result;
  return [
    store,
    recordsPerSecond.toLocaleString('en'),
    String(indexSeconds),
    `${search.p50Ms} / ${search.p95Ms}`,
    recall(search),
    effort === 0 ? 'all' : String(effort),
    bare === undefined ? '' : marked(`${bare.ratio} x (${bare.p50Ms} ms)`, bare.ratio > MAX_OVERHEAD),
    `${filtered.p50Ms} / ${filtered.p95Ms}`,
    recall(filtered),
    String(result.deleteMs),
    text(result.diskMiB),
    text(result.memoryMiB),
  ];
}

const recall = (times: SearchTimes): string => marked(String(times.recall), times.recall < MIN_RECALL);
const marked = (value: string, isMissed: boolean): string => (isMissed ? `${value} !` : value);
const text = (value: number | undefined): string => (value === undefined ? '' : String(value));

function floorsOf(size: number): string {
  const floors = FLOORS.filter(([, of]) => of === size).map(([, , floor]) => floor);
  return floors.length === 0 ? '' : `Floors: ${floors.join('; ')}.`;
}

const renderFailures = (failures: readonly Failure[]): string =>
  failures.map(({ store, size, error }) => `\n\nNot measured: ${store} at ${size}: ${error}`).join('');

/** The table of equal answers. */
export function renderAnswers({ queries, comparisons, failures }: AnswerReport): string {
  const header = [
    'store',
    'SciFact dense, overlap with exact',
    'nDCG@10 dense',
    'nDCG@10 text ranking',
    "the store's own",
    'nDCG@10 hybrid',
    'from the default',
    'KEPs dense, overlap with exact',
    'KEPs hybrid, overlap with the default',
  ];
  const asked = `${queries.scifact} training queries of SciFact, ${queries.keps} headings of the KEPs.`;
  return `${asked}\n\n${table(header, comparisons.map(answerRow))}${renderFailures(failures)}`;
}

function answerRow({ store, scifact, keps }: AnswerComparison): string[] {
  const { ndcg, difference, ownText } = scifact;
  return [
    store,
    overlap(scifact.denseOverlap),
    ndcg.dense.toFixed(4),
    ndcg.lexical.toFixed(4),
    ownText === undefined ? '' : `${ownText.ndcg.toFixed(4)} (${ownText.name})`,
    ndcg.hybrid.toFixed(4),
    marked(`${difference < 0 ? '' : '+'}${difference.toFixed(4)}`, Math.abs(difference) > MAX_DIFFERENCE),
    overlap(keps.denseOverlap),
    keps.hybridOverlap.toFixed(3),
  ];
}

const overlap = (share: number): string => marked(share.toFixed(3), share < MIN_OVERLAP);

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
