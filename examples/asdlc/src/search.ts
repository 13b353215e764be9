import { withStore } from './with-store.js';

// `npm run search -- QUERY [FACT=VALUE...]`
const [query = '', ...facts] = process.argv.slice(2);
const filters = Object.fromEntries(facts.map((fact) => fact.split('=', 2) as [string, string]));
await withStore(async (store) => {
  for (const result of await store.search({ query, top_k: 5, filters })) {
    console.log(`${result.source} (score: ${result.score.toFixed(3)})`);
    console.log(`  ${result.passage.replaceAll(/\s+/g, ' ').slice(0, 100)}...`);
  }
});
