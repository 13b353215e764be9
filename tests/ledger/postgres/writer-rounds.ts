import type pg from 'pg';
import type { GenerationWriter } from '../../../src/ledger/ledger.js';
import { AT, completed, itemOf, planned, SOURCE, TENANT } from '../../../src/testing/ledger/records.js';

const DOCUMENTS = 12;
const CHUNKS = 6;
/** Shorter than the pause between two lives, so that the next process can take over at once. */
const LEASE_MS = 50;

export interface Round {
  readonly writer: GenerationWriter;
  readonly client: pg.Client;
  /** Where the table `store` is. */
  readonly schema: string;
  readonly random: () => number;
}

/** Every document gets a new revision or is deleted, as a run does it. Items that another one holds are left to it. */
export async function runRound({ writer, client, schema, random }: Round): Promise<void> {
  const ids = Array.from({ length: DOCUMENTS }, (_, i) => `d${i}`);
  const claimed = await writer.claim(TENANT, SOURCE, ids.map(itemOf), LEASE_MS);
  const mine = ids.filter((id) => claimed.has(itemOf(id)));
  const written = mine.filter(() => random() < 0.8);
  const store = {
    write: (id: string, digest: string) =>
      client.query(
        `INSERT INTO ${schema}.store VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET digest = EXCLUDED.digest`,
        [id, digest],
      ),
    delete: (ids: readonly string[]) => client.query(`DELETE FROM ${schema}.store WHERE id = ANY($1)`, [ids]),
  };
  const documents = written.map((id) => documentOf(id, random));
  const digests = new Map(
    documents.flatMap(({ chunks }) => chunks.map((chunk) => [chunk.chunkId, chunk.digest])),
  );
  for (const { toWrite, toRewrite, toDelete } of await writer.plan(documents)) {
    for (const id of [...toWrite, ...toRewrite]) await store.write(id, digests.get(id) ?? '');
    await store.delete(toDelete);
  }
  await writer.commit(written, AT);
  await writer.completeItems(written.map((id) => completed(id)));
  const deleted = mine.filter((id) => !written.includes(id));
  await store.delete(await writer.planDeletion(deleted));
  await writer.forget(deleted);
  await writer.forgetItems(TENANT, SOURCE, deleted.map(itemOf));
}

/** A revision with some of the chunks that the document can have, each of one of two contents. */
function documentOf(id: string, random: () => number) {
  const chunks = Array.from({ length: CHUNKS }, (_, c) => ({
    chunkId: `${id}/${c}`,
    digest: random() < 0.5 ? 'a' : 'b',
  })).filter(() => random() < 0.7);
  const revision = JSON.stringify(chunks);
  return planned(id, { revision, text: revision, chunks });
}
