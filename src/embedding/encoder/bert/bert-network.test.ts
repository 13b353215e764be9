import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTransformersEmbedder } from '../../transformers/transformers-embedder.js';
import { meanRow, unit } from '../kernel/encoder-layers.js';
import { WordPieceTokenizer } from '../word-piece/word-piece-tokenizer.js';
import { BertEncoder } from './bert-encoder.js';
import { readBertNetwork } from './bert-network.js';

const MODEL = join(import.meta.dirname, '../../../../../shared/models/all-MiniLM-L6-v2');
const CONFIG = { heads: 12, typeCount: 2 };
const isAbsent = !existsSync(MODEL);
if (isAbsent) console.warn(`skipped: tests of the BERT kernel, because ${MODEL} is absent`);

describe('what is no BERT network', () => {
  it('is refused', () => {
    expect(() => readBertNetwork(new Uint8Array(0), CONFIG)).toThrow('it holds no graph');
    expect(() => readBertNetwork(Uint8Array.of(0x3a, 0x7f, 1), CONFIG)).toThrow('it is cut short');
  });
});

describe.skipIf(isAbsent)('a BERT network of an ONNX file', () => {
  let bytes: Uint8Array;
  beforeAll(() => {
    bytes = readFileSync(join(MODEL, 'onnx/model_quantized.onnx'));
  });

  it('gives the vectors that transformers.js gives', async () => {
    const encoder = new BertEncoder(readBertNetwork(bytes, CONFIG));
    const vocabulary = readFileSync(join(MODEL, 'vocab.txt'), 'utf8').trimEnd().split('\n');
    const tokenizer = new WordPieceTokenizer(vocabulary);
    const theirs = await createTransformersEmbedder({ model: MODEL, threads: 1 });
    const texts = ['A cat.', 'How is a revoked key replaced, and who is told?', 'x = f(1); '.repeat(30)];
    try {
      const expected = await theirs.doEmbed(texts, 'document');
      for (const [at, text] of texts.entries()) {
        const ids = Int32Array.of(101, ...tokenizer.encode(text), 102);
        const vector = unit(meanRow(encoder.encode(ids), 384));
        const cosine = vector.reduce((sum, value, d) => sum + value * (expected[at]?.[d] ?? 0), 0);
        expect(cosine).toBeGreaterThan(0.99999);
      }
    } finally {
      await theirs.close();
    }
  });

  it('is refused with another number of heads than its attention has', () => {
    expect(() => readBertNetwork(bytes, { ...CONFIG, heads: 6 })).toThrow(
      'its attention is not that of 6 heads',
    );
  });

  it('is refused cut short, and where an operator is not known', () => {
    expect(() => readBertNetwork(bytes.subarray(0, bytes.length - 9), CONFIG)).toThrow('cut short');
    const other = Buffer.from(bytes);
    for (let at = other.indexOf('Erf'); at >= 0; at = other.indexOf('Erf', at + 3)) other.write('Exp', at);
    expect(() => readBertNetwork(other, CONFIG)).toThrow(/Exp/);
  });
});
