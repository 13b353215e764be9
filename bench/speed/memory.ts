import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IndexResult } from '../../src/engine/engine.js';
import { CLI, CORPORA, corpusFolder } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from './corpus-chunks.js';
import type { SpeedBenchmark, SpeedResult } from './result.js';
import { syntheticTexts } from './synthetic-chunks.js';

const FEW = 25_000;
const MANY = 100_000;
const TARGET = 1.3;
const CHUNKS_PER_FILE = 12;
const FILES_PER_FOLDER = 200;
const REPORT_MEMORY = fileURLToPath(new URL('./report-memory.mjs', import.meta.url));

/** Peak memory of `ragstone index`, in a process of its own: four times the chunks must not need more than a third more. */
export const memory: SpeedBenchmark = {
  name: 'memory',
  run: async ({ isSmall, say }) => {
    const texts = await chunkTexts(CORPORA.map(corpusFolder));
    const results: SpeedResult[] = [];
    for (const provider of ['lancedb', 'libsql']) {
      const peaks: Peak[] = [];
      for (const count of isSmall ? [FEW / 25, MANY / 25] : [FEW, MANY]) {
        say(`memory: ${count} texts into ${provider}`);
        peaks.push(await peakOf(provider, syntheticTexts(texts, count)));
      }
      results.push(resultOf(provider, peaks));
    }
    return results;
  },
};

interface Peak {
  readonly mebibytes: number;
  readonly chunks: number;
  readonly seconds: number;
}

function resultOf(provider: string, [few, many]: readonly Peak[]): SpeedResult {
  if (few === undefined || many === undefined) throw new Error('Two peaks are needed.');
  const ratio = many.mebibytes / few.mebibytes;
  return {
    name: `memory-${provider}`,
    what: `peak resident memory of \`ragstone index\` into ${provider} with the built-in model; floor: for ${few.chunks} chunks; ours: for ${many.chunks}`,
    unit: 'MiB',
    floor: few.mebibytes,
    ours: many.mebibytes,
    ratio,
    target: `<= ${TARGET}`,
    met: ratio <= TARGET,
    runs: 1,
    noise: 'one run each',
    details: { seconds: { few: rounded(few.seconds), many: rounded(many.seconds) } },
  };
}

function peakOf(provider: string, texts: Iterable<string>): Promise<Peak> {
  return withTemporaryFolder(async (folder) => {
    await writeFiles(join(folder, 'docs'), texts);
    await writeFile(join(folder, 'ragstone.yaml'), `rag:\n  provider: ${provider}\n`);
    const report = join(folder, 'memory.txt');
    const { stdout, ms } = await runProcess(
      process.execPath,
      ['--import', REPORT_MEMORY, CLI, '--json', '--quiet', 'index', 'docs'],
      { cwd: folder, env: { RAGSTONE_MEMORY_REPORT: report } },
    );
    const { stats } = JSON.parse(stdout) as IndexResult;
    const kibibytes = Number(await readFile(report, 'utf8'));
    return { mebibytes: kibibytes / 1024, chunks: stats.vectorsIndexed, seconds: ms / 1000 };
  });
}

/** Each text a section of its own, a dozen sections a file. */
async function writeFiles(folder: string, texts: Iterable<string>): Promise<void> {
  let sections: string[] = [];
  let files = 0;
  const flush = async (): Promise<void> => {
    const into = join(folder, `part-${Math.floor(files / FILES_PER_FOLDER)}`);
    if (files % FILES_PER_FOLDER === 0) await mkdir(into, { recursive: true });
    await writeFile(join(into, `document-${files}.md`), sections.join('\n\n'));
    files++;
    sections = [];
  };
  let number = 0;
  for (const text of texts) {
    const level = sections.length === 0 ? '#' : '##';
    // A fence that a chunk was cut from would swallow the sections after it.
    sections.push(
      `${level} Section ${number++}\n\n${text.replaceAll(/[`~]{3,}/g, '').replaceAll(/^#+ /gm, '')}`,
    );
    if (sections.length === CHUNKS_PER_FILE) await flush();
  }
  if (sections.length > 0) await flush();
}
