import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { GenerationWriter, PlannedDocument } from '../../ledger/ledger.js';
import type { LedgerPart } from './contract.js';
import { AT, completed, itemKey, itemOf, planned, SOURCE, TENANT, targetOf } from './records.js';

/** A revision of a document: chunk names and the digest of each. */
type Content = readonly { readonly name: string; readonly digest: string }[];

/** What a source holds. */
type Documents = Readonly<Record<string, Content>>;

const DOCUMENTS = ['p', 'q', 'r'];

const contents = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
  .chain((names) =>
    fc
      .tuple(...names.map(() => fc.constantFrom('1', '2')))
      .map((digests) => names.map((name, i) => ({ name, digest: digests[i] ?? '1' }))),
  );

/** Runs over a source: what it holds at that time, and after how many steps the process is killed. */
const histories = fc.array(
  fc.record({
    source: fc.dictionary(fc.constantFrom(...DOCUMENTS), contents, { noNullPrototype: true }),
    stepsBeforeDeath: fc.option(fc.nat({ max: 25 }), { nil: Number.POSITIVE_INFINITY }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** A death after any step of ledger or store leaves a state that the next run makes whole. */
export const testCrashes: LedgerPart = (test) => {
  test('the next run brings ledger and store to exactly what the source holds', async ({
    ledger,
    options,
  }) => {
    const property = fc.asyncProperty(histories, async (history) => {
      const { generation } = await ledger.begin(targetOf, AT);
      const writer = ledger.writer(generation, 'run');
      const store = new Map<string, string>();
      for (const { source, stepsBeforeDeath } of history) {
        await runOver(source, { writer, store, step: mortal(stepsBeforeDeath) }).catch(onlyDeath);
        await assertNothingOrphaned(writer, store);
      }
      const last = history.at(-1)?.source ?? {};
      await runOver(last, { writer, store, step: mortal(Number.POSITIVE_INFINITY) });
      await assertHolds(last, writer, store);
    });
    await fc.assert(property, { numRuns: options.randomHistories ?? 30 });
  });
};

class Death extends Error {}

const onlyDeath = (error: unknown): void => {
  if (!(error instanceof Death)) throw error;
};

type Step = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Steps that work until there have been so many. */
function mortal(steps: number): Step {
  let left = steps;
  return async (work) => {
    if (left-- <= 0) throw new Death();
    return work();
  };
}

interface Run {
  readonly writer: GenerationWriter;
  /** Chunk ids with the digest that was written. */
  readonly store: Map<string, string>;
  readonly step: Step;
}

/** A run as indexing does it; every step of the store and of the ledger may be the last one. */
async function runOver(source: Documents, run: Run): Promise<void> {
  for (const document of DOCUMENTS) {
    const content = source[document];
    if (content === undefined) await remove(document, run);
    else await write(document, content, run);
  }
}

const plannedOf = (document: string, content: Content): PlannedDocument =>
  planned(document, {
    revision: JSON.stringify(content),
    chunks: content.map(({ name, digest }) => ({ chunkId: `${document}/${name}`, digest })),
  });

async function write(document: string, content: Content, { writer, store, step }: Run): Promise<void> {
  const known = (await writer.items(TENANT, SOURCE)).get(itemOf(document));
  const version = JSON.stringify(content);
  if (known?.status === 'indexed' && known.version === version) return;
  const digests = new Map(content.map(({ name, digest }) => [`${document}/${name}`, digest]));
  const [plan] = await step(() => writer.plan([plannedOf(document, content)]));
  assert.ok(plan);
  for (const id of [...plan.toWrite, ...plan.toRewrite])
    await step(() => store.set(id, digests.get(id) ?? ''));
  for (const id of plan.toDelete) await step(() => store.delete(id));
  await step(() => writer.commit([document], AT));
  await step(() => writer.completeItems([completed(document, version)]));
}

async function remove(document: string, { writer, store, step }: Run): Promise<void> {
  if ((await writer.document(document)) === undefined) return;
  const ids = await step(() => writer.planDeletion([document]));
  for (const id of ids) await step(() => store.delete(id));
  await step(() => writer.forget([document]));
  await step(() => writer.forgetItems(itemKey(document).tenant, SOURCE, [itemOf(document)]));
}

/** The two invariants of the write-ahead log. */
export async function assertNothingOrphaned(
  reader: Pick<GenerationWriter, 'allChunks'>,
  store: ReadonlyMap<string, string>,
): Promise<void> {
  const chunks = new Map((await reader.allChunks(undefined, 10_000)).map((chunk) => [chunk.chunkId, chunk]));
  for (const id of store.keys())
    assert.ok(chunks.has(id), `${id} is in the store, and the ledger knows of it`);
  for (const { chunkId, state, digest } of chunks.values())
    if (state === 'live')
      assert.equal(store.get(chunkId), digest, `${chunkId} is live, so it is in the store`);
}

async function assertHolds(source: Documents, writer: GenerationWriter, store: ReadonlyMap<string, string>) {
  const wanted = Object.entries(source)
    .flatMap(([document, content]) => content.map(({ name, digest }) => [`${document}/${name}`, digest]))
    .sort();
  assert.deepEqual([...store].sort(), wanted);
  const chunks = await writer.allChunks(undefined, 1_000);
  assert.deepEqual(
    chunks.map(({ chunkId, digest }) => [chunkId, digest]),
    wanted,
  );
  assert.ok(chunks.every(({ state }) => state === 'live'));
}
