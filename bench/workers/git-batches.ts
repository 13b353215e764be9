/**
 * `npm run bench:workers:git`: how long a worker takes for a Git source of 2,000 files that another process has listed, on a real
 * PostgreSQL and a real Redis of this machine, with an embedder that takes no time: what is left is reading and writing.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../src/engine/create-engine.js';
import { startWorkers } from '../../src/fleet/workers/start-workers.js';
import { createHashEmbedder } from '../../src/testing/hash-embedder.js';
import { stopAllOnExit } from '../../tools/test-stores/start-server.js';
import { circumstances } from '../shared/machine.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { isThrough } from './is-through.js';
import { withServers } from './with-servers.js';

const FILES = 2_000;
const COMMITS = 20;

async function makeRepository(folder: string): Promise<void> {
  const git = (...words: string[]): void => {
    const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
    execFileSync('git', [...who, ...words], { cwd: folder, stdio: 'ignore' });
  };
  await mkdir(folder);
  git('init', '-q', '-b', 'main');
  for (let commit = 0; commit < COMMITS; commit++) {
    for (let file = commit; file < FILES; file += COMMITS) {
      const place = join(folder, `part-${file % 50}`);
      await mkdir(place, { recursive: true });
      await writeFile(
        join(place, `note-${file}.md`),
        `# Note ${file}\n\nGarden ${file} has a gate and a well.\n`,
      );
    }
    git('add', '-A');
    git('commit', '-qm', `Part ${commit}`);
  }
}

stopAllOnExit();
await withServers(({ postgres: url, redis }) =>
  withTemporaryFolder(async (folder) => {
    await makeRepository(join(folder, 'repository'));
    const optionsOf = (host: string) => ({
      config: {
        provider: 'postgres' as const,
        ledger: { type: 'postgres' as const, url, namespace: 'bench_git' },
        storage: { server: { url, namespace: 'bench_git' } },
        queue: { url: redis, prefix: 'bench_git' },
        sources: [{ name: 'code', type: 'git' as const, repository: `file://${join(folder, 'repository')}` }],
      },
      cwd: folder,
      dataDir: join(folder, host),
      embedder: createHashEmbedder(),
    });
    const lister = await createEngine(optionsOf('lister'));
    const worker = await createEngine(optionsOf('worker'));
    const listingAt = performance.now();
    await lister.index({ sources: ['code'], options: { handOver: true } });
    const listing = (performance.now() - listingAt) / 1_000;
    const times: number[] = [];
    const start = performance.now();
    const workers = startWorkers(worker, {
      onEvent: (event) => {
        if (event.type === 'batch-finished') times.push(event.ms);
      },
    });
    await isThrough(lister);
    const seconds = (performance.now() - start) / 1_000;
    await workers.stop();
    const { documents } = await lister.status();
    await worker.close();
    await lister.close();
    if (documents !== FILES) throw new Error(`${documents} documents are indexed of ${FILES}.`);
    const [first = 0, ...others] = times;
    console.log(
      JSON.stringify(
        {
          ...circumstances(),
          files: FILES,
          listingSeconds: rounded(listing),
          seconds: rounded(seconds),
          filesPerSecond: rounded(FILES / seconds),
          firstBatchMs: Math.round(first),
          medianBatchMs: Math.round(others.toSorted((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0),
        },
        null,
        2,
      ),
    );
  }),
);
