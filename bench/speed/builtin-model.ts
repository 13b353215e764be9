import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { createStaticEmbedder, loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { corpusFolder, MINILM } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { chunkTexts } from './corpus-chunks.js';
import type { SpeedBenchmark, SpeedResult } from './result.js';

const TOKENS = 250;
const CHUNKS = 4000;
const ROUNDS = 5;
const LOADER = new URL('../../dist/embedding/static/static-embedder.js', import.meta.url).href;

/** The built-in model alone, on one core: tokenizer beside the library's, embedding beside tokenizing, time to load. */
export const builtinModel: SpeedBenchmark = {
  name: 'builtin-model',
  run: async ({ isSmall, say }) => {
    say('builtin-model');
    const texts = await textsOfEqualLength(isSmall ? 200 : CHUNKS);
    const ours = await loadBuiltinTokenizer();
    const library = await libraryTokenizer();
    const embedder = await createStaticEmbedder();
    await embedder.doEmbed(texts.slice(0, 200), 'document');
    const rates = { library: [] as number[], ours: [] as number[], embedding: [] as number[] };
    const few = texts.slice(0, Math.ceil(texts.length / 8));
    for (let round = 0; round < ROUNDS; round++) {
      rates.library.push(await rateOf(few, () => few.forEach((text) => void library.encode(text))));
      rates.ours.push(await rateOf(texts, () => texts.forEach((text) => void ours.countTokens(text))));
      rates.embedding.push(await rateOf(texts, () => embedder.doEmbed(texts, 'document')));
    }
    return [tokenizerResult(rates), embeddingResult(rates, await loadTimes(isSmall ? 2 : 9))];
  },
};

type Rates = Readonly<Record<'library' | 'ours' | 'embedding', readonly number[]>>;

const rateOf = async (texts: readonly string[], work: () => unknown): Promise<number> =>
  texts.length / ((await timed(work)).ms / 1000);

function tokenizerResult({ library, ours }: Rates): SpeedResult {
  const ratio = median(ours) / median(library);
  return {
    name: 'tokenizer',
    what: `chunks of ${TOKENS} tokens a second on one core; floor: @huggingface/tokenizers with the same vocabulary`,
    unit: 'chunks/s',
    floor: median(library),
    ours: median(ours),
    ratio,
    target: 'more than 1',
    met: ratio > 1,
    runs: ours.length,
    noise: `ours ${spread(ours)}`,
    details: {},
  };
}

function embeddingResult({ ours, embedding }: Rates, loadMs: readonly number[]): SpeedResult {
  const ratio = median(embedding) / median(ours);
  return {
    name: 'builtin-embedding',
    what: `chunks of ${TOKENS} tokens embedded a second on one core by the built-in model; floor: its tokenizer alone`,
    unit: 'chunks/s',
    floor: median(ours),
    ours: median(embedding),
    ratio,
    target: 'none stated',
    met: true,
    runs: embedding.length,
    noise: `ours ${spread(embedding)}`,
    details: { loadMs: rounded(median(loadMs)), loadSpreadMs: spread(loadMs) },
  };
}

/** Real text cut to the same number of tokens, so that a rate in chunks means the same everywhere. */
async function textsOfEqualLength(count: number): Promise<string[]> {
  const tokenizer = await loadBuiltinTokenizer();
  const prose = (await chunkTexts([corpusFolder('ise-playbook'), corpusFolder('rust-rfcs')])).join(' ');
  const words = prose.split(/\s+/);
  const texts: string[] = [];
  let position = 0;
  while (texts.length < count && position < words.length) {
    const taken: string[] = [];
    for (let tokens = 0; tokens < TOKENS && position < words.length; position++) {
      const word = words[position] ?? '';
      taken.push(word);
      tokens += tokenizer.countTokens(word);
    }
    texts.push(taken.join(' '));
  }
  return texts;
}

async function libraryTokenizer(): Promise<Tokenizer> {
  const json = async (name: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(MINILM, name), 'utf8')) as Record<string, unknown>;
  const definition = await json('tokenizer.json');
  // Left over from the model's export: neither is part of tokenizing.
  return new Tokenizer(
    { ...definition, padding: null, truncation: null },
    await json('tokenizer_config.json'),
  );
}

/** From nothing to the first vector, in processes of their own; what node itself needs is not counted. */
async function loadTimes(runs: number): Promise<number[]> {
  const program = `
    const start = performance.now();
    const { createStaticEmbedder } = await import(${JSON.stringify(LOADER)});
    const embedder = await createStaticEmbedder();
    await embedder.doEmbed(['how is a search result scored?'], 'query');
    console.log(performance.now() - start);
  `;
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { stdout } = await runProcess(process.execPath, ['--input-type=module', '-e', program]);
    times.push(Number(stdout));
  }
  return times;
}
