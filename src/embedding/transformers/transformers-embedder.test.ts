import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../embedder.js';
import { createTransformersEmbedder, loadTransformers } from './transformers-embedder.js';

const MODEL = join(import.meta.dirname, '../../../../shared/models/all-MiniLM-L6-v2');
const isAbsent = !existsSync(MODEL);
if (isAbsent) console.warn(`skipped: tests of the transformers embedder, because ${MODEL} is absent`);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformers-'));
});
afterAll(() => rm(folder, { recursive: true }));

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  Array.from(a ?? []).reduce((sum, value, i) => sum + value * (b?.[i] ?? Number.NaN), 0);

describe('loadTransformers', () => {
  it('names the package, its version and the command where it is missing', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadTransformers(() => Promise.reject(missing))).rejects.toMatchObject({
      reason: 'PACKAGE_MISSING',
      message: expect.stringContaining('npm install @huggingface/transformers@4.3.1'),
      cause: missing,
    });
  });
});

describe('finding a model', () => {
  it('says where it looked, and what would fetch it', async () => {
    const model = 'Xenova/no-such-model';
    await expect(createTransformersEmbedder({ model, cacheDir: folder })).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringMatching(/allow remote models/),
    });
    await expect(createTransformersEmbedder({ model, allowRemote: true })).rejects.toThrow(
      /a folder to keep models in/,
    );
  });

  it.each(['../outside', './models/x/y', 'a/../../absent', '/nowhere/at/all'])(
    'never takes the path %s for a hub id',
    async (model) => {
      const created = createTransformersEmbedder({
        model,
        cacheDir: folder,
        allowRemote: true,
        remoteHost: 'http://127.0.0.1:9',
      });
      await expect(created).rejects.toThrow(/no hub id/);
    },
  );
});

describe.skipIf(isAbsent)('createTransformersEmbedder with MiniLM', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await createTransformersEmbedder({ model: MODEL });
  });
  afterAll(() => embedder.close());

  it('reads the settings of the model', () => {
    expect(embedder.identity).toMatchObject({
      model: 'transformers:all-MiniLM-L6-v2',
      dimensions: 384,
      pooling: 'mean',
      normalised: true,
      maxInputTokens: 256,
    });
    expect(embedder.isCheap).toBe(false);
    expect(embedder.countTokens('Hello, world!')).toBe(6);
  });

  it('puts related texts near each other', async () => {
    const [query, near, far] = await embedder.doEmbed(
      ['How do I undo a commit?', 'Reverting changes in git', 'The soup needs more salt'],
      'query',
    );
    expect(dot(query, query)).toBeCloseTo(1, 5);
    expect(dot(query, near)).toBeGreaterThan(0.4);
    expect(dot(query, far)).toBeLessThan(0.2);
  });

  it('gives a text the same vector alone and in a batch of other lengths, in order', async () => {
    const texts = ['short', 'a longer text about the weather in spring '.repeat(8), 'two words', ''];
    const together = await embedder.doEmbed(texts, 'document');
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.doEmbed([text], 'document');
      expect(dot(alone, together[i])).toBeGreaterThan(0.999);
    }
    const small = await createTransformersEmbedder({ model: MODEL, batchSize: 2 });
    const inTwos = await small.doEmbed(texts, 'document');
    for (const [i, vector] of together.entries()) expect(dot(vector, inTwos[i])).toBeGreaterThan(0.999);
    await small.close();
  });

  it('reads 256 tokens: past the 128 its tokenizer.json says, and no more', async () => {
    const words = (count: number, last: string): string => `${'cat '.repeat(count)}${last}`;
    const [base, at200, at200Other, beyond, beyondOther] = await embedder.doEmbed(
      [
        words(254, ''),
        words(200, 'database'),
        words(200, 'cat'),
        words(254, 'database'),
        words(254, 'cat cat'),
      ],
      'document',
    );
    expect(dot(at200, at200Other)).toBeLessThan(0.99999);
    expect(dot(beyond, base)).toBeGreaterThan(0.99999);
    expect(dot(beyondOther, base)).toBeGreaterThan(0.99999);
    expect(embedder.countTokens(words(254, 'database'))).toBe(257);
  });

  it('puts its prefixes before texts, and into its identity', async () => {
    const prefixed = await createTransformersEmbedder({
      model: MODEL,
      queryPrefix: 'query: ',
      documentPrefix: 'passage: ',
    });
    const [asQuery] = await prefixed.doEmbed(['cat'], 'query');
    const [asDocument] = await prefixed.doEmbed(['cat'], 'document');
    const [query, document] = await embedder.doEmbed(['query: cat', 'passage: cat'], 'query');
    expect(dot(asQuery, query)).toBeGreaterThan(0.999);
    expect(dot(asDocument, document)).toBeGreaterThan(0.999);
    expect(dot(asQuery, asDocument)).toBeLessThan(0.99);
    expect(prefixed.identity).toMatchObject({ queryPrefix: 'query: ', documentPrefix: 'passage: ' });
    await prefixed.close();
  });

  it('is cancelled by its signal', async () => {
    await expect(embedder.doEmbed(['a'], 'query', AbortSignal.abort())).rejects.toMatchObject({
      reason: 'ABORTED',
    });
  });

  it('prints nothing', () => {
    const module = join(import.meta.dirname, 'transformers-embedder.ts');
    const script = `
      import { createTransformersEmbedder } from ${JSON.stringify(module)};
      const embedder = await createTransformersEmbedder({ model: process.argv[1] });
      await embedder.doEmbed(['a'], 'query');
      await embedder.close();`;
    const child = spawnSync(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
      MODEL,
    ]);
    expect({ status: child.status, printed: child.stdout.toString() }).toEqual({ status: 0, printed: '' });
  });
});

describe.skipIf(isAbsent)('fetching a model from a hub', () => {
  let server: Server;
  let remoteHost: string;
  const requested: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requested.push(request.url ?? '');
      const file = join(MODEL, (request.url ?? '').replace('/owner/mini/resolve/main/', ''));
      access(file).then(
        () => createReadStream(file).pipe(response),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    remoteHost = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  });
  afterAll(() => new Promise((closed) => server.close(closed)));

  it('fetches once, then works without the hub, with vectors comparable to those of the local model', async () => {
    const options = { model: 'owner/mini', cacheDir: join(folder, 'hub') };
    await expect(createTransformersEmbedder({ ...options, remoteHost })).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
    });
    expect(requested).toEqual([]);

    const fetched = await createTransformersEmbedder({ ...options, remoteHost, allowRemote: true });
    const local = await createTransformersEmbedder({ model: MODEL });
    expect(fetched.identity).toEqual({ ...local.identity, model: 'transformers:mini' });
    const requests = requested.length;

    const again = await createTransformersEmbedder({
      ...options,
      allowRemote: true,
      remoteHost: 'http://127.0.0.1:9',
    });
    const [vector] = await again.doEmbed(['hello'], 'query');
    expect(vector?.length).toBe(384);
    expect(requested.length).toBe(requests);
    await Promise.all([fetched.close(), local.close(), again.close()]);
  });

  it('leaves nothing behind where the hub lacks a file', async () => {
    const cacheDir = join(folder, 'partial');
    const created = createTransformersEmbedder({
      model: 'owner/mini',
      cacheDir,
      remoteHost,
      allowRemote: true,
      dtype: 'fp16',
    });
    await expect(created).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringContaining('model_fp16.onnx'),
    });
    expect(await readdir(cacheDir, { recursive: true })).toEqual(['owner']);
  });
});
