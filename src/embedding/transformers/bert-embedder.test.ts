import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { borrowed } from '../../resources/assembly/own-parts.js';
import { testEmbedder } from '../../testing/parts/embedder-suite.js';
import type { Embedder } from '../embedder.js';
import { unigramJson } from '../encoder/unigram/test-unigram.js';
import { createBertEmbedder } from './bert-embedder.js';
import { createTransformersEmbedder } from './transformers-embedder.js';

const MODEL = join(import.meta.dirname, '../../../../shared/models/all-MiniLM-L6-v2');
const isAbsent = !existsSync(MODEL);
if (isAbsent) console.warn(`skipped: tests of the BERT embedder, because ${MODEL} is absent`);

let opened: Promise<Embedder> | undefined;
const open = (): Promise<Embedder> => {
  opened ??= createBertEmbedder({ model: MODEL, threads: 1, queryPrefix: 'query: ' });
  return opened;
};
afterAll(async () => (await opened)?.close());

if (!isAbsent)
  testEmbedder({
    name: 'BERT kernel',
    runner: { describe, it },
    create: async () => borrowed(await open()),
  });

describe.skipIf(isAbsent)('createBertEmbedder with MiniLM', () => {
  let embedder: Embedder;
  let folder: string;
  beforeAll(async () => {
    embedder = await open();
    folder = await mkdtemp(join(tmpdir(), 'bert-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('makes the vectors and counts the tokens that the package does', async () => {
    const texts = [
      '',
      'How is a revoked key replaced?',
      'Größe, façade, İstanbul, Ångström',
      '认证失败时应该怎么办？ 日本語の文書',
      'emoji 👍🏽, half a pair \udc00, [MASK]',
      'for (const [a, b] of pairs) if (a !== b) throw new Error(a + "?");',
      'word '.repeat(270),
      'a'.repeat(150),
    ];
    const theirs = await createTransformersEmbedder({ model: MODEL, threads: 1, queryPrefix: 'query: ' });
    try {
      const expected = await theirs.doEmbed(texts, 'query');
      for (const [at, vector] of (await embedder.doEmbed(texts, 'query')).entries()) {
        const cosine = vector.reduce((sum, value, d) => sum + value * (expected[at]?.[d] ?? 0), 0);
        expect(cosine, texts[at]).toBeGreaterThan(0.9999);
      }
      for (const text of texts) expect(embedder.countTokens(text)).toBe(theirs.countTokens(text));
    } finally {
      await theirs.close();
    }
    expect(embedder.identity).toEqual({ ...theirs.identity, model: 'onnx:all-MiniLM-L6-v2' });
  });

  it('is refused with another hash than is pinned', async () => {
    const sha256 = 'f'.repeat(64);
    await expect(createBertEmbedder({ model: MODEL, sha256 })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining(`${sha256} is wanted`),
    });
  });

  it.each([
    ['a cased vocabulary', 'tokenizer.json', '"lowercase":true', '"lowercase":false', 'normalizer.lowercase'],
    ['another kind of network', 'config.json', '"bert"', '"distilbert"', 'model_type'],
    [
      'another number of heads',
      'config.json',
      '"num_attention_heads": 12',
      '"num_attention_heads": 6',
      '6 heads',
    ],
  ])('refuses %s, and names what runs it', async (name, file, from, to, why) => {
    const copy = join(folder, name);
    await cp(MODEL, copy, { recursive: true });
    const text = await readFile(join(copy, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(copy, file), text.replace(from, to));
    await expect(createBertEmbedder({ model: copy })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringMatching(new RegExp(`${why}.*transformers:`)),
    });
  });

  describe('and a Unigram tokenizer', () => {
    const withTokenizer = async (name: string, json: object): Promise<string> => {
      const copy = join(folder, name);
      await cp(MODEL, copy, { recursive: true });
      await writeFile(join(copy, 'tokenizer.json'), JSON.stringify(json));
      return copy;
    };

    it('makes the vectors that the package does, with the prefixes of E5', async () => {
      const model = await withTokenizer('unigram', unigramJson());
      const special = { bos_token: '<s>', eos_token: '</s>', cls_token: '<s>', sep_token: '</s>' };
      await writeFile(
        join(model, 'tokenizer_config.json'),
        JSON.stringify({ tokenizer_class: 'XLMRobertaTokenizer', pad_token: '<pad>', ...special }),
      );
      const options = { model, threads: 1, queryPrefix: 'the ', documentPrefix: 'station: ' };
      const texts = ['the station', '中文, a <mask> in caf\u00e9', '', 'the '.repeat(400)];
      const ours = await createBertEmbedder(options);
      const theirs = await createTransformersEmbedder(options);
      try {
        for (const kind of ['query', 'document'] as const) {
          const expected = await theirs.doEmbed(texts, kind);
          for (const [at, vector] of (await ours.doEmbed(texts, kind)).entries()) {
            const cosine = vector.reduce((sum, value, d) => sum + value * (expected[at]?.[d] ?? 0), 0);
            expect(cosine, texts[at]).toBeGreaterThan(0.9999);
          }
        }
        for (const text of texts) expect(ours.countTokens(text)).toBe(theirs.countTokens(text));
      } finally {
        await Promise.all([ours.close(), theirs.close()]);
      }
    });

    const { model: file } = unigramJson();
    it.each<[string, Record<string, unknown>, string]>([
      ['another normaliser', { normalizer: { type: 'Lowercase' } }, '"Lowercase" of normalizer.type'],
      [
        'a step of another kind',
        { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }] } },
        '"NFKC" of normalizer.normalizers.0.type',
      ],
      ['another split', { pre_tokenizer: { type: 'ByteLevel' } }, '"ByteLevel" of pre_tokenizer.type'],
      [
        'bytes in place of unknown',
        { model: { ...Object(file), byte_fallback: true } },
        'true of model.byte_fallback',
      ],
      ['another model', { model: { type: 'BPE', vocab: {} } }, '"BPE" of model.type'],
      ['ids beyond its pieces', { model: { ...Object(file), unk_id: 99 } }, 'gaps'],
    ])('is refused with %s', async (name, changes, why) => {
      const model = await withTokenizer(name, unigramJson(changes));
      await expect(createBertEmbedder({ model })).rejects.toMatchObject({
        reason: 'MODEL_INVALID',
        message: expect.stringMatching(new RegExp(`${why}.*transformers:`)),
      });
    });
  });
});
