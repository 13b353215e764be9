import { createRequire } from 'node:module';
import type * as LanceDbModule from '@lancedb/lancedb';
import type * as ArrowModule from 'apache-arrow';
import { RAGError, systemErrorCode } from '../../core/errors.js';

export type LanceDb = typeof LanceDbModule;
export type Arrow = typeof ArrowModule;

/** The two optional packages that this store runs on. */
export interface LanceDriver {
  readonly lancedb: LanceDb;
  readonly arrow: Arrow;
}

let loading: Promise<LanceDriver> | undefined;

/** Loads the driver on first use. Throws `PACKAGE_MISSING` with the command that installs it. */
export function loadLanceDriver(): Promise<LanceDriver> {
  loading ??= loadPackages().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function loadPackages(): Promise<LanceDriver> {
  try {
    const lancedb = await import('@lancedb/lancedb');
    // As LanceDB loads it itself: its modules are read once.
    const arrow = createRequire(import.meta.url)('apache-arrow') as Arrow;
    return { lancedb, arrow };
  } catch (error) {
    const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemErrorCode(error) ?? '');
    throw new RAGError(
      'PACKAGE_MISSING',
      `The LanceDB store ${isMissing ? 'is not installed' : 'could not be loaded'}. Run \`npm install @lancedb/lancedb@0.37.1 apache-arrow@18.1.0\`, or \`ragstone init\`, which also keeps the download small.`,
      { cause: error },
    );
  }
}
