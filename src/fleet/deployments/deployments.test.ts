import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { RAGError } from '../../core/errors.js';
import { deploymentIdOf } from '../../operations/deployment-model.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';
import type { OpenCustomerStore } from './deployment-settings.js';
import { dedicatedIndexName } from './index-name.js';
import type { KnowledgeDeploymentService } from './knowledge-deployment-service.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

const view = async (deployments: KnowledgeDeploymentService, tenant: string) =>
  (await deployments.of({ tenant })).view;

const idsOf = async (deployments: KnowledgeDeploymentService, tenant: string): Promise<string[]> => {
  const { documents } = await (await view(deployments, tenant)).list();
  return documents.map(({ externalId }) => externalId).sort();
};

const found = async (deployments: KnowledgeDeploymentService, tenant: string, text: string) =>
  (await (await view(deployments, tenant)).search({ text, options: { minSimilarity: 0 } })).results.map(
    ({ metadata }) => metadata.source,
  );

describe('names of dedicated indexes', () => {
  test.each([
    ['Tenant-ABC-123', 'tenantabc123-knowledge'],
    ['ENTERPRISE_CORP', 'enterprisecorp-knowledge'],
    ['acme.inc', 'acmeinc-knowledge'],
  ])('%s has %s', (tenant, name) => expect(dedicatedIndexName(tenant)).toBe(name));

  test('a tenant without letters and digits has none', () => {
    expect(() => dedicatedIndexName('東京')).toThrow(
      expect.objectContaining({ reason: 'DEPLOYMENT_INVALID' }),
    );
  });

  test('the second tenant of a name is refused', async () => {
    const deployments = await testDeployments();
    await deployments.saveDeploymentConfig({ tenantId: 'Tenant-ABC-123', model: 'Dedicated' });
    await expect(
      deployments.saveDeploymentConfig({ tenantId: 'tenantabc123', model: 'Dedicated' }),
    ).rejects.toMatchObject({
      reason: 'DEPLOYMENT_CONFLICT',
      message: expect.stringContaining('"Tenant-ABC-123"'),
    });
    expect(await deployments.getDeploymentConfig('tenantabc123')).toMatchObject({ model: 'Shared' });
  });
});

describe('what is stated', () => {
  const base = customerOwned('acme');
  test.each<[string, KnowledgeDeploymentInput, RegExp]>([
    [
      'a password in the address',
      { ...base, searchEndpoint: 'https://u:hunter2@h' },
      /no user and no password/,
    ],
    ['a secret in place of its name', { ...base, apiKeySecretName: 'hunter2' }, /say where the secret is/],
    ['a store of an unknown kind', { ...base, provider: 'sesame' }, /one of postgres/],
    ['an address of a shared index', { ...base, model: 'Shared' }, /CustomerOwned/],
    ['a name with a path', { ...base, indexName: '../up' }, /indexName/],
    ['an address of a file', { ...base, searchEndpoint: 'file:///etc/passwd' }, /searchEndpoint/],
  ])('%s is refused', async (_, input, message) => {
    const { customerStores } = new TestServers();
    const deployments = await testDeployments(undefined, { customerStores });
    const refused = await deployments.saveDeploymentConfig(input).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      reason: 'DEPLOYMENT_INVALID',
      message: expect.stringMatching(message),
    });
    expect(String(refused)).not.toContain('hunter2');
    expect(await deployments.getDeploymentConfig('acme')).toMatchObject({ model: 'Shared' });
  });

  test('is kept for its owner alone, and another process sees it at once', async () => {
    const folder = temporaryFolder();
    const [one, other] = [await testDeployments(folder), await testDeployments(folder)];
    expect(await other.getDeploymentConfig('acme')).toMatchObject({ model: 'Shared', isActive: true });
    const saved = await one.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
    expect(saved).toMatchObject({ indexName: 'acme-knowledge', deploymentId: deploymentIdOf('acme') });
    expect(await other.getDeploymentConfig('acme')).toEqual(saved);
    expect(await other.listDeploymentConfigs()).toEqual([saved]);
    const path = join(folder, 'data', 'deployments', deploymentIdOf('acme'), 'deployment.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain('acme-knowledge');
  });
});

