import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { deploymentRisksOf } from '../../config/trust/deployment-risks.js';
import { trustDeployment } from '../../config/trust/index-reach.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

test('a deployment that came with a data folder connects to nothing before it is trusted', async () => {
  const servers = new TestServers();
  const theirs = temporaryFolder();
  const first = await testDeployments(theirs, servers);
  await first.saveDeploymentConfig(customerOwned('own'));
  await first.saveDeploymentConfig({ tenantId: 'dedi', model: 'Dedicated' });
  await first.close();
  const mine = temporaryFolder();
  // Trust is in a data folder that this account named, so a copy of it has none.
  cpSync(`${theirs}/data`, `${mine}/data`, { recursive: true });
  const opened = servers.opened;
  const deployments = await testDeployments(mine, servers);
  await expect(deployments.of({ tenant: 'own' })).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
  expect(await deployments.resumeMoves()).toEqual([]);
  // Nor does it keep others from being served or configured.
  expect((await deployments.listDeploymentConfigs()).map(({ tenantId }) => tenantId)).toEqual([
    'dedi',
    'own',
  ]);
  expect(await deployments.saveDeploymentConfig({ tenantId: 'other', model: 'Dedicated' })).toMatchObject({
    isActive: true,
  });
  expect(servers.opened).toBe(opened);
  // What reaches nothing outside of the folder needs no trust.
  expect(await (await deployments.of({ tenant: 'dedi' })).view.list()).toEqual({ documents: [] });

  const risks = deploymentRisksOf(`${mine}/data`);
  expect(risks.map(({ what }) => what).join()).toContain('https://search.customer.example');
  for (const risk of risks)
    trustDeployment(risk, { dataDir: `${mine}/data`, projectRoot: mine, environment: process.env });
  expect(await (await deployments.of({ tenant: 'own' })).view.list()).toEqual({ documents: [] });
});
