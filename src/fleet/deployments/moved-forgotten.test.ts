import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { filesWith } from '../../testing/files-with.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';
import type { KnowledgeDeploymentService } from './knowledge-deployment-service.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

const SHARED: KnowledgeDeploymentInput = { tenantId: 'acme', model: 'Shared' };
const DEDICATED: KnowledgeDeploymentInput = { tenantId: 'acme', model: 'Dedicated' };
const FORGOTTEN = { id: 'c1', text: 'The zirconflorin is paid.' };

const viewOf = async (deployments: KnowledgeDeploymentService) =>
  (await deployments.of({ tenant: 'acme' })).view;

/** Whether a forgetting was begun below a folder and not finished. */
const isHalfForgotten = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((path) => /unfinished.forget-/.test(path));

/** Why a push of the forgotten document is refused; undefined where it is not. */
async function refusal(deployments: KnowledgeDeploymentService): Promise<string | undefined> {
  const { stats } = await (await viewOf(deployments)).push([FORGOTTEN]);
  return stats.errors[0]?.reason;
}

/** A tenant at a place, of whose documents one is forgotten there. */
async function forgottenAt(place: KnowledgeDeploymentInput, rest = [{ id: 'c2', text: 'Bills are late.' }]) {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  await (await deployments.of({ tenant: 'other' })).view.push([{ id: 'x', text: 'Of others.' }]);
  if (place.model !== 'Shared') await deployments.saveDeploymentConfig(place);
  const view = await viewOf(deployments);
  await view.push([FORGOTTEN, ...rest]);
  const receipt = await view.forget({ documents: ['c1'] });
  expect(receipt).toMatchObject({ state: 'done' });
  expect(await refusal(deployments)).toBe('DOCUMENT_FORGOTTEN');
  return { folder, servers, deployments, receipt };
}

describe.each([
  ['from the shared index to one of its own', SHARED, DEDICATED],
  ['from the shared index to a customer', SHARED, customerOwned('acme')],
  ['back to the shared index', DEDICATED, SHARED],
  ['from a customer to the shared index', customerOwned('acme'), SHARED],
  ['from an index of its own to a customer', DEDICATED, customerOwned('acme')],
])('%s', (_, from, to) => {
  test('what was forgotten is kept out, its receipt can be checked and undone', async () => {
    const { deployments, receipt } = await forgottenAt(from);
    await deployments.moveTenant(to);
    expect(await refusal(deployments)).toBe('DOCUMENT_FORGOTTEN');
    const view = await viewOf(deployments);
    expect(await view.checkReceipt(receipt.id)).toMatchObject({ clean: true });
    expect(await view.letIn(receipt.id)).toBe(receipt.keptOut);
    expect(await refusal(deployments)).toBeUndefined();
  });

  test('a move that broke off and is resumed brings it along', async () => {
    const { folder, servers, deployments, receipt } = await forgottenAt(from);
    const stop = new AbortController();
    stop.abort();
    await expect(deployments.moveTenant(to, stop.signal)).rejects.toThrow();
    await deployments.close();
    const next = await testDeployments(folder, servers);
    expect(await refusal(next)).toBe('DOCUMENT_FORGOTTEN');
    const resumed = await next.resumeMoves();
    if (resumed.length === 0) await next.moveTenant(to);
    expect(await next.getDeploymentConfig('acme')).toMatchObject({ model: to.model });
    expect(await refusal(next)).toBe('DOCUMENT_FORGOTTEN');
    expect(await (await viewOf(next)).checkReceipt(receipt.id)).toMatchObject({ clean: true });
  });
});

test('there and back again nothing of it is lost, and what was let in meanwhile is let in', async () => {
  const { deployments, receipt } = await forgottenAt(SHARED);
  await deployments.moveTenant(DEDICATED);
  const away = await viewOf(deployments);
  const second = await away.forget({ documents: ['c2'] });
  await away.letIn(receipt.id);
  await deployments.moveTenant(SHARED);
  expect(await refusal(deployments)).toBeUndefined();
  const view = await viewOf(deployments);
  const { stats } = await view.push([{ id: 'c2', text: 'Bills are late.' }]);
  expect(stats.errors).toMatchObject([{ reason: 'DOCUMENT_FORGOTTEN' }]);
  expect(await view.checkReceipt(second.id)).toMatchObject({ clean: true });
  expect(await view.checkReceipt(receipt.id)).toMatchObject({ receipt: receipt.id });
});

