import type { AddressInfo } from 'node:net';
import { get_knowledge_store } from './knowledge-store.js';
import { messageOf } from './message-of.js';
import { createService } from './service.js';
import { HOME, loadSettings } from './settings.js';

async function start(): Promise<void> {
  loadSettings();
  process.chdir(HOME);
  const store = await get_knowledge_store();
  const isHealthy = await store.health_check();
  for (const notice of store.notices) console.log(notice);
  if (!isHealthy) console.log('The backend does not answer yet: GET /health says when it does.');
  const service = createService(store);
  service.listen(Number(process.env.PORT || 7250), '127.0.0.1', () => {
    console.log(`The knowledge store listens at http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  });
  let isStopping = false;
  // A terminal sends Ctrl-C to this program and to npm, which passes it on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      service.close();
      service.closeAllConnections();
      void store.close();
    });
}

start().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
