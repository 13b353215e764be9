import { RAGError, systemErrorCode } from '../../core/errors.js';
import { factsOf, type ProviderName } from './provider-table.js';

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Imports the optional package of a provider on first use.
 * @throws RAGError `PACKAGE_MISSING` with the command that installs it.
 */
export async function loadProviderPackage<T>(provider: ProviderName, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { label, install = '' } = factsOf(provider);
    const state = MISSING.has(systemErrorCode(error) ?? '') ? 'is not installed' : 'could not be loaded';
    throw new RAGError(
      'PACKAGE_MISSING',
      `Models of ${label} need the package ${install}, which ${state}. Run \`npm install ${install}\`.`,
      { cause: error, details: { provider, package: install } },
    );
  }
}
