import { get_knowledge_store } from './knowledge-store.js';
import { messageOf } from './message-of.js';
import { HOME, loadSettings } from './settings.js';

// `npm run search -- QUERY [FACT=VALUE...]`
loadSettings();
process.chdir(HOME);
const [query = '', ...facts] = process.argv.slice(2);
const filters = Object.fromEntries(facts.map((fact) => fact.split('=', 2) as [string, string]));
const store = await get_knowledge_store();
try {
  for (const result of await store.search({ query, top_k: 5, filters })) {
    console.log(`${result.source} (score: ${result.score.toFixed(3)})`);
    console.log(`  ${result.passage.replaceAll(/\s+/g, ' ').slice(0, 100)}...`);
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await store.close();
}
