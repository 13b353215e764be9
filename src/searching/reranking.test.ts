import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DegradationLevel } from '../core/degradation.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import { writeTinyBert } from '../reranking/cross-encoder/test-bert-classifier.js';
import { writeTinyClassifier } from '../reranking/cross-encoder/test-classifier.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reranking-'));
  await writeTinyClassifier(join(folder, 'models', 'tiny'), { columns: [1] });
  await writeTinyBert(join(folder, 'models', 'tiny-bert'));
});
afterAll(() => rm(folder, { recursive: true }));

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

const TEXTS = ['query bad', 'query best query', 'query fair', 'good'];

async function engineWith(rerank: object): Promise<Engine> {
  const engine = await createEngine({
    config: { provider: 'memory', retrieval: { topK: 4, rerank: { enabled: true, ...rerank } } },
    cwd: folder,
    dataDir: join(folder, 'data'),
  });
  open.push(engine);
  await engine.index({ documents: TEXTS.map((text, i) => ({ id: `d${i}`, text })) });
  return engine;
}

const rerankOf = ({ lanes }: Awaited<ReturnType<Engine['search']>>) =>
  lanes.find(({ lane }) => lane === 'rerank');

const SAYS = /ms-marco-MiniLM-L-6-v2.*ragstone model add.*The built-in reranker took its place/;

describe('reranking, configured', () => {
  it('runs the built-in one', async () => {
    const response = await (await engineWith({})).search('query best');
    expect(rerankOf(response)?.status).toBe('ran');
    expect(response.degradationLevel).toBe(DegradationLevel.FULL_RAG);
    expect(response.results[0]?.metadata.source).toBe('d1');
  });

  it('runs a cross-encoder out of a folder, and keeps rerank.topK results', async () => {
    const engine = await engineWith({ model: 'cross-encoder:models/tiny', topK: 2, deadlineMs: 30_000 });
    const response = await engine.search({ text: 'query', options: { explainScore: true } });
    expect(rerankOf(response)?.status).toBe('ran');
    // The model adds up its words: `best` counts most.
    expect(response.results.map(({ metadata }) => metadata.source)).toEqual(['d1', 'd2']);
    expect(response.results[0]?.explanation?.rerankScore).toBeGreaterThan(0.5);
    const asked = await engine.search({ text: 'query', options: { topK: 3 } });
    expect(asked.results).toHaveLength(3);
  });

  it('runs a cross-encoder without a package, and none of another hash than is pinned', async () => {
    const all = await engineWith({ model: 'onnx:models/tiny-bert', deadlineMs: 30_000 });
    const response = await all.search('query');
    expect(rerankOf(response)).toMatchObject({ status: 'ran', candidates: 4 });
    expect(rerankOf(response)?.reason).toBeUndefined();
    const few = await engineWith({
      model: 'onnx:models/tiny-bert',
      deadlineMs: 30_000,
      sha256: '0'.repeat(64),
    });
    const refused = await few.search('query');
    expect(refused.degradationLevel).toBe(DegradationLevel.NO_RERANKING);
    expect(rerankOf(refused)?.reason).toContain('is wanted');
  });

  it('takes the built-in one for a model that is not there, and says which and what to do', async () => {
    const missing = await engineWith({ model: 'cross-encoder/ms-marco-MiniLM-L-6-v2' });
    const response = await missing.search('query best');
    expect(response.degradationLevel).toBe(DegradationLevel.FULL_RAG);
    expect(rerankOf(response)).toMatchObject({ status: 'ran', reason: expect.stringMatching(SAYS) });
    expect(response.notices).toContainEqual(expect.stringMatching(SAYS));
    const builtin = await (await engineWith({ model: 'builtin' })).search('query best');
    const placesOf = ({ results }: typeof response) =>
      results.map(({ metadata, score }) => [metadata.source, score]);
    expect(placesOf(response)).toEqual(placesOf(builtin));
  });

  it('goes on without a model that is late', async () => {
    const engine = await engineWith({ model: 'cross-encoder:models/tiny', deadlineMs: 1 });
    const response = await engine.search('query');
    expect(response.degradationLevel).toBe(DegradationLevel.NO_RERANKING);
    expect(rerankOf(response)?.reason).toContain('1 ms');
  });
});
