import { followRepository } from './follow-repository.js';
import { get_knowledge_store } from './knowledge-store.js';
import { messageOf } from './message-of.js';
import { HOME, loadSettings, repositoryOf } from './settings.js';

// `npm run sync`, and the commit hook: the knowledge store follows the last commit.
loadSettings();
process.chdir(HOME);
const [repository = repositoryOf(process.env)] = process.argv.slice(2);
const store = await get_knowledge_store();
try {
  const { indexed, deleted, unchanged } = await followRepository(store, repository);
  console.log(`Knowledge store: ${indexed} indexed, ${deleted} deleted, ${unchanged} unchanged.`);
} catch (error) {
  console.error(`Knowledge store: ${messageOf(error)} The next commit, or npm run sync, catches up.`);
  process.exitCode = 1;
} finally {
  await store.close();
}
