import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { deploymentIdOf } from '../../operations/deployment-model.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

const DEDICATED = { model: 'Dedicated' } as const;

test('a record that cannot be read concerns its tenant alone, and is mended by saving it again', async () => {
  const folder = temporaryFolder();
  const deployments = await testDeployments(folder, new TestServers());
  const viewOf = async (tenant: string) => (await deployments.of({ tenant })).view;
  for (const tenantId of ['hurt', 'well']) {
    await deployments.saveDeploymentConfig({ tenantId, ...DEDICATED });
    await (await viewOf(tenantId)).push([{ id: tenantId, text: `The lamp of ${tenantId} is blue.` }]);
  }
  await (await viewOf('moving')).push([{ id: 'm', text: 'The lamp is red.' }]);
  const record = join(folder, 'data', 'deployments', deploymentIdOf('hurt'), 'deployment.json');
  writeFileSync(record, '{"deployment":');

  await expect(deployments.getDeploymentConfig('hurt')).rejects.toMatchObject({ reason: 'INDEX_DAMAGED' });
  await expect(deployments.of({ tenant: 'hurt' })).rejects.toMatchObject({ reason: 'INDEX_DAMAGED' });
  await expect(deployments.saveDeploymentConfig({ tenantId: 'hurt', ...DEDICATED })).rejects.toMatchObject({
    reason: 'INDEX_DAMAGED',
  });

  // Everybody else goes on: new ones, moves, and changes of what is there.
  await deployments.saveDeploymentConfig({ tenantId: 'new', ...DEDICATED });
  await deployments.saveDeploymentConfig(customerOwned('customer', 'first'));
  expect(await deployments.moveTenant({ tenantId: 'moving', ...DEDICATED })).toMatchObject({ copied: 1 });
  expect(await deployments.moveTenant(customerOwned('moving', 'second'))).toMatchObject({ copied: 1 });
  await deployments.saveDeploymentConfig({ tenantId: 'well', ...DEDICATED, isActive: false });
  const damaged: unknown[] = [];
  const listed = await deployments.listDeploymentConfigs({ onDamaged: (one) => damaged.push(one) });
  expect(listed.map(({ tenantId }) => tenantId)).toEqual(['customer', 'moving', 'new', 'well']);
  expect(damaged).toEqual([
    { deploymentId: deploymentIdOf('hurt'), message: expect.stringContaining(record) },
  ]);
  // Its index has a place that another tenant would be given, too: whose it is nobody can tell now.
  await expect(deployments.saveDeploymentConfig({ tenantId: 'h.u.r.t', ...DEDICATED })).rejects.toMatchObject(
    { reason: 'DEPLOYMENT_CONFLICT', message: expect.stringContaining(record) },
  );

  rmSync(record);
  await deployments.saveDeploymentConfig({ tenantId: 'hurt', ...DEDICATED });
  const { documents } = await (await viewOf('hurt')).list();
  expect(documents.map(({ externalId }) => externalId)).toEqual(['hurt']);
});

test('a folder with a record of none of ours keeps nobody from an index', async () => {
  const folder = temporaryFolder();
  const deployments = await testDeployments(folder);
  const damaged = join(folder, 'data', 'deployments', '0123456789abcdef');
  mkdirSync(damaged, { recursive: true });
  writeFileSync(join(damaged, 'deployment.json'), '{}');
  expect(await deployments.saveDeploymentConfig({ tenantId: 'acme', ...DEDICATED })).toMatchObject({
    indexName: 'acme-knowledge',
  });
});
