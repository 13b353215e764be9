import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { AzureSearchService } from '../../../tests/fakes/services/azure-search/azure-search-service.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';

const KEY = 'customers-own-key';

async function customer(key = KEY) {
  const service = await AzureSearchService.start({ apiKey: KEY });
  const deployments = await createKnowledgeDeployments({
    cwd: temporaryFolder(),
    config: { provider: 'libsql', deployments: { secrets: ['vault:*'] } },
    dataDir: 'data',
    secretResolvers: [{ scheme: 'vault', resolve: async () => key }],
  });
  onTestFinished(async () => {
    await deployments.close();
    await service.stop();
  });
  const input: KnowledgeDeploymentInput = {
    tenantId: 'globex',
    model: 'CustomerOwned',
    provider: 'azure_ai_search',
    searchEndpoint: service.url,
    indexName: 'customer-knowledge-index',
    apiKeySecretName: 'vault:customer-api-key-secret',
  };
  return { service, deployments, input };
}

const found = { text: 'blue lamp', options: { minSimilarity: 0 } };

describe('an Azure AI Search service that a customer provides', () => {
  it('is validated, serves its tenant alone, and forgets', async () => {
    const { service, deployments, input } = await customer();
    expect(await deployments.validateCustomerOwnedDeployment(input)).toMatchObject({
      isValid: true,
      errors: [],
    });
    const acme = (await deployments.of({ tenant: 'acme' })).view;
    const globex = (await deployments.of({ tenant: 'globex' })).view;
    await acme.push([{ id: 'a', text: 'The blue lamp of Acme.' }]);
    await globex.push([{ id: 'g', text: 'The blue lamp of Globex.' }]);
    expect(await deployments.moveTenant(input)).toMatchObject({ copied: 1 });
    const contents = async (view: typeof globex) =>
      (await view.search(found)).results.map(({ content }) => content);
    expect(await contents(globex)).toEqual(['The blue lamp of Globex.']);
    expect(await contents(acme)).toEqual(['The blue lamp of Acme.']);
    await globex.push([{ id: 'h', text: 'Another lamp of Globex.' }]);
    expect((await globex.list()).documents.map(({ externalId }) => externalId).sort()).toEqual(['g', 'h']);
    const documents = (): unknown[] => service.indexNames.flatMap((name) => service.documentsOf(name));
    expect(documents()).toHaveLength(2);
    expect(JSON.stringify(documents())).not.toContain('Acme');
    await globex.delete(['g']);
    expect(await contents(globex)).toEqual(['Another lamp of Globex.']);
    await expect.poll(() => JSON.stringify(documents())).not.toContain('The blue lamp');
  });

  it('with a wrong key is not activated, and the reason is told without it', async () => {
    const { deployments, input } = await customer('wr0ng-k3y');
    const { isValid, errors } = await deployments.validateCustomerOwnedDeployment(input);
    expect(isValid).toBe(false);
    expect(errors.join()).toContain('admin key');
    expect(errors.join()).not.toContain('wr0ng-k3y');
  });

  it('is known by its address', async () => {
    const { deployments, input } = await customer();
    const { provider: _, ...unnamed } = input;
    const saved = await deployments.saveDeploymentConfig({
      ...unnamed,
      searchEndpoint: 'https://customer-search.search.windows.net',
      isActive: false,
    });
    expect(saved.provider).toBe('azure_ai_search');
  });
});
