import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { deploymentIdOf } from '../../operations/deployment-model.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

const keyOf = (id: string) => ({ id, key: randomBytes(32).toString('base64') });
const TENANTS = ['shared', 'dedi', 'own'];

test('keys are rotated in the indexes of all tenants, and what could not be done is said', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const [old, young] = [keyOf('old'), keyOf('young')];
  const open = (keys: ReturnType<typeof keyOf>[]) =>
    testDeployments(folder, servers, { security: { encryption: { fields: ['salary'], keys } } });
  const first = await open([old]);
  await first.saveDeploymentConfig({ tenantId: 'dedi', model: 'Dedicated' });
  await first.saveDeploymentConfig(customerOwned('own'));
  for (const tenant of TENANTS)
    await (await first.of({ tenant })).view.push([
      { id: tenant, text: 'A lamp.', metadata: { salary: `of-${tenant}` } },
    ]);
  await first.close();

  const second = await open([young, old]);
  servers.isDown = true;
  expect(await second.rotateEncryption()).toMatchObject({
    ...{ documents: 2, rewritten: 2, deployments: [{ tenantId: 'dedi', rewritten: 1 }] },
    problems: [{ tenantId: 'own', message: expect.stringContaining('down') }],
  });
  servers.isDown = false;
  expect(await second.rotateEncryption({ tenantId: 'own' })).toMatchObject({ rewritten: 1, problems: [] });
  expect(await second.rotateEncryption()).toMatchObject({ documents: 3, rewritten: 0, problems: [] });
  await second.close();

  const third = await open([young]);
  for (const tenant of TENANTS)
    expect((await (await third.of({ tenant })).view.get(tenant))?.metadata.salary).toBe(`of-${tenant}`);
});

test('the health of the indexes of tenants names those that are broken', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  for (const tenantId of ['well', 'hurt'])
    await deployments.saveDeploymentConfig({ tenantId, model: 'Dedicated' });
  await deployments.saveDeploymentConfig(customerOwned('own'));
  await (await deployments.of({ tenant: 'own' })).view.push([{ id: 'a', text: 'A lamp.' }]);
  expect((await deployments.deploymentHealth()).map(({ ok }) => ok)).toEqual([true, true, true]);
  servers.isDown = true;
  writeFileSync(join(folder, 'data', 'deployments', deploymentIdOf('hurt'), 'deployment.json'), '{');
  const health = await deployments.deploymentHealth();
  expect(health).toMatchObject([
    { tenantId: 'own', model: 'CustomerOwned', ok: false, detail: expect.stringContaining('down') },
    { tenantId: 'well', model: 'Dedicated', ok: true },
    { deploymentId: deploymentIdOf('hurt'), ok: false, detail: expect.stringContaining('deployment.json') },
  ]);
  expect(await deployments.health()).toMatchObject({ ok: true });
});
