import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** What the tests need of `oidc-provider`, which has no types of its own. */
type ProviderClass = new (
  issuer: string,
  settings: unknown,
) => { callback: () => Parameters<typeof createServer>[1] };

const AUDIENCE = 'ragstone';

/** People of the provider: what a token says of each. */
const PEOPLE: Readonly<Record<string, object>> = {
  viewer: { tenant_id: 'acme', permissions: ['read'] },
  operator: { tenant_id: 'acme', permissions: ['read', 'write', 'maintain', 'admin'] },
};

/** An identity provider (OpenID Connect) on this machine. */
export interface LocalProvider {
  readonly issuer: string;
  /** `rag.server.jwt` of a service that takes its tokens. */
  readonly settings: object;
  /** Lets people sign in on the page of an address. */
  readonly serve: (page: string) => Promise<void>;
  /** An access token that ended. */
  readonly endedToken: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const PACKAGE: string = 'oidc-provider';

/** Listens on a free port. Its tester closes it. */
export async function startProvider(): Promise<LocalProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'test', alg: 'RS256', use: 'sig' };
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { Provider } = (await import(PACKAGE)) as { readonly Provider: ProviderClass };
  return {
    issuer,
    settings: {
      issuer,
      audience: AUDIENCE,
      jwksUrl: `${issuer}/jwks`,
      operatorTenant: 'acme',
      claims: { permissions: 'permissions' },
      console: { clientId: 'console' },
    },
    serve: async (page) => {
      const provider = new Provider(issuer, {
        jwks: { keys: [key] },
        clients: [
          {
            client_id: 'console',
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            redirect_uris: [page],
          },
        ],
        cookies: { keys: ['for tests alone'] },
        clientBasedCORS: () => true,
        issueRefreshToken: () => true,
        findAccount: (_: unknown, name: string) => ({ accountId: name, claims: () => ({ sub: name }) }),
        extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => PEOPLE[accountId],
        features: {
          resourceIndicators: {
            enabled: true,
            defaultResource: () => 'urn:ragstone',
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({
              scope: 'openid',
              audience: AUDIENCE,
              accessTokenFormat: 'jwt',
              jwt: { sign: { alg: 'RS256' } },
            }),
          },
        },
      });
      server.on('request', provider.callback() ?? (() => undefined));
    },
    endedToken: () =>
      new SignJWT({ ...PEOPLE.viewer, sub: 'viewer' })
        .setProtectedHeader({ alg: 'RS256', kid: 'test' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setExpirationTime('1h ago')
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
