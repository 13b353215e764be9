import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { get_knowledge_store, type KnowledgeStore } from '../src/knowledge-store.js';
import { createService } from '../src/service.js';
import { startChroma } from './chroma-server.js';
import { chooseBackend, temporaryFolder } from './environment.js';

const { TEST_CHROMA_PROGRAM } = process.env;

/** What these tests read of an answer. */
interface Body {
  readonly status?: string;
  readonly error?: string;
  readonly content?: string;
  readonly results?: readonly { readonly docId: string }[];
}

async function whileServed(
  store: KnowledgeStore,
  work: (ask: (path: string) => Promise<{ status: number; body: Body }>) => Promise<void>,
): Promise<void> {
  const service = createService(store);
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  try {
    await work(async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, body: (await response.json()) as Body };
    });
  } finally {
    service.close();
    service.closeAllConnections();
    await store.close();
  }
}

test('the service answers searches, gives documents, and says what is wrong', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const store = await get_knowledge_store();
  await store.index_document('spec/a.md', 'Users sign in with a token.', { type: 'spec' });
  await whileServed(store, async (ask) => {
    const found = await ask('/search?query=sign%20in&type=spec');
    assert.equal(found.body.results?.[0]?.docId, 'spec/a.md');
    assert.deepEqual((await ask('/search?query=sign%20in&type=docs')).body.results, []);
    assert.equal((await ask('/documents/spec%2Fa.md')).body.content, 'Users sign in with a token.');
    assert.deepEqual(
      [(await ask('/documents/nobody')).status, (await ask('/documents/nobody')).body.error],
      [404, 'DocumentNotFoundError'],
    );
    assert.equal((await ask('/search?query=sign%20in&top_k=1000')).status, 400);
    assert.equal((await ask('/health')).body.status, 'healthy');
  });
});

test('health says whether the backend answers, and that it answers again', {
  skip: TEST_CHROMA_PROGRAM === undefined && 'no chroma',
}, async () => {
  const folder = temporaryFolder();
  const first = await startChroma(TEST_CHROMA_PROGRAM ?? '', { folder });
  chooseBackend({
    KNOWLEDGE_STORE_BACKEND: 'chroma',
    KNOWLEDGE_STORE_HOST: '127.0.0.1',
    KNOWLEDGE_STORE_PORT: String(first.port),
  });
  const store = await get_knowledge_store();
  await store.index_document('a', 'A lamp.');
  await whileServed(store, async (ask) => {
    assert.equal((await ask('/health')).status, 200);
    await first.stop();
    assert.deepEqual([(await ask('/health')).status, (await ask('/search?query=lamp')).status], [503, 503]);
    const again = await startChroma(TEST_CHROMA_PROGRAM ?? '', { folder, port: first.port });
    try {
      assert.equal((await ask('/health')).status, 200);
      assert.equal((await ask('/search?query=lamp')).body.results?.[0]?.docId, 'a');
    } finally {
      await again.stop();
    }
  });
});
