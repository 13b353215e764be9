import type { errors, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { ResolvedConfig } from '../../../config/resolved-config.js';
import { PERMISSIONS } from '../../../config/schema/server.js';
import { RAGError } from '../../../index.js';
import { unauthenticated } from './presented-key.js';
import type { Permission, Principal } from './principal.js';

/** `rag.server.jwt`. */
export type JwtSettings = NonNullable<ResolvedConfig['rag']['server']['jwt']>;

/**
 * Checks tokens of an identity provider: signature by its published keys, `iss`, `aud`, `exp`, `nbf`, and an algorithm that the
 * settings name. Keys are fetched when the first token comes, and again (at most every 30 s) when a token names a new one.
 */
export function tokenVerifier(settings: JwtSettings): (token: string) => Promise<Principal> {
  const { issuer, audience, algorithms, clockSkewSeconds, claims } = settings;
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return async (token) => {
    const jose = await import('jose');
    keys ??= Promise.resolve(jose.createRemoteJWKSet(new URL(settings.jwksUrl)));
    try {
      const payload = await verifiedPayload(token, await keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['exp', claims.tenant],
      });
      return principalOf(payload, settings);
    } catch (error) {
      if (RAGError.isInstance(error)) throw error;
      if (isWrongToken(error, jose.errors)) throw unauthenticated('The token is not valid.', error);
      throw new RAGError('SERVICE_UNAVAILABLE', 'The keys that tokens are checked with cannot be had now.', {
        cause: error,
      });
    }
  };
}

/** A token may name no key where several fit: then each of them is tried. */
async function verifiedPayload(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const { errors, jwtVerify } = await import('jose');
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Everything else (no answer, an answer that is no key set) is not the caller's fault. */
const isWrongToken = (error: unknown, kinds: typeof errors): boolean =>
  [
    kinds.JWTExpired,
    kinds.JWTClaimValidationFailed,
    kinds.JWTInvalid,
    kinds.JWSInvalid,
    kinds.JWSSignatureVerificationFailed,
    kinds.JOSEAlgNotAllowed,
    kinds.JOSENotSupported,
    kinds.JWKSNoMatchingKey,
  ].some((kind) => error instanceof kind);

function principalOf(payload: JWTPayload, { claims, permissions, operatorTenant }: JwtSettings): Principal {
  const tenant = payload[claims.tenant];
  const project = claims.project === undefined ? undefined : payload[claims.project];
  const clearance = claims.clearance === undefined ? 0 : (payload[claims.clearance] ?? 0);
  if (typeof tenant !== 'string' || tenant === '') throw wrongClaim(claims.tenant, 'a text');
  if (project !== undefined && (typeof project !== 'string' || project === ''))
    throw wrongClaim(claims.project, 'a text');
  if (typeof clearance !== 'number' || !Number.isSafeInteger(clearance))
    throw wrongClaim(claims.clearance, 'a whole number');
  return {
    name: payload.sub ?? '',
    scope: { tenant, project, groups: wordsOf(payload, claims.groups), clearance },
    permissions:
      claims.permissions === undefined
        ? permissions
        : wordsOf(payload, claims.permissions)
            .filter(isPermission)
            .filter((word) => !OVER_TENANTS.has(word) || tenant === operatorTenant),
  };
}

/** A list of texts, or one text with spaces, as `scope` has it (RFC 8693, 4.2). */
function wordsOf(payload: JWTPayload, claim: string): string[] {
  const value = payload[claim] ?? [];
  const words: unknown = typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : value;
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw wrongClaim(claim, 'a list of texts');
}

/** They count in tokens of operators alone. */
const OVER_TENANTS: ReadonlySet<Permission> = new Set<Permission>(['admin', 'monitor']);

const isPermission = (word: string): word is Permission => PERMISSIONS.some((known) => known === word);

const wrongClaim = (claim: string | undefined, wanted: string): RAGError =>
  unauthenticated(`The claim "${claim ?? ''}" of the token must be ${wanted}.`);
