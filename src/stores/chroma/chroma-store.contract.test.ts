import { randomUUID } from 'node:crypto';
import { ChromaClient } from 'chromadb';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { testVectorStore } from '../../testing/index.js';
import { chromaName, SCHEMA_VERSION, specMetadata } from './chroma-names.js';
import { createChromaStore } from './chroma-store.js';

withTestServer({ describe, it }, { store: 'chroma', variable: 'RAGSTONE_TEST_CHROMA_URL' }, (url) => {
  const { hostname: host, port } = new URL(url);
  const admin = { host, port: Number(port), ssl: false };
  testVectorStore({
    name: 'chroma',
    runner: { describe, it },
    server: url,
    create: async () => {
      // A database of its own for each test, so that the collections of one are empty in the next.
      const database = `test_${randomUUID()}`;
      const { AdminClient } = await import('chromadb');
      const server = new AdminClient(admin);
      await unlessLocked(() => server.createDatabase({ name: database, tenant: 'default_tenant' }));
      const options = { ...admin, database };
      return {
        store: createChromaStore(options),
        reopen: async (route) => createChromaStore({ ...options, ...route }),
        makeSchemaNewer: async (name) => {
          const collection = await new ChromaClient(options).getCollection({ name: chromaName(name) });
          const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
          await collection.modify({ metadata: specMetadata(spec, SCHEMA_VERSION + 1) });
        },
        cleanup: async () => {
          const client = new ChromaClient(options);
          for (const { name } of await client.listCollections())
            await unlessLocked(() => client.deleteCollection({ name }));
          await unlessLocked(() => server.deleteDatabase({ name: database, tenant: 'default_tenant' }));
        },
      };
    },
  });
});

/** The server refuses changes of its catalogue while another of them is written, as by a test file that runs beside. */
async function unlessLocked<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === 10 || !String(error).includes('database is locked')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
    }
  }
}
