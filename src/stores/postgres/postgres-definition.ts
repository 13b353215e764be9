import { assertOneAddress, postgresUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';
import type { ServerSettings } from '../store-settings.js';
import type { PostgresServerOptions } from './postgres-options.js';

export const postgresDefinition = defineStore({
  name: 'postgres',
  packages: ['pg@8.23.1'],
  reads: 'server',
  isShared: true,
  open: async ({ server }) => {
    const options = serverOptions(server);
    if (server?.layout === 'rag_documents') {
      const { createRagDocumentsStore } = await import('./rag-documents-store.js');
      return createRagDocumentsStore(options);
    }
    const { createPostgresStore } = await import('./postgres-store.js');
    return createPostgresStore(options);
  },
  foreignName: 'rag_documents',
  openForeign: async ({ server }, name) => {
    const { openForeignRagDocuments } = await import('./foreign-rag-documents.js');
    return openForeignRagDocuments(serverOptions(server), name);
  },
});

function serverOptions(server: ServerSettings | undefined): PostgresServerOptions {
  if (server !== undefined) assertOneAddress(server);
  const { url, host, port, database, ssl, username, password, namespace, timeoutMs } = server ?? {};
  return {
    connectionString: url === undefined ? undefined : postgresUrl(url.reveal()),
    ...{ host, port, database, timeoutMs },
    ssl: ssl === true ? ssl : undefined,
    user: username,
    password: password?.reveal(),
    schema: namespace,
  };
}
