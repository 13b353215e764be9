import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { withTestServer } from '../../../tests/with-test-server.js';
import { FaultyProxy } from '../../testing/faulty-proxy.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';

const SERVER = {
  store: 'postgres',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
  contract: 'deployments at a customer',
};

withTestServer({ describe, it }, SERVER, (url) => {
  const server = new URL(url);
  const query = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };

  /** All rows of all tables of a schema. */
  const textsAt = async (schema: string): Promise<string[]> => {
    const tables = await query(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema}'`,
    );
    return Promise.all(
      tables.map(async ({ table_name: table }) =>
        JSON.stringify(await query(`SELECT t::text FROM ${schema}."${String(table)}" t`)),
      ),
    );
  };

  async function customer() {
    const indexName = `test-${randomUUID().slice(0, 8)}`;
    const port = Number(server.port || '5432');
    const proxy = await FaultyProxy.start({ host: server.hostname, port });
    const schema = indexName.replace('-', '_');
    const folder = temporaryFolder();
    const deployments = await createKnowledgeDeployments({
      cwd: folder,
      config: { provider: 'libsql', deployments: { secrets: ['test:*'] } },
      dataDir: 'data',
      secretResolvers: [{ scheme: 'test', resolve: async () => server.password || 'not-asked-for' }],
    });
    onTestFinished(async () => {
      await deployments.close();
      await proxy.stop();
      await query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    });
    const input: KnowledgeDeploymentInput = {
      tenantId: 'globex',
      model: 'CustomerOwned',
      searchEndpoint: `postgres://127.0.0.1:${proxy.port}${server.pathname}`,
      indexName,
      username: server.username,
      apiKeySecretName: 'test:password',
    };
    return { deployments, proxy, input, schema };
  }

  const found = { text: 'blue lamp', options: { minSimilarity: 0 } };

  describe('a PostgreSQL server that a customer provides', () => {
    it('is validated, serves its tenant alone, and holds texts and ledger too', async () => {
      const { deployments, input, schema } = await customer();
      expect(await deployments.validateCustomerOwnedDeployment(input)).toMatchObject({
        isValid: true,
        errors: [],
      });
      const acme = (await deployments.of({ tenant: 'acme' })).view;
      const globex = (await deployments.of({ tenant: 'globex' })).view;
      await acme.push([{ id: 'a', text: 'The blue lamp of Acme.' }]);
      await globex.push([{ id: 'g', text: 'The blue lamp of Globex.' }]);
      expect(await deployments.moveTenant(input)).toMatchObject({ copied: 1 });
      expect((await globex.search(found)).results.map(({ content }) => content)).toEqual([
        'The blue lamp of Globex.',
      ]);
      expect((await acme.search(found)).results.map(({ content }) => content)).toEqual([
        'The blue lamp of Acme.',
      ]);
      await globex.push([{ id: 'h', text: 'Another lamp of Globex.' }]);
      expect((await globex.list()).documents.map(({ externalId }) => externalId).sort()).toEqual(['g', 'h']);
      expect((await textsAt(schema)).join()).toContain('The blue lamp of Globex.');

      expect(await deployments.moveTenant({ tenantId: 'globex', model: 'Shared' })).toMatchObject({
        copied: 2,
      });
      expect((await globex.list()).documents).toHaveLength(2);
      expect((await textsAt(schema)).join()).not.toContain('lamp');
    });

    it('that goes away stops its tenant with 503, and comes back', async () => {
      const { deployments, input, proxy } = await customer();
      await deployments.saveDeploymentConfig(input);
      const globex = (await deployments.of({ tenant: 'globex' })).view;
      const acme = (await deployments.of({ tenant: 'acme' })).view;
      await globex.push([{ id: 'g', text: 'The blue lamp of Globex.' }]);
      await acme.push([{ id: 'a', text: 'The blue lamp of Acme.' }]);
      proxy.mode = 'cut';
      await expect(globex.search(found)).rejects.toMatchObject({ category: 'provider' });
      await expect(globex.push([{ id: 'x', text: 'A lamp.' }])).rejects.toMatchObject({
        category: 'provider',
      });
      expect((await acme.search(found)).results).toHaveLength(1);
      expect((await deployments.shared.list({}, { tenant: 'globex' })).documents).toEqual([]);
      expect((await deployments.validateCustomerOwnedDeployment(input)).checks.at(-1)).toMatchObject({
        check: 'connection',
        isValid: false,
      });
      proxy.mode = 'pass';
      expect((await globex.search(found)).results).toHaveLength(1);
    });

    it('belongs to one tenant under all of its addresses', async () => {
      const { deployments, input } = await customer();
      const view = async (tenant: string) => (await deployments.of({ tenant })).view;
      const idsOf = async (tenant: string) =>
        (await (await view(tenant)).list()).documents.map(({ externalId }) => externalId);
      for (const tenant of ['globex', 'acme'])
        await (await view(tenant)).push([{ id: tenant, text: `The lamp of ${tenant}.` }]);
      await deployments.moveTenant(input);
      const alias = { ...input, searchEndpoint: input.searchEndpoint?.replace('127.0.0.1', 'localhost') };
      const taken = {
        isValid: false,
        checks: expect.arrayContaining([{ check: 'owner', isValid: false, message: expect.any(String) }]),
      };
      for (const other of [alias, { ...alias, tenantId: 'acme' }]) {
        expect(await deployments.validateCustomerOwnedDeployment(other)).toMatchObject(taken);
        await expect(deployments.moveTenant(other)).rejects.toMatchObject({ reason: 'DEPLOYMENT_INVALID' });
      }
      expect([await idsOf('globex'), await idsOf('acme')]).toEqual([['globex'], ['acme']]);
      await deployments.moveTenant({ tenantId: 'globex', model: 'Shared' });
      // Leaving it leaves it to others.
      expect(await deployments.saveDeploymentConfig({ ...alias, tenantId: 'empty' })).toMatchObject({
        model: 'CustomerOwned',
      });
      await deployments.saveDeploymentConfig({ tenantId: 'empty', model: 'Shared' });
      expect(await deployments.moveTenant({ ...alias, tenantId: 'acme' })).toMatchObject({ copied: 1 });
      expect([await idsOf('globex'), await idsOf('acme')]).toEqual([['globex'], ['acme']]);
    });

    it('that holds documents of others is not taken', async () => {
      const { deployments, input, schema } = await customer();
      await deployments.saveDeploymentConfig(input);
      await (await deployments.of({ tenant: 'globex' })).view.push([
        { id: 'g', text: 'The blue lamp of Globex.' },
      ]);
      // As an index that another program made has no sign of whose it is.
      await query(`DELETE FROM ${schema}.collection WHERE name = 'owner'`);
      const alias = {
        ...input,
        tenantId: 'acme',
        searchEndpoint: input.searchEndpoint?.replace('127.0.0.1', 'localhost'),
      };
      expect(await deployments.validateCustomerOwnedDeployment(alias)).toMatchObject({ isValid: false });
      await expect(deployments.moveTenant({ ...alias, tenantId: 'globex' })).rejects.toMatchObject({
        reason: 'DEPLOYMENT_CONFLICT',
        message: expect.stringContaining('1 documents'),
      });
    });

    it('that does not know the account is refused without its password', async () => {
      const { deployments, input } = await customer();
      const refused = await deployments.validateCustomerOwnedDeployment({
        ...input,
        username: 'nobody_here',
      });
      expect(refused.isValid).toBe(false);
      expect(JSON.stringify(refused)).not.toContain(server.password || 'not-asked-for');
    });
  });
});
