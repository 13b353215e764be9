import type { CustomerDatabase } from '../src/deployments.js';

const url = process.env.TEST_DATABASE_URL;

/** An index of its own in the database that TEST_DATABASE_URL names. Undefined where it names none: then all tenants are Ragstone's. */
export const testDatabase = (indexName: string): CustomerDatabase | undefined =>
  url === undefined ? undefined : { url, indexName };

/** Why tests of a customer's own database are skipped; false where they run. */
export const WITHOUT_DATABASE: string | false =
  url === undefined ? 'TEST_DATABASE_URL names no PostgreSQL with pgvector' : false;
