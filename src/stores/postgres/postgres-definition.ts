import { assertOneAddress, postgresUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';
import type { PostgresServerOptions } from './postgres-options.js';

export const postgresDefinition = defineStore({
  name: 'postgres',
  packages: ['pg@8.23.1'],
  reads: 'server',
  isShared: true,
  open: async ({ server }) => {
    if (server !== undefined) assertOneAddress(server);
    const { url, host, port, database, ssl, username, password, namespace, layout, timeoutMs } = server ?? {};
    const options: PostgresServerOptions = {
      connectionString: url === undefined ? undefined : postgresUrl(url.reveal()),
      ...{ host, port, database, timeoutMs },
      ssl: ssl === true ? ssl : undefined,
      user: username,
      password: password?.reveal(),
      schema: namespace,
    };
    if (layout === 'rag_documents') {
      const { createRagDocumentsStore } = await import('./rag-documents-store.js');
      return createRagDocumentsStore(options);
    }
    const { createPostgresStore } = await import('./postgres-store.js');
    return createPostgresStore(options);
  },
});
