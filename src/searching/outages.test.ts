import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compatibleEmbeddingWire, embeddingReply } from '../../tests/fakes/wire/embedding-wire.js';
import {
  jsonReply,
  startWireServer,
  type WireReply,
  type WireServer,
} from '../../tests/fakes/wire/wire-server.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { DegradationLevel } from '../core/degradation.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

type Behaviour = 'well' | 'busy' | 'silent' | 'refuses' | 'zero';

let folder: string;
let server: WireServer;
/** What the server does next, one entry a request; the last one lasts. */
let behaviour: Behaviour[];
const open: Engine[] = [];

const REPLIES: Readonly<Record<Exclude<Behaviour, 'well'>, WireReply>> = {
  busy: jsonReply(429, { error: { message: 'slow down' } }),
  silent: { kind: 'silence' },
  refuses: jsonReply(503, { error: { message: 'no capacity' } }),
  zero: jsonReply(200, {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: Array(16).fill(0) }],
    model: 'test',
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-outages-'));
  await writeFile(join(folder, 'a.md'), '# Report\n\nRevenue grew by three percent.\n');
  await writeFile(join(folder, 'b.md'), '# Manual\n\nPress the red lever to stop the machine.\n');
  behaviour = ['well'];
  server = await startWireServer(compatibleEmbeddingWire, (request) => {
    const now = behaviour.length > 1 ? behaviour.shift() : behaviour[0];
    return now === undefined || now === 'well'
      ? embeddingReply(compatibleEmbeddingWire, request, 16)
      : REPLIES[now];
  });
});

afterEach(async () => {
  // What still waits for the server ends with it.
  await server.close();
  for (const engine of open.splice(0)) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

/** A model whose vectors' length is not known, so that opening it asks its server. */
async function openEngine(retrieval: RAGSettingsInput['retrieval'] = {}): Promise<Engine> {
  const engine = await createEngine({
    cwd: folder,
    config: {
      provider: 'libsql',
      sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }],
      embedding: { model: 'ollama:own-model', cache: { enabled: false } },
      modelProviders: { ollama: { baseUrl: `${server.url}/v1` } },
      retrieval,
    },
  });
  open.push(engine);
  return engine;
}

const denseOf = ({ lanes }: Awaited<ReturnType<Engine['search']>>) =>
  lanes.find(({ lane }) => lane === 'dense');

describe('an embedding service', () => {
  it.each(['busy', 'refuses'] as const)('that is %s once is asked again', async (failure) => {
    const engine = await openEngine();
    await engine.index();
    behaviour = [failure, 'well'];
    const response = await engine.search('red lever');
    expect(denseOf(response)).toMatchObject({ status: 'ran' });
    expect(response.degradationLevel).toBe(DegradationLevel.FULL_RAG);
  });

  it('that stays down leaves the words to answer, and the response says so', async () => {
    const engine = await openEngine();
    await engine.index();
    behaviour = ['busy'];
    const response = await engine.search('red lever');
    expect(response.results[0]?.metadata.source).toBe('b.md');
    expect(response.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
    expect(response.notices.join(' ')).toContain('The dense lane failed');
  });

  it('that hangs is given up at the deadline of a lane', async () => {
    const engine = await openEngine({ laneDeadlineMs: 1000 });
    await engine.index();
    behaviour = ['silent'];
    const response = await engine.search('red lever');
    expect(response.results[0]?.metadata.source).toBe('b.md');
    expect(denseOf(response)?.reason).toContain('1000 ms');
    expect(response.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
  });

  it.each(['busy', 'silent'] as const)(
    'that is %s when the engine starts is no worse than one that fails later, and is used once it is back',
    async (failure) => {
      const first = await openEngine();
      await first.index();
      await first.close();
      behaviour = [failure];
      const engine = await openEngine({ laneDeadlineMs: 1000 });
      const response = await engine.search('red lever');
      expect(response.results[0]?.metadata.source).toBe('b.md');
      expect(response.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
      const answer = await engine.ask({ question: 'What does the red lever stop?', abstainBelow: 0 });
      expect(answer.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
      if (failure === 'silent') return;
      behaviour = ['well'];
      expect(denseOf(await engine.search('red lever'))).toMatchObject({ status: 'ran' });
    },
  );

  it('whose vectors are all zero is named, by a search and by a run, which keeps what was indexed', async () => {
    const engine = await openEngine();
    await engine.index();
    behaviour = ['zero'];
    const response = await engine.search('red lever');
    expect(response.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
    expect(denseOf(response)?.reason).toContain('ollama:own-model returned a vector that is all zero');
    await writeFile(join(folder, 'b.md'), '# Manual\n\nPull the blue handle to stop the machine.\n');
    await expect(engine.index()).rejects.toMatchObject({
      reason: 'EMBEDDING_FAILED',
      message: expect.stringContaining('ollama:own-model returned a vector that is all zero'),
    });
    const { lastRun } = await engine.status();
    expect(lastRun?.error?.reason).toBe('EMBEDDING_FAILED');
    behaviour = ['well'];
    expect((await engine.search('red lever')).results[0]?.content).toContain('red lever');
    await engine.index();
    expect((await engine.search('blue handle')).results[0]?.content).toContain('blue handle');
  });

  it('of another model than that of the index is refused, not left out', async () => {
    const first = await openEngine();
    await first.index();
    const other = await createEngine({ cwd: folder, config: { provider: 'libsql' } });
    open.push(other);
    await expect(other.search('red lever')).rejects.toMatchObject({ reason: 'STORE_FINGERPRINT_MISMATCH' });
  });
});