describe('three tenants with a model each', () => {
  test('see nothing of each other, and their statistics do not cross', async () => {
    const { customerStores } = new TestServers();
    const deployments = await testDeployments(undefined, { customerStores });
    await deployments.saveDeploymentConfig({ tenantId: 'dedi', model: 'Dedicated' });
    await deployments.saveDeploymentConfig(customerOwned('own'));
    const tenants = ['shared', 'dedi', 'own'];
    for (const tenant of tenants)
      await (await view(deployments, tenant)).push([
        { id: 'same', text: `The lamp of ${tenant} is blue.` },
        { id: `only-${tenant}`, text: `The lamp in the cellar of ${tenant} is green.` },
      ]);
    const scores = new Map<string, unknown>();
    for (const tenant of tenants) {
      expect(await idsOf(deployments, tenant)).toEqual([`only-${tenant}`, 'same'].sort());
      const { results } = await (await view(deployments, tenant)).search({
        text: 'green cellar',
        options: { minSimilarity: 0, explainScore: true },
      });
      expect(results.map(({ content }) => content).join()).toContain(tenant);
      for (const other of tenants.filter((name) => name !== tenant))
        expect(JSON.stringify(results)).not.toContain(other);
      scores.set(
        tenant,
        results.map(({ explanation }) => explanation?.keywordScore),
      );
    }
    // One more document with the words elsewhere changes nothing here.
    await (await view(deployments, 'shared')).push([{ id: 'more', text: 'green cellar green cellar' }]);
    for (const tenant of ['dedi', 'own']) {
      const { results } = await (await view(deployments, tenant)).search({
        text: 'green cellar',
        options: { minSimilarity: 0, explainScore: true },
      });
      expect(results.map(({ explanation }) => explanation?.keywordScore)).toEqual(scores.get(tenant));
    }
    expect((await deployments.shared.list({}, { tenant: 'dedi' })).documents).toEqual([]);
    expect((await deployments.shared.list({}, { tenant: 'own' })).documents).toEqual([]);
  });

  test('an empty index of its own answers as an empty part of the shared one', async () => {
    const deployments = await testDeployments();
    await (await view(deployments, 'other')).push([{ id: 'a', text: 'A lamp.' }]);
    await deployments.saveDeploymentConfig({ tenantId: 'dedi', model: 'Dedicated' });
    expect(await found(deployments, 'dedi', 'lamp')).toEqual([]);
    expect(await found(deployments, 'nobody', 'lamp')).toEqual([]);
  });
});

