/**
 * A process that indexes until it is killed: `killed-writer.ts URL SCHEMA SEED`. Its store is a table that is written without
 * transactions, chunk by chunk. The first line on stdout says that it is at work.
 */
import pg from 'pg';
import { openPostgresLedger } from '../../../src/ledger/postgres/postgres-ledger.js';
import { seededRandom } from '../../../src/testing/vector-store/records.js';
import { runRound } from './writer-rounds.js';

const [connectionString = '', schema = '', seed = '0'] = process.argv.slice(2);
const ledger = await openPostgresLedger({ connectionString, schema });
const client = new pg.Client({ connectionString });
await client.connect();
const random = seededRandom(Number(seed));
const live = await ledger.live();
const writer = ledger.writer(live?.generation ?? 0, `process ${seed}`);
process.stdout.write('at work\n');
for (;;) await runRound({ writer, client, schema, random });
