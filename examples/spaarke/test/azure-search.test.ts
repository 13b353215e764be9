import './fresh-data.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clientOf, operatorOf } from '../src/client.js';
import { type RunningSpaarke, startSpaarke } from '../src/start-spaarke.js';

/** A service with the interface of Azure AI Search, and the key that it takes. */
const searchEndpoint = process.env.TEST_AZURE_SEARCH_URL;
const skip = searchEndpoint === undefined && 'TEST_AZURE_SEARCH_URL names no service';

let spaarke: RunningSpaarke;
before(async () => {
  spaarke = await startSpaarke({ env: { CUSTOMER_SEARCH_KEY: 'admin-key', CUSTOMER_OTHER_KEY: 'wrong' } });
});
after(() => spaarke.stop());

const placeWith = (secret: string) => ({
  model: 'CustomerOwned' as const,
  provider: 'azure_ai_search',
  searchEndpoint: searchEndpoint ?? '',
  indexName: 'knowledge',
  apiKeySecretName: `env:${secret}`,
});

test('a customer has its documents in an Azure AI Search service of its own', { skip }, async () => {
  const [operator, customer] = [operatorOf(spaarke.url), clientOf('alpenrhein.bank', { url: spaarke.url })];
  await customer.indexDocument({ id: 'vault', content: 'The vault is opened by two persons.' });
  const refused = await operator.validateDeployment('alpenrhein.bank', placeWith('CUSTOMER_OTHER_KEY'));
  assert.equal(refused.isValid, false);
  assert.match(refused.errors.join(), /admin key/);

  assert.equal(
    (await operator.moveDeployment('alpenrhein.bank', placeWith('CUSTOMER_SEARCH_KEY'))).copied,
    1,
  );
  await customer.indexDocument({ id: 'night', content: 'At night the vault stays shut.' });
  const { results } = await customer.search({ query: 'Who opens the vault?', minScore: 0 });
  assert.deepEqual(results.map(({ id }) => id).sort(), ['night', 'vault']);
  assert.equal(results[0]?.deploymentModel, 'CustomerOwned');
  const others = await clientOf('harborline', { url: spaarke.url }).search({
    query: 'the vault',
    minScore: 0,
  });
  assert.deepEqual(others.results, []);
  await customer.deleteKnowledgeDocument('vault');
  const left = await customer.search({ query: 'Who opens the vault?', minScore: 0 });
  assert.deepEqual(
    left.results.map(({ id }) => id),
    ['night'],
  );
});
