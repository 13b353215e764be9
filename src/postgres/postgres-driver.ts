import type * as PgModule from 'pg';
import { loadDriver } from '../core/load-driver.js';

export type Pg = typeof PgModule;

let loading: Promise<Pg> | undefined;

/** Loads the optional package `pg` on first use. Throws `PACKAGE_MISSING` with the command that installs it. */
export function loadPostgresDriver(): Promise<Pg> {
  loading ??= loadDriver(() => import('pg'), { store: 'PostgreSQL', install: 'pg@8.23.1' }).catch(
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
