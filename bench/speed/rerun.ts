import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexResult } from '../../src/operations/engine.js';
import { folderState } from '../shared/folder-state.js';
import { CLI, CORPORA, corpusFolder } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { eachMarkdownFile } from './bare-stages.js';
import type { SpeedBenchmark, SpeedResult } from './result.js';

const SHARE_OF_FIRST_RUN = 0.05;
const TIMES_BARE_LISTING = 1.5;
const RERUNS = 5;

/** A second `ragstone index` over unchanged folders: it must list and hash, and do nothing else. */
export const rerun: SpeedBenchmark = {
  name: 'rerun',
  run: ({ isSmall, say }) =>
    withTemporaryFolder(async (folder) => {
      const corpora = (isSmall ? CORPORA.slice(0, 1) : CORPORA).map(corpusFolder);
      const data = join(folder, 'data');
      const index = () =>
        runProcess(process.execPath, [CLI, '--data', data, '--json', '--quiet', 'index', ...corpora], {
          cwd: folder,
        });
      say('rerun: first run');
      const first = await index();
      const before = folderState(join(data, 'store'));
      const times: Times = { again: [], startUp: [], listing: [] };
      for (let run = 1; run <= RERUNS; run++) {
        say(`rerun: run ${run} over unchanged folders`);
        const again = await index();
        assertNothingDone(JSON.parse(again.stdout) as IndexResult);
        times.again.push(again.ms);
        times.startUp.push((await runProcess(process.execPath, [CLI, '--version'])).ms);
        times.listing.push((await timed(() => hashFiles(corpora))).ms);
      }
      assertSame(before, folderState(join(data, 'store')));
      return [resultOf(first.ms, times)];
    }),
};

interface Times {
  readonly again: number[];
  readonly startUp: number[];
  readonly listing: number[];
}

function resultOf(firstMs: number, { again, startUp, listing }: Times): SpeedResult {
  const floor = median(startUp) + median(listing);
  const allowed = Math.max(firstMs * SHARE_OF_FIRST_RUN, floor * TIMES_BARE_LISTING);
  const ours = median(again);
  return {
    name: 'rerun',
    what: '`ragstone index` over unchanged folders, a process each; floor: start-up plus bare listing and hashing of every file',
    unit: 'ms',
    floor,
    ours,
    ratio: ours / floor,
    target: `<= 5 % of the first run, or ${TIMES_BARE_LISTING} x floor if more`,
    met: ours <= allowed,
    runs: again.length,
    noise: `ours ${spread(again)} ms`,
    details: {
      firstRunMs: rounded(firstMs),
      shareOfFirstRun: rounded(ours / firstMs),
      allowedMs: rounded(allowed),
      startUpMs: rounded(median(startUp)),
      listingAndHashingMs: rounded(median(listing)),
      checked: 'nothing parsed, embedded or deleted (stats), no file of the store changed',
    },
  };
}

const STAGES_OF_WORK = ['parse', 'chunk', 'analyze', 'embed', 'optimize'];

function assertNothingDone({ stats }: IndexResult): void {
  const counts = [
    stats.documentsProcessed,
    stats.documentsDeleted,
    stats.vectorsIndexed,
    stats.embeddingsComputed,
    ...STAGES_OF_WORK.map((stage) => stats.stages[stage] ?? 0),
  ];
  if (stats.documentsUnchanged > 0 && counts.every((count) => count === 0)) return;
  throw new Error(`A run over unchanged folders did some work: ${JSON.stringify(stats)}`);
}

function assertSame(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  const changed = [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path);
  if (changed.length === 0 && before.size === after.size && before.size > 0) return;
  throw new Error(`A run over unchanged folders wrote to the store: ${changed.join(', ')}`);
}

/** The least that any program must do to know that nothing changed, where times cannot be trusted. */
const hashFiles = (folders: readonly string[]): Promise<string[]> =>
  eachMarkdownFile(folders, async (path) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  );
