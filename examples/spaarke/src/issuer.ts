import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { PLACES, privateFile } from './places.js';

/** As `ragstone.yaml` has them. */
export const ISSUER = 'https://login.spaarke.example/';
export const AUDIENCE = 'spaarke-rag';
const ALGORITHM = 'ES256';

/** What a token of this example may allow. */
const PERMISSIONS = ['read', 'write', 'maintain', 'admin', 'monitor'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const isPermission = (word: string): word is Permission =>
  PERMISSIONS.some((permission) => permission === word);

export interface TokenClaims {
  readonly tenantId: string;
  readonly user?: string;
  /** @default read and write */
  readonly permissions?: readonly Permission[] | undefined;
}

/** An issuer of tokens that runs. */
export interface RunningIssuer {
  /** Where its public keys are: `rag.server.jwt.jwksUrl`. */
  readonly jwksUrl: string;
  stop(): Promise<void>;
}

/**
 * Stands for the identity provider that you have (Entra ID, Keycloak, Auth0): it publishes the public half of the key that tokens are
 * signed with. Replace it by the address of yours in `ragstone.yaml`.
 */
export async function startIssuer(): Promise<RunningIssuer> {
  const { kty, crv, x, y, kid } = await signingKey();
  const keySet = JSON.stringify({ keys: [{ kty, crv, x, y, kid, alg: ALGORITHM, use: 'sig' }] });
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(keySet);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A token for one hour. Programs of this example sign their own, since nobody can sign in here. */
export async function tokenFor({ tenantId, user = 'ann', permissions }: TokenClaims): Promise<string> {
  const key = await signingKey();
  return new SignJWT({ tenant_id: tenantId, scope: (permissions ?? ['read', 'write']).join(' ') })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid ?? '' })
    .setSubject(user)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(key, ALGORITHM));
}

/** Made by the first who needs it, and kept for the programs that come after. */
async function signingKey(): Promise<JWK> {
  const file = privateFile(PLACES.signingKey);
  const kept = await file.read();
  if (kept !== undefined) return JSON.parse(kept) as JWK;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'spaarke-1' };
  await file.write(JSON.stringify(key));
  return key;
}
