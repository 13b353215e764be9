import type * as UsearchModule from 'usearch';
import { loadDriver } from '../../core/load-driver.js';

export type Usearch = typeof UsearchModule;

/** Loads the driver on first use. Throws `PACKAGE_MISSING` with the command that installs it. */
export const loadUsearch = (): Promise<Usearch> =>
  loadDriver(() => import('usearch'), { store: 'usearch', install: 'usearch@2.25.3' });