test('what two indexes keep out of a tenant, each by a key of its own, is kept out where they meet', async () => {
  const { deployments } = await forgottenAt(DEDICATED);
  const scope = { tenant: 'acme' };
  await deployments.shared.push([{ id: 'there', text: 'Another one.' }], scope);
  await deployments.shared.forget({ documents: ['there'] }, scope);
  await deployments.moveTenant(SHARED);
  expect(await refusal(deployments)).toBe('DOCUMENT_FORGOTTEN');
  const view = await viewOf(deployments);
  const { stats } = await view.push([{ id: 'there', text: 'Another one.' }]);
  expect(stats.errors).toMatchObject([{ reason: 'DOCUMENT_FORGOTTEN' }]);
});

test('a tenant of which only what was forgotten is left is moved, and not saved elsewhere', async () => {
  const { deployments } = await forgottenAt(SHARED, []);
  await expect(deployments.saveDeploymentConfig(DEDICATED)).rejects.toMatchObject({
    reason: 'DEPLOYMENT_CONFLICT',
  });
  await deployments.moveTenant(DEDICATED);
  expect(await refusal(deployments)).toBe('DOCUMENT_FORGOTTEN');
});

test('nothing is forgotten while a tenant stands half moved, for both places hold it', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  await (await viewOf(deployments)).push([FORGOTTEN]);
  const stop = new AbortController();
  servers.onUpsert = () => stop.abort();
  await expect(deployments.moveTenant(customerOwned('acme'), stop.signal)).rejects.toThrow();
  servers.onUpsert = undefined;
  const view = await viewOf(deployments);
  expect(await view.forget({ documents: ['c1'], dryRun: true })).toMatchObject({ documents: 1 });
  await expect(view.forget({ documents: ['c1'] })).rejects.toMatchObject({ reason: 'DEPLOYMENT_CONFLICT' });
  await deployments.resumeMoves();
  expect(await view.forget({ documents: ['c1'] })).toMatchObject({ state: 'done' });
  expect(await filesWith(folder, 'zirconflorin')).toEqual([]);
});

test('of what is forgotten while it is copied nothing stays at the new place, its past included', async () => {
  const servers = new TestServers();
  const deployments = await testDeployments(temporaryFolder(), servers, { history: { keep: '1y' } });
  await (await viewOf(deployments)).push([FORGOTTEN, { id: 'c2', text: 'Bills are late.' }]);
  // A program with the shared engine at hand, which knows of no move.
  let forgotten: Promise<{ readonly id: string }> | undefined;
  servers.onUpsert = () => {
    forgotten ??= deployments.shared.forget({ documents: ['c1'] }, { tenant: 'acme' });
    return forgotten;
  };
  await deployments.moveTenant(customerOwned('acme'));
  const receipt = await forgotten;
  const check = await (await viewOf(deployments)).checkReceipt(receipt?.id ?? '');
  expect(check.looked).toContainEqual(expect.objectContaining({ place: 'history' }));
  expect(check).toMatchObject({ clean: true, found: [] });
});

test('what was half forgotten is forgotten before the tenant moves', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  await deployments.saveDeploymentConfig(customerOwned('acme'));
  const view = await viewOf(deployments);
  await view.push([FORGOTTEN, { id: 'c2', text: 'Bills are late.' }]);
  for (let call = 0; !isHalfForgotten(folder); call++) {
    servers.failAfter(call);
    await expect(view.forget({ documents: ['c1'] })).rejects.toThrow();
  }
  servers.failAfter(undefined);
  await deployments.moveTenant(SHARED);
  expect(isHalfForgotten(folder)).toBe(false);
  expect(await refusal(deployments)).toBe('DOCUMENT_FORGOTTEN');
  expect(await filesWith(folder, 'zirconflorin')).toEqual([]);
});
