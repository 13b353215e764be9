import assert from 'node:assert/strict';
import { type Embedder, fingerprintOf } from '../../embedding/embedder.js';
import { type PartContractOptions, registerTests } from './contract.js';

export interface EmbedderContractOptions extends PartContractOptions<Embedder> {
  /**
   * Largest difference between two vectors of one text, in cosine: batches of other sizes may be computed in another order.
   * @default 1e-4
   */
  readonly tolerance?: number | undefined;
}

const TEXTS = [
  'The beacon is lit at dusk.',
  'A tender brings oil to the island each month.',
  'Größe, 日本語, emoji 👍 and a half \udc00 pair.',
  'x',
  'word '.repeat(40),
];

/**
 * Registers the contract that every `Embedder` must keep:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testEmbedder({ name: 'mine', runner: { describe, it }, create: async () => openMyModel() });
 * ```
 *
 * It embeds a few dozen short texts. Failures are `AssertionError`s of `node:assert`.
 */
export function testEmbedder(options: EmbedderContractOptions): void {
  const { tolerance = 1e-4 } = options;
  registerTests('Embedder', options, {
    'its facts agree with each other': async ({ identity, dimensions, maxInputTokens, maxBatch }) => {
      assert.equal(identity.dimensions, dimensions);
      assert.equal(identity.maxInputTokens, maxInputTokens);
      for (const [name, value] of Object.entries({ dimensions, maxInputTokens, maxBatch }))
        assert.ok(value > 0 && (Number.isInteger(value) || name !== 'dimensions'), `${name} is ${value}`);
      assert.ok(identity.model !== '' && identity.revision !== '', 'model and revision have names');
    },

    'opened again it is the same model': async (embedder) => {
      const again = await options.create();
      try {
        assert.equal(fingerprintOf(again.identity), fingerprintOf(embedder.identity));
        await assertEqualVectors(await embedder.doEmbed(TEXTS, 'document'), again, tolerance);
      } finally {
        await again.close();
      }
    },

    'vectors come one a text, in order, of unit length or all zero': async (embedder) => {
      for (const kind of ['query', 'document'] as const) {
        const vectors = await embedder.doEmbed(TEXTS, kind);
        assert.equal(vectors.length, TEXTS.length);
        for (const vector of vectors) assertVector(vector, embedder);
      }
    },

    'a text has the same vector alone and in any batch': async (embedder) => {
      const together = await embedder.doEmbed(TEXTS, 'document');
      for (const [index, text] of TEXTS.entries()) {
        const [alone] = await embedder.doEmbed([text], 'document');
        assertNear(alone, together[index], tolerance, text);
      }
      const reversed = await embedder.doEmbed(TEXTS.toReversed(), 'document');
      for (const [index, vector] of together.entries())
        assertNear(reversed.at(-1 - index), vector, tolerance, TEXTS[index] ?? '');
    },

    'empty text and no text at all are no error': async (embedder) => {
      assert.deepEqual(await embedder.doEmbed([], 'document'), []);
      const [vector] = await embedder.doEmbed([''], 'document');
      assertVector(vector, embedder);
    },

    'a text beyond its limit is cut and not refused, and the count tells': async (embedder) => {
      const long = 'lighthouse '.repeat(Math.min(embedder.maxInputTokens + 50, 20_000));
      assert.ok(embedder.countTokens(long) > embedder.countTokens('lighthouse'));
      const [vector] = await embedder.doEmbed([long], 'document');
      assertVector(vector, embedder);
    },

    'it takes as many texts at once as it says': async (embedder) => {
      const size = Math.min(embedder.maxBatch, 64);
      const texts = Array.from({ length: size }, (_, index) => `text ${index}`);
      const vectors = await embedder.doEmbed(texts, 'document');
      assert.equal(vectors.length, size);
    },

    'near texts are nearer than far ones': async (embedder) => {
      const [lamp, light, stocks] = await embedder.doEmbed(
        ['The lamp of the lighthouse.', 'The light of the lighthouse lamp.', 'Stock prices fell on Monday.'],
        'document',
      );
      assert.ok(cosine(lamp, light) > cosine(lamp, stocks), 'similar texts have similar vectors');
    },

    'a cancelled call is not answered': async (embedder) => {
      const cancelled = AbortSignal.abort();
      await assert.rejects(async () => embedder.doEmbed(TEXTS, 'document', cancelled));
    },
  });
}

async function assertEqualVectors(
  expected: readonly Float32Array[],
  embedder: Embedder,
  tolerance: number,
): Promise<void> {
  const vectors = await embedder.doEmbed(TEXTS, 'document');
  for (const [index, vector] of vectors.entries())
    assertNear(vector, expected[index], tolerance, TEXTS[index] ?? '');
}

function assertVector(vector: Float32Array | undefined, { dimensions }: Embedder): void {
  assert.ok(vector instanceof Float32Array, 'a vector is a Float32Array');
  assert.equal(vector.length, dimensions);
  assert.ok(vector.every(Number.isFinite), 'every component is a finite number');
  const norm = Math.hypot(...vector);
  assert.ok(norm === 0 || Math.abs(norm - 1) < 1e-3, `the length of a vector is 1 or 0, not ${norm}`);
}

function assertNear(
  actual: Float32Array | undefined,
  expected: Float32Array | undefined,
  tolerance: number,
  text: string,
): void {
  const isZero = [actual, expected].every((vector) => vector?.every((component) => component === 0));
  assert.ok(
    isZero || cosine(actual, expected) >= 1 - tolerance,
    `the vectors of ${JSON.stringify(text.slice(0, 40))} differ: cosine ${cosine(actual, expected)}`,
  );
}

/** Of vectors of unit length. */
const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number =>
  a.reduce((sum, component, index) => sum + component * (b[index] ?? 0), 0);
