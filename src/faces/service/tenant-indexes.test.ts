import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine, RagDeploymentModel, type TenantIndexes } from '../../index.js';
import { testService } from './test-service.js';

async function memoryEngine(): Promise<Engine> {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  onTestFinished(() => engine.close());
  return engine;
}

describe('a service whose tenants have indexes of their own', () => {
  it('asks the index of the caller and no other, and says which it is', async () => {
    const engines: Record<string, Engine> = { acme: await memoryEngine(), globex: await memoryEngine() };
    const indexes: TenantIndexes = {
      of: async (scope) => ({
        view: (engines[scope.tenant] as Engine).as(scope),
        deployment: {
          deploymentId: `of-${scope.tenant}`,
          deploymentModel: RagDeploymentModel.Dedicated,
        },
      }),
      health: () => (engines.acme as Engine).health(),
    };
    const { call } = await testService({ indexes });
    const document = { id: 'lamp', content: 'The lamp on the roof is blue.', deploymentId: 'of-acme' };
    const written = await call('acme', 'POST', '/api/ai/rag/index', { ...document, tenantId: 'acme' });
    expect(written.json()).toMatchObject({ deploymentId: 'of-acme', deploymentModel: 'Dedicated' });
    expect(await engines.acme?.get('lamp', { tenant: 'acme' })).toBeDefined();
    expect(await engines.globex?.get('lamp', { tenant: 'acme' })).toBeUndefined();

    const found = await call('acme', 'POST', '/api/ai/rag/search', {
      query: 'blue lamp',
      tenantId: 'acme',
      minScore: 0,
    });
    expect(found.json()).toMatchObject({
      results: [{ id: 'lamp', deploymentId: 'of-acme', deploymentModel: 'Dedicated' }],
    });
  });

  it('refuses a document that states another deployment', async () => {
    const { call } = await testService();
    const document = { tenantId: 'acme', id: 'lamp', content: 'A lamp.' };
    for (const stated of [{ deploymentModel: 'Dedicated' }, { deploymentId: 'another' }]) {
      const one = await call('acme', 'POST', '/api/ai/rag/index', { ...document, ...stated });
      expect(one.status).toBe(400);
      const many = await call('acme', 'POST', '/api/ai/rag/index/batch', {
        documents: [{ ...document, ...stated }],
      });
      expect(many.status).toBe(400);
    }
    expect((await call('acme', 'GET', '/api/ai/rag/documents/lamp')).status).toBe(404);
  });
});
