import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, REPOSITORY } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, spread } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import type { SpeedBenchmark } from './result.js';

const RUNS = 25;
const TARGET = 2.5;
const LIST_MODULES = fileURLToPath(new URL('./list-modules.mjs', import.meta.url));
/** What help has no use for: stores, models, parsers, the schema of the configuration. */
const HEAVY = [
  '@lancedb/lancedb',
  '@huggingface',
  'apache-arrow',
  'libsql',
  'markdown-it',
  'onnxruntime',
  'pino',
  'yaml',
  'zod',
];

/** `ragstone --help` beside `node -e 0`, and what it loads. */
export const startUp: SpeedBenchmark = {
  name: 'start-up',
  run: async ({ isSmall, say }) => {
    say('start-up');
    const bare: number[] = [];
    const ours: number[] = [];
    for (let run = 0; run < (isSmall ? 3 : RUNS); run++) {
      bare.push((await runProcess(process.execPath, ['-e', '0'])).ms);
      ours.push((await runProcess(process.execPath, [CLI, '--help'])).ms);
    }
    const ratios = ours.map((ms, run) => ms / (bare[run] ?? ms));
    const ratio = median(ours) / median(bare);
    const loaded = await modulesLoaded();
    return [
      {
        name: 'start-up',
        what: '`ragstone --help`; floor: `node -e 0`; medians of processes run in turn',
        unit: 'ms',
        floor: median(bare),
        ours: median(ours),
        ratio,
        target: `<= ${TARGET}, nothing heavy loaded`,
        met: ratio <= TARGET && loaded.heavy.length === 0,
        runs: bare.length,
        noise: `ratio ${spread(ratios)}`,
        details: { ...loaded },
      },
    ];
  },
};

interface Loaded {
  readonly ownModules: number;
  readonly packages: readonly string[];
  readonly heavy: readonly string[];
}

function modulesLoaded(): Promise<Loaded> {
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, 'modules.txt');
    await runProcess(process.execPath, ['--import', LIST_MODULES, CLI, '--help'], {
      env: { RAGSTONE_MODULE_LIST: file },
    });
    const urls = [...new Set((await readFile(file, 'utf8')).split('\n'))];
    const packages = new Set(
      urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
    );
    return {
      ownModules: urls.filter((url) => url.startsWith(`file://${REPOSITORY}dist/`)).length,
      packages: [...packages],
      heavy: [...packages].filter((name) => HEAVY.some((heavy) => name.startsWith(heavy))),
    };
  });
}
