import { followRepository } from './follow-repository.js';
import { repositoryOf } from './settings.js';
import { withStore } from './with-store.js';

// `npm run sync`, and the commit hook: the knowledge store follows the last commit.
await withStore(async (store) => {
  const [repository = repositoryOf(process.env)] = process.argv.slice(2);
  const { indexed, deleted, unchanged } = await followRepository(store, repository);
  console.log(`Knowledge store: ${indexed} indexed, ${deleted} deleted, ${unchanged} unchanged.`);
}, ' The next commit, or npm run sync, catches up.');
