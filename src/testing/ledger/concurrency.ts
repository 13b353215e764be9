import assert from 'node:assert/strict';
import type { GenerationWriter } from '../../ledger/ledger.js';
import type { LedgerContext, LedgerPart } from './contract.js';
import { AT, indexDocuments, itemOf, MINUTE, planned, SOURCE, TENANT, targetOf } from './records.js';

const RIVALS = 3;
const ITEMS = 40;

/** Several processes at once, each with a connection of its own. */
export const testConcurrency: LedgerPart = (test) => {
  test('each item that several claim at once is won by exactly one', async (context) => {
    const writers = await rivals(context);
    const names = Array.from({ length: ITEMS }, (_, i) => `item ${i}`);
    const won = await Promise.all(
      writers.map(async (writer, i) => {
        const wanted = i % 2 === 0 ? names : [...names].reverse();
        const claims = await Promise.all(
          [wanted.slice(0, 25), wanted.slice(15)].map((some) => writer.claim(TENANT, SOURCE, some, MINUTE)),
        );
        return new Set(claims.flatMap((claim) => [...claim]));
      }),
    );
    const all = won.flatMap((claim) => [...claim]);
    assert.equal(all.length, ITEMS, 'no item is won twice');
    assert.deepEqual(new Set(all), new Set(names), 'every item is won');
  });

  test('an expired item that several take over at once goes to one', async (context) => {
    const { writer, pass } = context;
    await writer.claim(TENANT, SOURCE, ['x'], MINUTE);
    pass(MINUTE);
    const writers = await rivals(context);
    const won = await Promise.all(writers.map((rival) => rival.claim(TENANT, SOURCE, ['x'], MINUTE)));
    assert.equal(won.filter((claim) => claim.has('x')).length, 1);
  });

  test('writers of different items do not disturb each other', async (context) => {
    const writers = await rivals(context);
    const documentsOf = (i: number) => Array.from({ length: ITEMS }, (_, d) => planned(`${i}-${d}`));
    await Promise.all(
      writers.map(async (writer, i) => {
        const documents = documentsOf(i);
        await writer.claim(
          TENANT,
          SOURCE,
          documents.map(({ itemId }) => itemId),
          MINUTE,
        );
        for (let start = 0; start < ITEMS; start += 8)
          await indexDocuments(writer, ...documents.slice(start, start + 8));
        await writer.planDeletion([`${i}-0`]);
        await writer.forget([`${i}-0`]);
        await writer.forgetItems(TENANT, SOURCE, [itemOf(`${i}-0`)]);
      }),
    );
    const [summary] = await context.writer.sources();
    const indexed = RIVALS * (ITEMS - 1);
    assert.deepEqual([summary?.documents.indexed, summary?.chunks], [indexed, indexed]);
    assert.equal((await context.writer.items(TENANT, SOURCE)).size, indexed);
  });

  test('two that write the same items, in opposite order, both end, and leave whole documents', async (context) => {
    const writers = await rivals(context);
    const documentsOf = (i: number, round: number) =>
      Array.from({ length: 12 }, (_, d) =>
        planned(`d${d}`, {
          revision: `${i}/${round}`,
          text: `${i}/${round}`,
          chunks: [...'abc'].map((name) => ({ chunkId: `d${d}/${i}${name}`, digest: `${round}` })),
        }),
      );
    await Promise.all(
      writers.map(async (writer, i) => {
        for (let round = 0; round < 4; round++) {
          const documents = documentsOf(i, round);
          await writer.plan(i % 2 === 0 ? documents : documents.reverse());
          await writer.commit(
            documents.map(({ documentId }) => documentId),
            AT,
          );
        }
      }),
    );
    for (const document of await context.writer.documents(undefined, 100)) {
      assert.equal(await context.writer.text(document.documentId), document.revision);
      const [owner] = document.revision.split('/');
      const chunks = (await context.writer.chunks(document.documentId)).filter(
        ({ state }) => state !== 'stale',
      );
      assert.ok(
        [...'abc'].every((name) =>
          chunks.some(({ chunkId }) => chunkId === `${document.documentId}/${owner}${name}`),
        ),
        'the chunks of the last revision are there',
      );
    }
  });

  test('generations that several begin at once have different numbers', async (context) => {
    const ledgers = await Promise.all(Array.from({ length: RIVALS }, () => context.reopen()));
    const begun = await Promise.all(
      ledgers.flatMap((ledger) => [ledger.begin(targetOf, AT), ledger.begin(targetOf, AT)]),
    );
    assert.equal(new Set(begun.map(({ generation }) => generation)).size, 2 * RIVALS);
    await Promise.all(begun.map(async ({ generation }, i) => ledgers[i % RIVALS]?.switchTo(generation, AT)));
    const states = (await context.ledger.generations()).map(({ state }) => state);
    assert.equal(states.filter((state) => state === 'live').length, 1);
  });

  test('a reader beside a writer sees whole revisions', async (context) => {
    const { writer } = context;
    const reader = (await context.reopen()).reader(context.facts.generation);
    const version = (round: number) =>
      planned('d', {
        revision: `${round}`,
        text: `${round}`,
        chunks: [...'abcd'].map((name) => ({ chunkId: `d/${name}`, digest: `${round}` })),
      });
    await indexDocuments(writer, version(0));
    let isDone = false;
    const write = async (): Promise<void> => {
      for (let round = 1; round <= 10; round++) await indexDocuments(writer, version(round));
      isDone = true;
    };
    const read = async (): Promise<void> => {
      while (!isDone) {
        const digests = new Set((await reader.chunks('d')).map(({ digest }) => digest));
        assert.equal(digests.size, 1, 'all chunks are of one revision');
        assert.ok((await reader.text('d')) !== undefined);
      }
    };
    await Promise.all([write(), read()]);
    assert.equal(await reader.text('d'), '10');
  });
};

async function rivals({ reopen, facts }: LedgerContext): Promise<GenerationWriter[]> {
  const ledgers = await Promise.all(Array.from({ length: RIVALS }, () => reopen()));
  return ledgers.map((ledger, i) => ledger.writer(facts.generation, `rival ${i}`));
}
