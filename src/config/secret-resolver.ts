import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { Secret } from '../core/secret.js';
import { readRegularText } from '../platform/security/regular-file.js';
import type { ConfigPath } from './config-path.js';
import { formatPath, isRecord } from './config-path.js';
import type { SecretContext, SecretResolver } from './secret-scheme.js';

/** Part of a configuration's context that `resolveSecrets` needs; `ResolvedConfig` has it. */
export interface SecretSettings extends SecretContext {
  /** Beside the built-in ones; one of theirs takes the place of a built-in one of its scheme. */
  readonly secretResolvers?: readonly SecretResolver[];
}

/**
 * Fetches every secret in a part of the configuration that is about to be used. Each is fetched once; secrets that nothing uses
 * are never asked for.
 *
 * @param path where the part stands, for messages.
 * @throws RAGError `SECRET_MISSING` naming the setting and what to do.
 */
export async function resolveSecrets(
  part: unknown,
  path: ConfigPath,
  settings: SecretSettings,
): Promise<void> {
  if (part instanceof Secret) {
    await part.fetch((scheme, name) => resolveReference({ scheme, name }, path, settings));
    return;
  }
  const children = Array.isArray(part) ? [...part.entries()] : isRecord(part) ? Object.entries(part) : [];
  for (const [key, child] of children) await resolveSecrets(child, [...path, key], settings);
}

async function resolveReference(
  { scheme, name }: { readonly scheme: string; readonly name: string },
  path: ConfigPath,
  settings: SecretSettings,
): Promise<string | undefined> {
  const resolver = [...(settings.secretResolvers ?? []), ...BUILT_IN].find((one) => one.scheme === scheme);
  if (resolver === undefined) return undefined;
  const key = formatPath(path);
  const value = await resolver.resolve(name, settings).catch((error: unknown) => {
    const reason = RAGError.isInstance(error) ? error.message : 'The secret could not be fetched.';
    throw new RAGError(RAGError.isInstance(error) ? error.reason : 'SECRET_MISSING', `${key}: ${reason}`, {
      cause: error,
      details: { key, reference: `${scheme}:${name}` },
    });
  });
  if (value !== '') return value;
  throw new RAGError('SECRET_MISSING', `${key}: the secret under ${scheme}:${name} is empty.`, {
    details: { key, reference: `${scheme}:${name}` },
  });
}

const environmentResolver: SecretResolver = {
  scheme: 'env',
  async resolve(name, { environment }) {
    const value = environment[name];
    if (value !== undefined) return value;
    throw new RAGError('SECRET_MISSING', `The environment variable ${name} is not set. Set it.`);
  },
};

/** More is no secret, and may be a device without an end. */
const MOST_SECRET_BYTES = 65_536;

const fileResolver: SecretResolver = {
  scheme: 'file',
  async resolve(name, { projectRoot }) {
    const path = resolve(projectRoot, name);
    try {
      const stats = await stat(path);
      if (!stats.isFile() || stats.size > MOST_SECRET_BYTES)
        throw new RAGError(
          'SECRET_MISSING',
          `${path} is no file with a secret (at most ${MOST_SECRET_BYTES} bytes).`,
        );
      // Editors and `echo` end a file with a line break, which is no part of the secret.
      return (await readRegularText(path)).replace(/\r?\n$/, '');
    } catch (error) {
      if (RAGError.isInstance(error)) throw error;
      const why =
        systemErrorCode(error) === 'ENOENT'
          ? 'does not exist'
          : `cannot be read (${systemErrorCode(error) ?? 'unknown error'})`;
      throw new RAGError(
        'SECRET_MISSING',
        `The file ${path} ${why}. Write the secret into it, readable for this user alone.`,
        {
          cause: error,
        },
      );
    }
  },
};

const keyVaultResolver: SecretResolver = {
  scheme: 'keyvault',
  async resolve(name, context) {
    const { createKeyVaultResolver } = await import('./azure-key-vault.js');
    return createKeyVaultResolver().resolve(name, context);
  },
};

const BUILT_IN: readonly SecretResolver[] = [environmentResolver, fileResolver, keyVaultResolver];
