import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonLines } from '../shared/data-files.js';
import { CLI, CORPORA, corpusFolder, LOCAL_RESULTS, MINILM, SHARED } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { chunkTexts } from '../speed/corpus-chunks.js';
import { syntheticTexts } from '../speed/synthetic-chunks.js';

const CHUNKS_PER_FILE = 12;
const FILES_PER_FOLDER = 200;

export type Model = 'builtin' | 'minilm';

/** Sources of the configuration: what is indexed before, and what comes while the service runs. */
const SOURCES = ['docs', 'more'];

/** Copies an index of so many texts, with its configuration, into a folder. It is made once on a machine. */
export async function prepareIndex(
  folder: string,
  {
    chunks,
    model,
    say,
  }: { readonly chunks: number; readonly model: Model; readonly say: (text: string) => void },
): Promise<void> {
  const kept = join(LOCAL_RESULTS, 'service', `${model}-${chunks}`);
  if (!existsSync(kept)) {
    const draft = `${kept}.draft`;
    await rm(draft, { recursive: true, force: true });
    await writeCorpus(draft, { chunks, model });
    say(`indexing ${chunks} texts`);
    await runProcess(process.execPath, [CLI, 'index', '--json', '--trust'], { cwd: draft });
    await rename(draft, kept);
  }
  await cp(kept, folder, { recursive: true });
}

async function writeCorpus(
  folder: string,
  { chunks, model }: { readonly chunks: number; readonly model: Model },
): Promise<void> {
  for (const source of SOURCES) await mkdir(join(folder, source), { recursive: true });
  const embedding = model === 'builtin' ? {} : { embedding: { model: `transformers:${MINILM}` } };
  const sources = SOURCES.map((name) => ({ name, type: 'files', root: name }));
  // JSON is YAML.
  await writeFile(
    join(folder, 'ragstone.yaml'),
    JSON.stringify({ rag: { provider: 'libsql', sources, ...embedding } }),
  );
  const texts = await chunkTexts(CORPORA.map(corpusFolder));
  await writeFiles(join(folder, 'docs'), syntheticTexts(texts, chunks));
}

/** Files of a dozen texts each. */
export async function writeFiles(folder: string, texts: Iterable<string>): Promise<number> {
  let number = 0;
  let parts: string[] = [];
  const flush = async (): Promise<void> => {
    const inner = join(folder, `part-${Math.floor(number / FILES_PER_FOLDER)}`);
    await mkdir(inner, { recursive: true });
    await writeFile(
      join(inner, `document-${number++}.md`),
      `# Document ${number}\n\n${parts.join('\n\n')}\n`,
    );
    parts = [];
  };
  for (const text of texts) {
    parts.push(`## Part ${parts.length + 1}\n\n${text}`);
    if (parts.length === CHUNKS_PER_FILE) await flush();
  }
  if (parts.length > 0) await flush();
  return number;
}

/** Engineers' real questions over two of the corpora. */
export const questions = (): string[] =>
  ['ise', 'handbook']
    .flatMap((name) => readJsonLines<{ question: string }>(`${SHARED}data/questions/${name}.jsonl`))
    .map(({ question }) => question);
