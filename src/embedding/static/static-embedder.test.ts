import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentHash } from '../../core/ids.js';
import { createStaticEmbedder, loadBuiltinTokenizer } from './static-embedder.js';

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'red', 'green', '##ish', 'blue'];
const ROWS = [
  [0, 0, 0],
  [9, 9, 9],
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
  [100, 0, 0],
  [0, 100, 0],
  [0, 0, -50],
  [1, 2, 3],
];
// `[UNK]` and `blue` contribute nothing.
const SCALES = [0, 0, 0, 0, 0, 0.01, 0.02, 0.04, 0];

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'static-model-'));
});
afterAll(() => rm(parent, { recursive: true }));

/** Writes a model of nine tokens and three dimensions. */
async function writeModel(card: Record<string, unknown> = {}): Promise<string> {
  const folder = await mkdtemp(join(parent, 'model-'));
  const files = {
    'vocab.txt': Buffer.from(`${VOCABULARY.join('\n')}\n`),
    'vectors.int8': Buffer.from(Int8Array.from(ROWS.flat()).buffer),
    'scales.f32': Buffer.from(Float32Array.from(SCALES).buffer),
    'token-idf.f32': Buffer.from(new Float32Array(VOCABULARY.length).buffer),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const sha256 = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, contentHash(bytes)]));
  await writeFile(
    join(folder, 'model.json'),
    JSON.stringify({
      name: 'tiny',
      version: 1,
      dimensions: 3,
      vocabularySize: VOCABULARY.length,
      pooling: 'weighted-sum-l2',
      termFrequency: 'log',
      maxInputTokens: 4,
      sha256,
      ...card,
    }),
  );
  return folder;
}

const unit = (...values: number[]): number[] => {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};

describe('createStaticEmbedder', () => {
  it('sums distinct tokens by log frequency, scale and row, to unit length', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    const [vector] = await embedder.doEmbed(['red greenish red'], 'document');
    const expected = unit((1 + Math.log(2)) * 1, 2, -2);
    expect([...(vector ?? [])]).toEqual(expected.map((value) => expect.closeTo(value, 6)));
  });

  it('weighs by plain counts where the card says so', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel({ termFrequency: 'linear' }) });
    const [vector] = await embedder.doEmbed(['red green red'], 'document');
    expect([...(vector ?? [])]).toEqual(unit(2, 2, 0).map((value) => expect.closeTo(value, 6)));
  });

  it('gives a zero vector where nothing contributes', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    const vectors = await embedder.doEmbed(['', 'blue', 'zzz'], 'query');
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('cuts at maxInputTokens, and counts what is beyond', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    const [cut, whole] = await embedder.doEmbed(['red red red red green', 'red'], 'document');
    expect([...(cut ?? [])]).toEqual([...(whole ?? [])]);
    expect(embedder.countTokens('red red red red green')).toBe(5);
    expect(embedder.maxInputTokens).toBe(4);
  });

  it('gives a text the same vector alone and among others', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    const word = fc.constantFrom('red', 'green', 'greenish', 'blue', '中');
    const texts = fc.array(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (batch) => {
        const together = await embedder.doEmbed(batch, 'document');
        for (const [i, text] of batch.entries()) {
          const [alone] = await embedder.doEmbed([text], 'query');
          expect(together[i]).toEqual(alone);
          expect([0, expect.closeTo(1, 5)]).toContainEqual(Math.hypot(...(alone ?? [])));
        }
      }),
    );
  });

  it('names the model by the content of its files', async () => {
    const [first, same, other] = await Promise.all([
      createStaticEmbedder({ folder: await writeModel() }),
      createStaticEmbedder({ folder: await writeModel() }),
      createStaticEmbedder({ folder: await writeModel({ termFrequency: 'linear' }) }),
    ]);
    expect(first?.identity).toEqual(same?.identity);
    expect(first?.identity.revision).not.toBe(other?.identity.revision);
    expect(first?.identity).toMatchObject({
      model: 'builtin',
      dimensions: 3,
      normalised: true,
      maxInputTokens: 4,
    });
  });

  it.each(['vectors.int8', 'scales.f32', 'token-idf.f32'])('refuses a %s of a wrong size', async (file) => {
    const folder = await writeModel();
    await truncate(join(folder, file), 5);
    await expect(createStaticEmbedder({ folder })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining(file),
    });
  });

  it.each([
    ['text', 'not json'],
    ['another shape', '{"name":"x"}'],
    ['another pooling', JSON.stringify({ pooling: 'mean' })],
  ])('refuses a model.json of %s', async (_, content) => {
    const folder = await writeModel();
    await writeFile(join(folder, 'model.json'), content);
    await expect(createStaticEmbedder({ folder })).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
  });

  it('refuses a vocabulary of another size', async () => {
    const folder = await writeModel();
    await writeFile(join(folder, 'vocab.txt'), `${VOCABULARY.join('\n')}\nmore\n`);
    await expect(createStaticEmbedder({ folder })).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
  });

  it('says that a folder holds no model', async () => {
    await expect(createStaticEmbedder({ folder: join(parent, 'nowhere') })).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
    });
    await expect(loadBuiltinTokenizer(join(parent, 'nowhere'))).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
    });
  });

  it('is cancelled by its signal', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    await expect(embedder.doEmbed(['red'], 'query', AbortSignal.abort())).rejects.toMatchObject({
      reason: 'ABORTED',
    });
  });
});

describe('adaptation', () => {
  it('changes how queries are read, not documents, and shares the weights', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    const sample = Array.from({ length: 400 }, (_, i) => (i % 3 === 0 ? 'red green' : 'red'));
    const learned = await embedder.adaptation?.learn(sample);
    expect(learned).toEqual(await embedder.adaptation?.learn(sample));
    const adapted = embedder.adaptation?.apply(learned ?? new Uint8Array());
    const [before] = await embedder.doEmbed(['red greenish'], 'query');
    const [query] = (await adapted?.doEmbed(['red greenish'], 'query')) ?? [];
    const [document] = (await adapted?.doEmbed(['red greenish'], 'document')) ?? [];
    expect(document).toEqual(before);
    expect(query).not.toEqual(before);
    expect(Math.hypot(...(query ?? []))).toBeCloseTo(1, 5);
    expect(adapted?.identity).toEqual(embedder.identity);
  });

  it('refuses what another model learnt', async () => {
    const embedder = await createStaticEmbedder({ folder: await writeModel() });
    expect(() => embedder.adaptation?.apply(new Uint8Array(12))).toThrow(
      expect.objectContaining({ reason: 'MODEL_INVALID' }),
    );
  });
});

describe('the model that ships with the package', () => {
  it('finds its folder, and puts related texts nearer than others', async () => {
    const embedder = await createStaticEmbedder();
    const [query, near, far] = await embedder.doEmbed(
      [
        'How do I roll back a deployment?',
        'Reverting a release to the previous version',
        'Recipe for onion soup',
      ],
      'document',
    );
    const similarity = (other: Float32Array | undefined): number =>
      Array.from(query ?? []).reduce((sum, value, i) => sum + value * (other?.[i] ?? 0), 0);
    expect(similarity(near)).toBeGreaterThan(similarity(far) + 0.1);
  });

  it('counts tokens without the vectors', async () => {
    const tokenizer = await loadBuiltinTokenizer();
    expect(tokenizer.countTokens('Hello, world!')).toBe(4);
    expect(await loadBuiltinTokenizer()).toBe(tokenizer);
  });
});
