import { get_knowledge_store, type KnowledgeStore } from './knowledge-store.js';
import { messageOf } from './message-of.js';
import { HOME, loadSettings } from './settings.js';

/** Runs a command over the knowledge store that the settings name. A failure is one sentence and exit code 1; `hint` follows it. */
export async function withStore(work: (store: KnowledgeStore) => Promise<void>, hint = ''): Promise<void> {
  try {
    loadSettings();
    process.chdir(HOME);
    const store = await get_knowledge_store();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    console.error(`Knowledge store: ${messageOf(error)}${hint}`);
    process.exitCode = 1;
  }
}
