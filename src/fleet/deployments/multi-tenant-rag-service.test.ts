import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../engine/create-engine.js';
import { MultiTenantRAGService, type TenantContext } from './multi-tenant-rag-service.js';
import { indexesOf } from './tenant-indexes.js';

async function service(): Promise<MultiTenantRAGService> {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  onTestFinished(() => engine.close());
  return new MultiTenantRAGService(indexesOf(engine));
}

const context = (tenantId: string, projectId: string, permissions = ['read', 'write']): TenantContext => ({
  tenantId,
  projectId,
  permissions,
});

const query = { text: 'lamp', options: { minSimilarity: 0 } };

test('names that look alike when they are joined have nothing in common', async () => {
  const rag = await service();
  const contexts = [context('a_b', 'c'), context('a', 'b_c'), context('a', 'b'), context('a', 'b/c')];
  for (const [n, one] of contexts.entries())
    expect(
      (await rag.indexForTenant([{ id: 'lamp', content: `The lamp number ${n} is blue.` }], one)).success,
    ).toBe(true);
  for (const [n, one] of contexts.entries()) {
    const results = await rag.searchForTenant(query, one);
    expect(results.map(({ content }) => content)).toEqual([`The lamp number ${n} is blue.`]);
    expect(results[0]?.metadata).toMatchObject({ tenant_id: one.tenantId, project_id: one.projectId });
  }
});

test('what a document says of its tenant does not make it theirs', async () => {
  const rag = await service();
  const forged = { tenant_id: 'b', project_id: 'p' };
  await rag.indexForTenant([{ id: 'x', content: 'A lamp.', metadata: forged }], context('a', 'p'));
  await rag.indexForTenant([{ id: 'y', content: 'A lamp.' }], context('b', 'p'));
  expect(
    (await rag.searchForTenant(query, context('b', 'p'))).map(({ metadata }) => metadata.source),
  ).toEqual(['y']);
});

test('permissions are needed, and a project', async () => {
  const rag = await service();
  const forbidden = { reason: 'FORBIDDEN' };
  await expect(rag.indexForTenant([], context('a', 'p', ['read']))).rejects.toMatchObject(forbidden);
  await expect(rag.searchForTenant('lamp', context('a', 'p', ['write']))).rejects.toMatchObject(forbidden);
  await expect(rag.searchForTenant('lamp', context('a', 'p', []))).rejects.toMatchObject(forbidden);
  await expect(rag.searchForTenant('lamp', context('a', ''))).rejects.toMatchObject({
    reason: 'SCOPE_INVALID',
  });
});