describe('a store that a customer provides', () => {
  test('is validated before it serves, and says what failed', async () => {
    const servers = new TestServers();
    const deployments = await testDeployments(undefined, servers);
    servers.isDown = true;
    await expect(deployments.saveDeploymentConfig(customerOwned('own'))).rejects.toMatchObject({
      reason: 'DEPLOYMENT_INVALID',
    });
    const failed = await deployments.validateCustomerOwnedDeployment(customerOwned('own'));
    expect(failed).toMatchObject({ isValid: false, errors: [expect.any(String)] });
    expect(failed.checks.at(-1)).toMatchObject({ check: 'connection', isValid: false });
    expect(await deployments.getDeploymentConfig('own')).toMatchObject({ model: 'Shared' });

    servers.isDown = false;
    expect(await deployments.validateCustomerOwnedDeployment(customerOwned('own'))).toMatchObject({
      isValid: true,
      errors: [],
      checks: ['configuration', 'secret', 'connection', 'schema', 'owner', 'dimensions'].map((check) => ({
        check,
      })),
    });
    expect(await deployments.saveDeploymentConfig(customerOwned('own'))).toMatchObject({
      validatedAt: expect.any(String),
    });
  });

  test('a secret that is missing is told by its name', async () => {
    const allowed = { deployments: { secrets: ['env:RAGSTONE_*'] } };
    const deployments = await testDeployments(undefined, new TestServers(), allowed);
    const result = await deployments.validateCustomerOwnedDeployment({
      ...customerOwned('own'),
      apiKeySecretName: 'env:RAGSTONE_NO_SUCH_SECRET',
    });
    expect(result.checks.at(-1)).toMatchObject({ check: 'secret', isValid: false });
    expect(result.errors.join()).toContain('RAGSTONE_NO_SUCH_SECRET');
  });

  test('names no secret that the operators of the service did not allow', async () => {
    const folder = temporaryFolder();
    const servers = new TestServers();
    const secrets = ['env:CUSTOMER_*', 'file:/run/secrets/*', 'keyvault:customers/a.b'];
    const deployments = await testDeployments(folder, servers, { deployments: { secrets } });
    const checked = async (apiKeySecretName: string) =>
      (await deployments.validateCustomerOwnedDeployment({ ...customerOwned('own'), apiKeySecretName }))
        .checks[0];
    for (const name of ['env:CUSTOMER_KEY', 'file:/run/secrets/one', 'keyvault:customers/a.b'])
      expect(await checked(name)).toMatchObject({ check: 'configuration', isValid: true });
    const others = [
      'env:PATH',
      'env:MY_CUSTOMER_KEY',
      'file:/run/secrets/../../etc/shadow',
      'file:/run/secrets/..',
      'file:/run/secrets/a/b',
      'keyvault:customers/aXb',
      'keyvault:ours/key',
    ];
    for (const name of others)
      expect(await checked(name)).toMatchObject({
        isValid: false,
        message: expect.stringContaining('rag.deployments.secrets'),
      });
    await expect(
      (await testDeployments()).saveDeploymentConfig({
        ...customerOwned('own'),
        apiKeySecretName: 'env:PATH',
      }),
    ).rejects.toMatchObject({ reason: 'DEPLOYMENT_INVALID' });
  });

  test('whose key was changed is signed in to with the new one', async () => {
    const servers = new TestServers();
    let [key, known] = ['first', 'first'];
    const resolve = async (): Promise<string> => known;
    const open = servers.customerStores?.test;
    if (open === undefined) throw new Error('no store');
    const stores: string[] = [];
    const guarded: OpenCustomerStore = async (server) => {
      const used = server.apiKey?.reveal() ?? '';
      stores.push(used);
      const store = await open(server);
      return {
        ...store,
        open: async (spec) => {
          if (used !== key) throw new RAGError('CONFIG_INVALID', 'The server refused the login.');
          return store.open(spec);
        },
      };
    };
    const deployments = await createKnowledgeDeployments(
      {
        ...{ cwd: temporaryFolder(), dataDir: 'data', secretResolvers: [{ scheme: 'test', resolve }] },
        config: { provider: 'libsql', deployments: { secrets: ['test:*'] } },
      },
      { customerStores: { test: guarded } },
    );
    onTestFinished(() => deployments.close());
    await deployments.saveDeploymentConfig({ ...customerOwned('own'), apiKeySecretName: 'test:key' });
    const own = await view(deployments, 'own');
    await own.push([{ id: 'a', text: 'The lamp is blue.' }]);
    key = 'second';
    // The secret is the old one still: nothing is tried again.
    await expect(own.push([{ id: 'b', text: 'The lamp is red.' }])).rejects.toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
    });
    const opened = stores.length;
    known = 'second';
    // A secret is looked at once in a second.
    await expect
      .poll(() =>
        own.push([{ id: 'b', text: 'The lamp is red.' }]).then(
          () => 'written',
          () => 'refused',
        ),
      )
      .toBe('written');
    expect(stores.slice(opened)).toEqual(['second']);
    expect(await idsOf(deployments, 'own')).toEqual(['a', 'b']);
  });

  test('that is down or not active stops its tenant alone, and nothing falls back', async () => {
    const folder = temporaryFolder();
    const servers = new TestServers();
    const first = await testDeployments(folder, servers);
    await first.saveDeploymentConfig(customerOwned('own'));
    await (await view(first, 'own')).push([{ id: 'a', text: 'The lamp is blue.' }]);
    await (await view(first, 'other')).push([{ id: 'b', text: 'The lamp is red.' }]);
    await first.close();
    servers.isDown = true;
    const deployments = await testDeployments(folder, servers);
    await expect(found(deployments, 'own', 'lamp')).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    await expect(
      (await view(deployments, 'own')).push([{ id: 'c', text: 'The lamp is green.' }]),
    ).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    expect(await found(deployments, 'other', 'lamp')).toEqual(['b']);
    expect((await deployments.shared.list({}, { tenant: 'own' })).documents).toEqual([]);

    servers.isDown = false;
    const held = await view(deployments, 'own');
    await deployments.saveDeploymentConfig({ ...customerOwned('own'), isActive: false });
    await expect(held.search('lamp')).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    await expect((await view(deployments, 'own')).list()).rejects.toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
    });
    await expect((await view(deployments, 'own')).push([])).rejects.toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
    });
  });
});

