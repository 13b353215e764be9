import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { IS_LONG } from '../../../tests/long-forms.js';
import { withTestServer } from '../../../tests/with-test-server.js';
import { loadConfig } from '../../config/load-config.js';
import { startService } from '../../faces/service/start-service.js';
import { type IsolationProbeOptions, probeIsolation } from '../../testing/isolation/isolation-probe.js';
import type { ProbeCaller } from '../../testing/isolation/probe-exchange.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';

// The whole by `RAGSTONE_SLOW=1`, else a tenth.
const [TENANTS, STEPS] = IS_LONG ? [50, 20_000] : [10, 2_000];
const SEED = Number(process.env.RAGSTONE_SEED ?? 1);

const PASSWORD = 'RAGSTONE_TEST_CUSTOMER_PASSWORD';
const ISSUER = 'https://login.example.com/';
const AUDIENCE = 'ragstone';

const SERVER = {
  store: 'postgres',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
  contract: 'isolation of tenants',
};

withTestServer({ describe, it }, SERVER, (url) => {
  const server = new URL(url);
  const run = randomUUID().slice(0, 6);
  process.env[PASSWORD] = server.password || 'not-asked-for';

  /** Names that differ little, as those of a company and its parts. */
  const tenantOf = (n: number): string => `acme${'-'.repeat(n % 3)}${n}`;

  function deploymentOf(n: number): KnowledgeDeploymentInput | undefined {
    const tenantId = tenantOf(n);
    if (n % 5 < 3) return undefined;
    if (n % 5 === 3) return { tenantId, model: 'Dedicated' };
    return {
      ...{ tenantId, model: 'CustomerOwned', username: server.username, apiKeySecretName: `env:${PASSWORD}` },
      searchEndpoint: `postgres://${server.host}${server.pathname}`,
      indexName: schemaOf(n).replace('_', '-'),
    };
  }

  const schemaOf = (n: number): string => `probe_${run}${n}`;

  async function deployments(folder: string) {
    const opened = await createKnowledgeDeployments(
      {
        ...{ cwd: folder, dataDir: 'data' },
        config: { provider: 'libsql', deployments: { secrets: [`env:${PASSWORD}`] } },
        // What is sent between processes is held to the same.
        searchProcesses: 2,
      },
      // Fewer than there are, so that indexes are closed and opened while they are asked.
      { mostOpen: 6 },
    );
    onTestFinished(async () => {
      await opened.close();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (let n = 0; n < TENANTS; n++) await client.query(`DROP SCHEMA IF EXISTS ${schemaOf(n)} CASCADE`);
      await client.end();
    });
    for (let n = 0; n < TENANTS; n++) {
      const input = deploymentOf(n);
      if (input !== undefined) await opened.saveDeploymentConfig(input);
    }
    return opened;
  }

  describe(SERVER.contract, () => {
    it(`holds in three deployment models: ${TENANTS} tenants, ${STEPS} steps`, {
      timeout: IS_LONG ? 3_600_000 : 300_000,
    }, async () => {
      const folder = temporaryFolder();
      const identity = await identityProvider();
      const config = await loadConfig({
        ...{ cwd: folder, dataDir: 'data' },
        config: {
          provider: 'libsql',
          server: {
            requestsPerMinute: 0,
            maxDelayMs: 0,
            jwt: { issuer: ISSUER, audience: AUDIENCE, jwksUrl: identity.url },
          },
        },
      });
      const service = await startService({ deployments: await deployments(folder), config, port: 0 });
      onTestFinished(() => service.stop());
      const callers = (
        await Promise.all(
          Array.from({ length: TENANTS }, (_, n) => [
            caller(identity, tenantOf(n)),
            caller(identity, tenantOf(n), ['hr']),
          ]).flat(),
        )
      ).flat();
      const report = await probeIsolation({
        ...{ callers, forged: await forgedBy(identity), send: sender(service.url) },
        ...{ steps: STEPS, pairs: IS_LONG ? 50 : 5, documentsPerCaller: 1, concurrency: 8, seed: SEED },
      });
      expect(report.violations).toEqual([]);
      expect(report.ownShown).toBeGreaterThan(STEPS / 10);
      expect(report.compared - report.disturbed).toBeGreaterThan(STEPS / 50);
    });
  });
});

interface IdentityProvider {
  readonly url: string;
  readonly privateKey: CryptoKey;
}

async function identityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'RS256', use: 'sig' }];
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, privateKey };
}

interface Claims {
  readonly tenant_id: string;
  readonly groups?: readonly string[];
  readonly issuer?: string;
  readonly audience?: string;
  readonly expires?: string;
}

async function tokenOf(
  { privateKey }: Pick<IdentityProvider, 'privateKey'>,
  claims: Claims,
): Promise<string> {
  const { issuer = ISSUER, audience = AUDIENCE, expires = '2h', ...own } = claims;
  const token = await new SignJWT({ sub: 'probe', ...own })
    .setProtectedHeader({ alg: 'RS256', kid: 'first' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(privateKey);
  return `Bearer ${token}`;
}

async function caller(
  identity: IdentityProvider,
  tenant: string,
  groups: string[] = [],
): Promise<ProbeCaller> {
  return { authorization: await tokenOf(identity, { tenant_id: tenant, groups }), tenant, groups };
}

/** Tokens that look like those of a tenant. */
async function forgedBy(identity: IdentityProvider): Promise<string[]> {
  const stranger = await generateKeyPair('RS256');
  const claims = { tenant_id: 'acme0' };
  const unsigned = new UnsecuredJWT({ sub: 'probe', ...claims })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('2h')
    .encode();
  const valid = await tokenOf(identity, claims);
  const [head = '', , signature = ''] = valid.split('.');
  const other = Buffer.from(
    JSON.stringify({ sub: 'probe', tenant_id: 'acme-1', iss: ISSUER, aud: AUDIENCE }),
  );
  return [
    `Bearer ${unsigned}`,
    `${head}.${other.toString('base64url')}.${signature}`,
    await tokenOf(stranger, claims),
    await tokenOf(identity, { ...claims, issuer: 'https://login.example.org/' }),
    await tokenOf(identity, { ...claims, audience: 'another' }),
    await tokenOf(identity, { ...claims, expires: '-1h' }),
    'Bearer ',
    'Basic YWNtZTA6',
  ];
}

const sender =
  (root: string): IsolationProbeOptions['send'] =>
  async ({ method, path, body, headers = {} }, authorization) => {
    const response = await fetch(root + path, {
      method,
      headers: {
        ...headers,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
