import { RAGError, systemErrorCode } from './errors.js';

/** How an optional driver is named to a person. */
export interface DriverPackage {
  /** `PostgreSQL`. */
  readonly store: string;
  /** With version, as `npm install` takes it: `pg@8.23.1`. */
  readonly install: string;
}

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Imports an optional driver on first use: `loadDriver(() => import('pg'), { store: 'PostgreSQL', install: 'pg@8.23.1' })`.
 * Throws `PACKAGE_MISSING` with the command that installs it.
 */
export async function loadDriver<T>(load: () => Promise<T>, { store, install }: DriverPackage): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const state = MISSING.has(systemErrorCode(error) ?? '') ? 'is not installed' : 'could not be loaded';
    throw new RAGError(
      'PACKAGE_MISSING',
      `The driver of ${store} ${state}. Run \`npm install ${install}\`.`,
      { cause: error },
    );
  }
}
