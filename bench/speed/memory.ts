import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IndexResult } from '../../src/operations/engine.js';
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
const LARGE_FILE_BYTES = 200_000_000;
const LARGE_FILE_MEGABYTES = 1200;
const CHUNKS_PER_FILE = 12;
const FILES_PER_FOLDER = 200;
const REPORT_MEMORY = fileURLToPath(new URL('./report-memory.mjs', import.meta.url));

/**
 * Peak memory of `ragstone index`, in a process of its own: four times the chunks must not need more than a third more, and one large
 * file has a bound.
 */
export const memory: SpeedBenchmark = {
  name: 'memory',
  run: async ({ isSmall, say }) => {
    const texts = await chunkTexts(CORPORA.map(corpusFolder));
    const results: SpeedResult[] = [];
    for (const provider of ['lancedb', 'libsql']) {
      const peaks: Peak[] = [];
      for (const count of isSmall ? [FEW / 25, MANY / 25] : [FEW, MANY]) {
        say(`memory: ${count} texts into ${provider}`);
        peaks.push(
          await peakOf({ provider }, (folder) =>
            writeFiles(join(folder, 'docs'), syntheticTexts(texts, count)),
          ),
        );
      }
      results.push(resultOf(provider, peaks));
    }
    say('memory: one large file');
    results.push(await largeFile(texts, isSmall ? LARGE_FILE_BYTES / 25 : LARGE_FILE_BYTES));
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

/** One text file of paragraphs, a word in twenty of them Cyrillic: the string of it has two bytes for every character. */
async function largeFile(texts: readonly string[], bytes: number): Promise<SpeedResult> {
  const settings = { provider: 'libsql', limits: { maxFileBytes: 2 * bytes } };
  const peak = await peakOf(settings, async (folder) => {
    await mkdir(join(folder, 'docs'));
    await writeLargeFile(join(folder, 'docs', 'large.txt'), texts, bytes);
  });
  const megabytes = (peak.mebibytes * 2 ** 20) / 1e6;
  return {
    name: 'memory-large-file',
    what: 'peak resident memory of `ragstone index` of one text file with the built-in model, libSQL; floor: bytes of the file',
    unit: 'MB',
    floor: bytes / 1e6,
    ours: megabytes,
    ratio: (megabytes * 1e6) / bytes,
    target: `<= ${LARGE_FILE_MEGABYTES} MB`,
    met: megabytes <= LARGE_FILE_MEGABYTES,
    runs: 1,
    noise: 'one run',
    details: { chunks: peak.chunks, seconds: rounded(peak.seconds) },
  };
}

async function writeLargeFile(path: string, texts: readonly string[], bytes: number): Promise<void> {
  const file = await open(path, 'w');
  let written = 0;
  for (const text of syntheticTexts(texts, Infinity)) {
    let word = 0;
    const mixed = text.replaceAll(/\p{L}+/gu, (found) => (++word % 20 === 0 ? 'документ' : found));
    written += (await file.write(`${mixed}\n\n`)).bytesWritten;
    if (written >= bytes) break;
  }
  await file.close();
}

function peakOf(
  settings: Readonly<Record<string, unknown>>,
  write: (folder: string) => Promise<void>,
): Promise<Peak> {
  return withTemporaryFolder(async (folder) => {
    await write(folder);
    // JSON is YAML.
    await writeFile(join(folder, 'ragstone.yaml'), JSON.stringify({ rag: settings }));
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
