import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGError } from '../../core/errors.js';
import { deploymentIdOf } from '../../operations/deployment-model.js';
import { type KnowledgeDeploymentInput, placeOf } from './deployment-config.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';
import { WriteGate } from './write-gate.js';

const SHARED: KnowledgeDeploymentInput = { tenantId: 'acme', model: 'Shared' };
const IDS = ['a', 'b', 'c'];
const FORGOTTEN = { id: 'f', text: 'The lamp f is blue.' };

/** Moves a tenant with a server that fails at the n-th call, and goes on in a service that knows nothing of the first one. */
async function moveWithFailures(from: KnowledgeDeploymentInput, to: KnowledgeDeploymentInput) {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const begin = await testDeployments(folder, servers);
  if (from.model !== 'Shared') await begin.saveDeploymentConfig(from);
  const { view } = await begin.of({ tenant: 'acme' });
  await view.push(IDS.map((id) => ({ id, text: `The lamp ${id} is blue.` })));
  await view.push([FORGOTTEN]);
  await view.forget({ documents: [FORGOTTEN.id] });
  await (await begin.of({ tenant: 'other' })).view.push([{ id: 'stays', text: 'A lamp of others.' }]);
  await begin.close();

  const stages = new Set<string>();
  let failures = 0;
  for (let call = 0; ; call++) {
    expect(call).toBeLessThan(200);
    const broken = await testDeployments(folder, servers);
    servers.failAfter(call);
    const moved = await broken.moveTenant(to).catch(() => undefined);
    servers.failAfter(undefined);
    await broken.close();
    const next = await testDeployments(folder, servers);
    const now = await next.getDeploymentConfig('acme');
    const { view: there } = await next.of({ tenant: 'acme' });
    const { documents } = await there.list();
    expect(documents.map(({ externalId }) => externalId).sort()).toEqual(IDS);
    const { stats } = await there.push([FORGOTTEN]);
    expect(stats.errors).toMatchObject([{ reason: 'DOCUMENT_FORGOTTEN' }]);
    stages.add(now.move?.stage ?? now.model);
    if (moved === undefined) failures += 1;
    await next.close();
    if (moved !== undefined || now.move?.stage === 'cleaning') break;
  }
  return { folder, servers, stages, failures };
}

test('a record that cannot be read stops no service, and no move of others', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  await (await deployments.of({ tenant: 'acme' })).view.push([{ id: 'a', text: 'The lamp is blue.' }]);
  const stop = new AbortController();
  servers.onUpsert = () => stop.abort();
  await expect(deployments.moveTenant(customerOwned('acme'), stop.signal)).rejects.toThrow();
  servers.onUpsert = undefined;
  expect(await deployments.getDeploymentConfig('acme')).toMatchObject({ move: { stage: 'copying' } });
  const damaged = join(folder, 'data', 'deployments', '0123456789abcdef');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'deployment.json'), '{"broken":1}');
  const problems: unknown[] = [];
  const reports = await deployments.resumeMoves({
    onProblem: (name, error) => problems.push([name, (error as RAGError).reason]),
  });
  expect(reports).toMatchObject([{ tenantId: 'acme', model: 'CustomerOwned' }]);
  expect(problems).toEqual([['0123456789abcdef', 'INDEX_DAMAGED']]);
});

test('a write under way is waited for, and comes along', async () => {
  const folder = temporaryFolder();
  const servers = new TestServers();
  const deployments = await testDeployments(folder, servers);
  await deployments.saveDeploymentConfig(customerOwned('acme'));
  const { view } = await deployments.of({ tenant: 'acme' });
  await view.push([{ id: 'a', text: 'The lamp is blue.' }]);
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((open) => {
    goOn = open;
  });
  onTestFinished(goOn);
  const isHeld = new Promise<void>((told) => {
    servers.onUpsert = () => {
      told();
      return held;
    };
  });
  const pushed = view.push([{ id: 'b', text: 'The lamp is red.' }]);
  await isHeld;
  const moved = deployments.moveTenant({ tenantId: 'acme', model: 'Dedicated' });
  const gate = new WriteGate(join(folder, 'data', 'deployments', deploymentIdOf('acme')), 'acme');
  const isClosed = async () => {
    const leave = await gate.enter({ waitMs: 0 }).catch(() => undefined);
    leave?.();
    return leave === undefined;
  };
  await Promise.race([moved, expect.poll(isClosed).toBe(true)]);
  goOn();
  await pushed;
  expect(await moved).toMatchObject({ copied: 2 });
  expect((await view.list()).documents).toHaveLength(2);
});

