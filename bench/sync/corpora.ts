import { appendFile, cp, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../src/engine/create-engine.js';
import { CLI, CORPORA, corpusFolder } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const TARGET = 2;
const ROUNDS = 5;

type Corpus = (typeof CORPORA)[number];

/** Each corpus in an index of its own: a run with one changed file beside one with none. */
export async function measureCorpora(say: (text: string) => void) {
  const results = [];
  for (const corpus of CORPORA) {
    say(`one changed file: ${corpus}`);
    results.push(await measureCorpus(corpus));
  }
  return results;
}

function measureCorpus(corpus: Corpus) {
  return withTemporaryFolder(async (folder) => {
    await cp(corpusFolder(corpus), join(folder, corpus), { recursive: true, mode: 0 });
    const file = await usualFile(join(folder, corpus));
    const config = {
      provider: 'libsql' as const,
      sources: [{ name: 'docs', type: 'files' as const, root: corpus, paths: ['**/*.md'] }],
    };
    await writeFile(join(folder, 'ragstone.yaml'), JSON.stringify({ rag: config }));
    const engine = await createEngine({ cwd: folder });
    const first = await timed(() => engine.index());
    const edit = (round: number): Promise<void> =>
      appendFile(file, `\nA line that was added as number ${round}.\n`);
    const inside = await takeTurns(edit, async (changed) => {
      const { ms, value } = await timed(() => engine.index());
      assertChanged(value.stats.documentsProcessed, changed, corpus);
      return ms;
    });
    await engine.close();
    const command = await takeTurns(edit, async (changed) => {
      const args = [CLI, '--json', '--quiet', 'index'];
      const { ms, stdout } = await runProcess(process.execPath, args, { cwd: folder });
      const { stats } = JSON.parse(stdout) as { readonly stats: { readonly documentsProcessed: number } };
      assertChanged(stats.documentsProcessed, changed, corpus);
      return ms;
    });
    return {
      corpus,
      documents: first.value.stats.documentsProcessed,
      firstMs: Math.round(first.ms),
      insideAProcess: inside,
      byCommand: command,
      target: `<= ${TARGET}`,
      met: inside.ratio <= TARGET,
    };
  });
}

function assertChanged(processed: number, changed: number, corpus: Corpus): void {
  if (processed !== changed)
    throw new Error(`${corpus}: ${processed} documents were processed where ${changed} had changed.`);
}

/** The Markdown file of middle length. */
async function usualFile(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
  const sizes = await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
  const sorted = sizes.sort((a, b) => a.size - b.size);
  return sorted[Math.floor(sorted.length / 2)]?.path ?? '';
}

/** A run over nothing new and one over an edited file take turns; the first pair warms up. */
async function takeTurns(edit: (round: number) => Promise<void>, run: (changed: number) => Promise<number>) {
  const unchanged: number[] = [];
  const changed: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await run(0);
    await edit(round);
    const ms = await run(1);
    if (round === 0) continue;
    unchanged.push(without);
    changed.push(ms);
  }
  const ratios = changed.map((ms, i) => ms / (unchanged[i] ?? Number.NaN));
  return {
    unchangedMs: Math.round(median(unchanged)),
    changedMs: Math.round(median(changed)),
    ratio: rounded(median(ratios)),
    spread: spread(ratios),
  };
}