describe('moving a tenant', () => {
  test('through all models and back takes along what was pushed, with its access, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const deployments = await testDeployments(folder, new TestServers());
    await (await view(deployments, 'other')).push([{ id: 'stays', text: 'The lamp of others.' }]);
    const hr = { tenant: 'acme', groups: ['hr'], clearance: 2 };
    await (await deployments.of(hr)).view.push([
      { id: 'open', text: 'The lamp on the roof is blue.', metadata: { floor: 3 } },
      { id: 'secret', text: 'Salaries rise in May.', access: { groups: ['hr'], level: 2 } },
    ]);
    await (await deployments.of({ tenant: 'acme', project: 'apollo' })).view.push([
      { id: 'open', text: 'Apollo has a lamp too.' },
    ]);
    await expect(
      deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' }),
    ).rejects.toMatchObject({ reason: 'DEPLOYMENT_CONFLICT', message: expect.stringContaining('Move it') });

    const targets: KnowledgeDeploymentInput[] = [
      { tenantId: 'acme', model: 'Dedicated' },
      customerOwned('acme'),
      { tenantId: 'acme', model: 'Shared' },
    ];
    for (const target of targets) {
      expect(await deployments.moveTenant(target)).toEqual({
        tenantId: 'acme',
        model: target.model,
        copied: 3,
        left: {},
      });
      expect(await deployments.getDeploymentConfig('acme')).toMatchObject({ model: target.model });
      expect(await deployments.getDeploymentConfig('acme')).not.toHaveProperty('move');
      expect(await idsOf(deployments, 'acme')).toEqual(['open', 'open']);
      expect(await (await deployments.of(hr)).view.get('secret')).toMatchObject({
        text: 'Salaries rise in May.',
        access: { groups: ['hr'], level: 2 },
      });
      expect(await (await view(deployments, 'acme')).get('open')).toMatchObject({ metadata: { floor: 3 } });
      expect(await found(deployments, 'acme', 'blue lamp on the roof')).toContain('open');
      const inShared = (await deployments.shared.list({}, hr)).documents.length;
      expect(inShared).toBe(target.model === 'Shared' ? 3 : 0);
      expect(existsSync(join(folder, 'data', 'deployments', 'acme-knowledge'))).toBe(
        target.model === 'Dedicated',
      );
      expect(await idsOf(deployments, 'other')).toEqual(['stays']);
    }
  });

  test('keeps every write and every deletion that is made meanwhile, and readers always see one whole', async () => {
    const deployments = await testDeployments();
    const acme = await view(deployments, 'acme');
    const documents = Array.from({ length: 30 }, (_, n) => ({ id: `d${n}`, text: `Lamp number ${n}.` }));
    await acme.push(documents);
    let isMoving = true;
    const move = deployments.moveTenant({ tenantId: 'acme', model: 'Dedicated' }).finally(() => {
      isMoving = false;
    });
    const written = new Set<string>();
    const removed = new Set<string>();
    let reads = 0;
    const write = async (): Promise<void> => {
      for (let n = 0; isMoving || n === 0; n++) {
        await acme.push([{ id: `new${n}`, text: `A new lamp ${n}.` }]);
        written.add(`new${n}`);
        if (n < 20 && (await acme.delete([`d${n}`])) === 1) removed.add(`d${n}`);
        await acme.push([{ id: 'd29', text: `Lamp 29 in version ${n}.` }]);
        written.add('d29');
      }
    };
    const read = async (): Promise<void> => {
      while (isMoving) {
        const { documents: page } = await acme.list({ limit: 1_000 });
        expect(page.filter(({ externalId }) => /^d2\d$/.test(externalId))).toHaveLength(10);
        reads += 1;
        // A list of a local index never waits, and would let nothing else have a turn.
        await nextTurn();
      }
    };
    const [, , report] = await Promise.all([write(), read(), move]);
    expect(report.copied).toBeGreaterThanOrEqual(30);
    expect(reads).toBeGreaterThan(0);
    const now = new Set(
      await acme.list({ limit: 1_000 }).then((page) => page.documents.map((d) => d.externalId)),
    );
    for (const id of written) expect(now).toContain(id);
    for (const id of removed) expect(now).not.toContain(id);
    expect(now.size).toBe(documents.length - removed.size + [...written].filter((id) => id !== 'd29').length);
    expect((await deployments.shared.list({}, { tenant: 'acme' })).documents).toEqual([]);
  });

  test('into the shared index holds up writes of others there, and refuses none', async () => {
    const deployments = await testDeployments();
    await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
    await (await view(deployments, 'acme')).push(
      Array.from({ length: 120 }, (_, n) => ({ id: `d${n}`, text: `Lamp number ${n}.` })),
    );
    let isMoving = true;
    const moved = deployments.moveTenant({ tenantId: 'acme', model: 'Shared' }).finally(() => {
      isMoving = false;
    });
    const other = await view(deployments, 'other');
    let written = 0;
    for (; isMoving; written++) {
      await other.push([{ id: `o${written}`, text: `A lamp of others, ${written}.` }]);
      await nextTurn();
    }
    expect(await moved).toMatchObject({ copied: 120 });
    expect(await idsOf(deployments, 'other')).toHaveLength(written);
  });

  test('to an index of another tenant is refused', async () => {
    const deployments = await testDeployments(undefined, new TestServers());
    await deployments.saveDeploymentConfig(customerOwned('one', 'the-index'));
    for (const indexName of ['the-index', 'the_index'])
      await expect(deployments.moveTenant(customerOwned('two', indexName))).rejects.toMatchObject({
        reason: 'DEPLOYMENT_CONFLICT',
      });
    expect(await deployments.getDeploymentConfig('two')).toMatchObject({ model: 'Shared' });
  });
});

test('idle indexes are closed, and opened again', async () => {
  const deployments = await testDeployments(undefined, { mostOpen: 1 });
  for (const tenantId of ['a', 'b', 'c']) {
    await deployments.saveDeploymentConfig({ tenantId, model: 'Dedicated' });
    await (await view(deployments, tenantId)).push([{ id: tenantId, text: `A lamp of ${tenantId}.` }]);
  }
  for (const tenantId of ['a', 'b', 'c']) expect(await idsOf(deployments, tenantId)).toEqual([tenantId]);
});
