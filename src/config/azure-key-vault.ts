import { RAGError, systemErrorCode } from '../core/errors.js';
import type { SecretResolver } from './secret-scheme.js';

/** What signs in; every credential of `@azure/identity` is one. */
export interface KeyVaultCredential {
  getToken(
    scopes: string | string[],
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

/** How key vaults are signed in to. */
export interface KeyVaultResolverOptions {
  /** Who signs in. Default: `DefaultAzureCredential`, which tries environment, workload and managed identity, and the Azure CLI. */
  readonly credential?: KeyVaultCredential;
  /** Address of a vault by its name. Default: `https://NAME.vault.azure.net`, and `https://NAME` for a name with dots. */
  readonly vaultUrl?: (vault: string) => string;
  /** How often a request is tried again. @default 3, as the client has it */
  readonly retries?: number;
}

/** `VAULT/NAME` or `VAULT/NAME/VERSION`: letters, digits and `-`; a vault also as a host name. */
const REFERENCE = /^([A-Za-z0-9.-]+)\/([0-9A-Za-z-]{1,127})(?:\/([0-9a-f]+))?$/;

/**
 * Secrets of Azure Key Vault: `keyvault:team-vault/database-url`. The account needs the permission to get secrets (role *Key Vault
 * Secrets User*).
 */
export function createKeyVaultResolver(options: KeyVaultResolverOptions = {}): SecretResolver {
  return {
    scheme: 'keyvault',
    async resolve(reference) {
      const [, vault, name, version] = REFERENCE.exec(reference) ?? [];
      if (vault === undefined || name === undefined)
        throw new RAGError(
          'CONFIG_INVALID',
          `"keyvault:${reference}" is no reference. Write keyvault:VAULT/NAME.`,
        );
      const { SecretClient } = await load(() => import('@azure/keyvault-secrets'));
      const url = (options.vaultUrl ?? usualUrl)(vault);
      const client = new SecretClient(url, options.credential ?? (await usualCredential()), {
        ...(options.retries === undefined ? {} : { retryOptions: { maxRetries: options.retries } }),
        ...(options.vaultUrl === undefined
          ? {}
          : { disableChallengeResourceVerification: true, allowInsecureConnection: url.startsWith('http:') }),
      });
      try {
        const secret = await client.getSecret(name, version === undefined ? {} : { version });
        return secret.value ?? '';
      } catch (error) {
        throw vaultError(error, vault, name);
      }
    },
  };
}

const usualUrl = (vault: string): string =>
  `https://${vault.includes('.') ? vault : `${vault}.vault.azure.net`}`;

async function usualCredential(): Promise<KeyVaultCredential> {
  const { DefaultAzureCredential } = await load(() => import('@azure/identity'));
  return new DefaultAzureCredential();
}

async function load<T>(importing: () => Promise<T>): Promise<T> {
  try {
    return await importing();
  } catch (cause) {
    throw new RAGError(
      'PACKAGE_MISSING',
      'Azure Key Vault needs two packages. Run `npm install @azure/identity@4.13.1 @azure/keyvault-secrets@4.11.2`.',
      { cause },
    );
  }
}

/** What the vault answered is not shown. */
function vaultError(error: unknown, vault: string, name: string): RAGError {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  const fail = (why: string): RAGError =>
    new RAGError('SECRET_MISSING', `The key vault "${vault}" ${why}`, { cause: error });
  if (status === 404) return fail(`has no secret "${name}". Check its name, or create it.`);
  if (status === 403)
    return fail(`does not give "${name}" to this account. Grant it the role "Key Vault Secrets User".`);
  if (status === 401)
    return fail('refused the sign-in. Check the identity of this machine, or run `az login`.');
  if (error instanceof Error && /credential/i.test(error.name))
    return fail(
      'could not be asked: nobody is signed in to Azure. Set up a managed identity, or run `az login`.',
    );
  const code = systemErrorCode(error);
  return fail(
    `could not be reached${code === undefined ? '' : ` (${code})`}. Check its name and the network.`,
  );
}
