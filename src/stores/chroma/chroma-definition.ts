import { serverUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';
import type { ServerSettings } from '../store-settings.js';
import { withCollectionPrefix } from '../with-collection-prefix.js';
import type { ChromaServerOptions } from './chroma-connection.js';

/** The server that is named; else one of our own on the folder, where the settings ask for a local Chroma. */
export const chromaDefinition = defineStore({
  name: 'chroma',
  packages: ['chromadb@3.5.0'],
  program: 'chroma',
  reads: 'server',
  open: async ({ server, path, isPathStated, localType, collection }) => {
    const { createChromaStore } = await import('./chroma-store.js');
    const url = serverUrl(server, 8000);
    if (url === undefined && (localType === 'chroma' || isPathStated)) {
      const { startLocalChroma } = await import('./local-chroma.js');
      const running = await startLocalChroma({ path });
      return withCollectionPrefix(createChromaStore({ server: running }), collection);
    }
    return withCollectionPrefix(createChromaStore(serverOptions(server)), server?.namespace ?? 'ragstone');
  },
  openForeign: async ({ server, path, isPathStated, localType }, name) => {
    const { openForeignCollection } = await import('./foreign-collection.js');
    if (serverUrl(server, 8000) !== undefined || (localType !== 'chroma' && !isPathStated))
      return openForeignCollection(serverOptions(server), name);
    const { startLocalChroma } = await import('./local-chroma.js');
    const running = await startLocalChroma({ path });
    const { host, port } = running;
    return openForeignCollection({ host, port }, name, () => running.close());
  },
});

function serverOptions(server: ServerSettings | undefined): ChromaServerOptions {
  const url = serverUrl(server, 8000);
  return {
    ...(url === undefined ? {} : addressOf(url)),
    ...(server?.apiKey === undefined ? {} : { token: server.apiKey.reveal() }),
    ...(server === undefined ? {} : { timeoutMs: server.timeoutMs }),
  };
}

function addressOf(url: URL): { host: string; port: number; ssl: boolean } {
  const ssl = url.protocol === 'https:';
  return { host: url.hostname, port: Number(url.port) || (ssl ? 443 : 8000), ssl };
}