test('a move does not replace what the tenant has at the other place', async () => {
  const folder = temporaryFolder();
  const deployments = await testDeployments(folder);
  await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
  const { view } = await deployments.of({ tenant: 'acme' });
  await view.push([{ id: 'kept', text: 'The lamp is blue.' }]);
  await deployments.shared.push([{ id: 'there', text: 'The lamp is red.' }], { tenant: 'acme' });
  await expect(deployments.moveTenant(SHARED)).rejects.toMatchObject({ reason: 'DEPLOYMENT_CONFLICT' });
  expect((await deployments.shared.list({}, { tenant: 'acme' })).documents).toHaveLength(1);
  await deployments.shared.delete(['there'], { tenant: 'acme' });
  expect(await deployments.moveTenant(SHARED)).toMatchObject({ copied: 1 });
});

describe('a move that breaks off at whichever call of a server', () => {
  test('to a customer: the old index serves until the copy is whole, and the next service completes it', async () => {
    const { folder, servers, failures } = await moveWithFailures(SHARED, customerOwned('acme'));
    expect(failures).toBeGreaterThan(3);
    const deployments = await testDeployments(folder, servers);
    await deployments.resumeMoves();
    expect(await deployments.getDeploymentConfig('acme')).toMatchObject({ model: 'CustomerOwned' });
    expect((await deployments.shared.list({}, { tenant: 'acme' })).documents).toEqual([]);
    expect((await deployments.shared.list({}, { tenant: 'other' })).documents).toHaveLength(1);
  });

  test('back: what is left at the customer is removed by the next service', async () => {
    const { folder, servers, failures } = await moveWithFailures(customerOwned('acme'), SHARED);
    expect(failures).toBeGreaterThan(3);
    const deployments = await testDeployments(folder, servers);
    const problems: unknown[] = [];
    await deployments.resumeMoves({ onProblem: (_, error) => problems.push(error) });
    expect(problems).toEqual([]);
    expect(await deployments.getDeploymentConfig('acme')).not.toHaveProperty('move');
    expect((await deployments.shared.list({}, { tenant: 'acme' })).documents).toHaveLength(3);
    expect(await servers.chunks()).toBe(0);
  });

  test('is given up by a move to elsewhere, which removes what was copied', async () => {
    const folder = temporaryFolder();
    const servers = new TestServers();
    const deployments = await testDeployments(folder, servers);
    await (await deployments.of({ tenant: 'acme' })).view.push([{ id: 'a', text: 'The lamp is blue.' }]);
    const stop = new AbortController();
    servers.onUpsert = () => stop.abort();
    onTestFinished(() => {
      servers.onUpsert = undefined;
    });
    await expect(deployments.moveTenant(customerOwned('acme'), stop.signal)).rejects.toThrow();
    servers.onUpsert = undefined;
    expect(await deployments.getDeploymentConfig('acme')).toMatchObject({
      model: 'Shared',
      move: { stage: 'copying', model: 'CustomerOwned' },
    });
    await expect(deployments.saveDeploymentConfig(SHARED)).rejects.toMatchObject({
      reason: 'DEPLOYMENT_CONFLICT',
    });
    await deployments.moveTenant({ tenantId: 'acme', model: 'Dedicated' });
    expect(await servers.chunks()).toBe(0);
    const { documents } = await (await deployments.of({ tenant: 'acme' })).view.list();
    expect(documents).toHaveLength(1);
  });
});

test('an address is the same in another spelling', () => {
  const at = (searchEndpoint: string, provider = 'x') =>
    placeOf({
      tenantId: 'a',
      model: 'CustomerOwned',
      isActive: true,
      provider,
      indexName: 'i',
      searchEndpoint,
    });
  expect(at('https://Search.Example')).toBe(at('https://search.example:443/'));
  expect(at('https://search.example:9200')).not.toBe(at('https://search.example'));
  // Without a port it is Qdrant's own.
  expect(at('https://search.example', 'qdrant')).toBe(at('https://search.example:6333', 'qdrant'));
  expect(at('https://search.example:443', 'qdrant')).not.toBe(at('https://search.example', 'qdrant'));
  expect(at('https://[::1]:443', 'qdrant')).not.toBe(at('https://[::1]', 'qdrant'));
});
