// Vectors and speed of a local model: our kernel beside @huggingface/transformers, on folders that are named.

import { readFileSync } from 'node:fs';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createBertEmbedder } from '../../src/embedding/transformers/bert-embedder.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { mean } from '../../src/evaluation/metrics.js';

const prose = readFileSync('docs/running.md', 'utf8');
const code = readFileSync('src/core/errors.ts', 'utf8');
const ODD = [
  ...[
    '',
    ' ',
    'x',
    'A cat.',
    'Größe, façade, İstanbul',
    '日本語の文書を検索する',
    '认证失败时应该怎么办？',
    '한국어 문장',
    'Привет',
  ],
  ...[
    'emoji 👍🏽',
    'half a pair \udc00',
    '[CLS] [MASK]',
    'word '.repeat(400),
    'a'.repeat(150),
    '3.14159e-10',
    'مرحبا',
  ],
  ...["SELECT * FROM t WHERE a = 'b';", 'https://example.com/a?b=c#d'],
];
const TEXTS = [
  ...ODD,
  ...Array.from({ length: 20 }, (_, at) => prose.slice(at * 500, at * 500 + 100 + at * 100)),
  ...Array.from({ length: 12 }, (_, at) => code.slice(at * 200, at * 200 + 400)),
];
const PASSAGES = Array.from({ length: 40 }, (_, at) => prose.slice(at * 300, at * 300 + 800));
const MICROSECONDS = 1e6;

async function measure(embedder: Embedder): Promise<{ vectors: Float32Array[]; perSecond: number }> {
  try {
    await embedder.doEmbed(PASSAGES.slice(0, 16), 'document');
    const start = process.cpuUsage();
    await embedder.doEmbed(PASSAGES, 'document');
    const { user, system } = process.cpuUsage(start);
    const vectors = await embedder.doEmbed(TEXTS, 'document');
    return { vectors, perSecond: (PASSAGES.length * MICROSECONDS) / (user + system) };
  } finally {
    await embedder.close();
  }
}

for (const model of process.argv.slice(2)) {
  const options = { model, threads: 1, maxInputTokens: 256 };
  const ours = await measure(await createBertEmbedder(options));
  const theirs = await measure(await createTransformersEmbedder(options));
  const cosines = ours.vectors.map((vector, at) =>
    vector.reduce((sum, value, d) => sum + value * (theirs.vectors[at]?.[d] ?? 0), 0),
  );
  console.log(
    `${model}: ${TEXTS.length} texts, cosine ${Math.min(...cosines).toFixed(6)} at least, ${mean(cosines).toFixed(6)} in the mean; ` +
      `passages a second of one core: kernel ${ours.perSecond.toFixed(1)}, package ${theirs.perSecond.toFixed(1)}`,
  );
}
