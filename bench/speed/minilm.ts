import { AutoModel, AutoTokenizer, env, mean_pooling, type PreTrainedModel } from '@huggingface/transformers';
import { createEngine } from '../../src/engine/create-engine.js';
import { corpusFolder, MINILM } from '../shared/places.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from './corpus-chunks.js';
import type { SpeedBenchmark } from './result.js';

const CHUNKS = 320;
const PAIRS = 3;
const BATCH = 8;
const MAX_TOKENS = 256;
const TARGET = 0.95;

/** Indexing with MiniLM beside the bare network: reading, storing and keeping books must vanish behind it. */
export const minilm: SpeedBenchmark = {
  name: 'minilm',
  run: async ({ isSmall, say }) => {
    const texts = (await chunkTexts([corpusFolder('ise-playbook')])).slice(0, isSmall ? 24 : CHUNKS);
    const embedBare = await bareEmbedder();
    say('minilm: warming up');
    await embedBare(texts.slice(0, BATCH));
    const rates: { bare: number; engine: number; coresBusy: number }[] = [];
    for (let pair = 1; pair <= (isSmall ? 1 : PAIRS); pair++) {
      say(`minilm: pair ${pair}`);
      const bare = await timed(() => embedBare(texts));
      const engine = await timeEngine(texts);
      rates.push({
        bare: texts.length / (bare.ms / 1000),
        engine: texts.length / (engine.ms / 1000),
        coresBusy: engine.coresBusy,
      });
    }
    const ratios = rates.map(({ bare, engine }) => engine / bare);
    const ratio = median(ratios);
    return [
      {
        name: 'minilm',
        what: 'chunks a second with all-MiniLM-L6-v2 (int8, 256 tokens); floor: transformers.js alone, texts sorted by length, batches of 8; ours: the whole engine, load of the model apart',
        unit: 'chunks/s',
        floor: median(rates.map(({ bare }) => bare)),
        ours: median(rates.map(({ engine }) => engine)),
        ratio,
        target: `>= ${TARGET}`,
        met: ratio >= TARGET,
        runs: rates.length,
        noise: `ratio ${spread(ratios)}`,
        details: {
          chunks: texts.length,
          coresBusy: rounded(median(rates.map(({ coresBusy }) => coresBusy))),
        },
      },
    ];
  },
};

/** transformers.js with nothing around it but what its users are told: sort by length, cut at the trained length. */
async function bareEmbedder(): Promise<(texts: readonly string[]) => Promise<Float32Array[]>> {
  env.allowRemoteModels = false;
  const tokenizer = await AutoTokenizer.from_pretrained(MINILM, { local_files_only: true });
  const network: PreTrainedModel = await AutoModel.from_pretrained(MINILM, {
    local_files_only: true,
    dtype: 'q8',
  });
  return async (texts) => {
    const sorted = [...texts].sort((a, b) => b.length - a.length);
    const vectors: Float32Array[] = [];
    for (let start = 0; start < sorted.length; start += BATCH) {
      const inputs: { attention_mask: Parameters<typeof mean_pooling>[1] } = tokenizer(
        sorted.slice(start, start + BATCH),
        { padding: true, truncation: true, max_length: MAX_TOKENS },
      );
      const { last_hidden_state } = await network(inputs);
      const pooled = mean_pooling(last_hidden_state, inputs.attention_mask).normalize(2, -1);
      vectors.push(Float32Array.from(pooled.data as Float32Array));
    }
    return vectors;
  };
}

function timeEngine(texts: readonly string[]): Promise<{ ms: number; coresBusy: number }> {
  return withTemporaryFolder(async (folder) => {
    const engine = await createEngine({
      cwd: folder,
      overrides: {
        provider: 'lancedb',
        embedding: { model: `transformers:${MINILM}` },
        chunking: { strategy: 'whole' },
      },
    });
    const document = (text: string, id: number) => ({ id: String(id), text });
    // The network is loaded by the first text.
    await engine.index({ documents: [{ id: 'warm-up', text: 'A text apart from the others.' }] });
    const before = process.cpuUsage();
    const { ms, value } = await timed(() => engine.index({ documents: texts.map(document) }));
    const { user, system } = process.cpuUsage(before);
    await engine.close();
    if (value.stats.embeddingsComputed !== new Set(texts).size)
      throw new Error(`The engine embedded ${value.stats.embeddingsComputed} of ${texts.length} texts.`);
    return { ms, coresBusy: (user + system) / 1000 / ms };
  });
}
