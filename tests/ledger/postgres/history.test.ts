import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, it } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/postgres/postgres-ledger.js';
import { testMoments } from '../../history/moments.js';
import type { OpenBooks } from '../../history/recorded-index.js';
import { IS_LONG } from '../../long-forms.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const RUNS = IS_LONG ? 200 : 15;

describe.skipIf(connectionString === undefined)('history on PostgreSQL (RAGSTONE_TEST_POSTGRES_URL)', () => {
  const schemas: string[] = [];
  afterEach(async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    for (const schema of schemas.splice(0)) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });

  function books(): OpenBooks {
    const schema = `moments_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    schemas.push(schema);
    return (now) => openPostgresLedger({ connectionString, schema, poolSize: 4, keepsHistory: true, now });
  }

  it('shows of every moment what had been committed by then, to who may read it then and now', async () => {
    await testMoments(books, RUNS);
  }, 900_000);
});
