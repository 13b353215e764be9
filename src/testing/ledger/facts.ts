import assert from 'node:assert/strict';
import type { GenerationWriter } from '../../ledger/ledger.js';
import type { CommunitySummary, FactRecord, FactWriter } from '../../relations/graph/facts.js';
import type { LedgerPart } from './contract.js';
import { AT, indexDocuments, planned, TENANT, targetOf } from './records.js';

const ALL = { limit: 100 };

/** What was read of the chunk of `planned(documentId)`. */
const factsOf = (documentId: string, ...names: readonly string[]): FactRecord => ({
  chunkId: `${documentId}-1`,
  documentId,
  inputKey: `text of ${documentId}`,
  model: 'scripted:test',
  promptVersion: 1,
  outcome: 'read',
  attempts: 0,
  entities: names.map((name) => ({ name, key: name, type: 'system', description: '', start: 0, end: 1 })),
  relations: [],
  refused: 0,
  inputTokens: 10,
  outputTokens: 5,
  ms: 1,
  at: AT,
});

const summaryOf = (id: string, ...documentIds: readonly string[]): CommunitySummary => ({
  id,
  model: 'scripted:test',
  title: id,
  sentences: [{ text: 'It is so.', documentIds }],
  entities: [],
  sources: documentIds.map((documentId) => ({ documentId, chunkId: `${documentId}-1` })),
  inputTokens: 10,
  outputTokens: 5,
  ms: 1,
  at: AT,
});

const factsIn = ({ facts }: GenerationWriter): FactWriter => {
  assert.ok(facts, 'the ledger keeps facts');
  return facts;
};

const naming = async (facts: FactWriter, name: string, tenant = TENANT) =>
  (await facts.naming(tenant, [name], ALL)).map(({ documentId }) => documentId);

const summaryIds = async (facts: FactWriter, tenant = TENANT) =>
  (await facts.summaries(tenant, ALL)).map(({ id }) => id);

const change = (documentId: string) =>
  planned(documentId, { revision: 'r2', chunks: [{ chunkId: `${documentId}-2`, digest: 'y' }] });

/** What a language model read out of chunks. A ledger that keeps none leaves the part out. */
export const testFacts: LedgerPart = (register) => {
  const test: typeof register = (title, run) =>
    register(title, async (context) => {
      if (context.writer.facts !== undefined) await run(context);
    });

  test('facts come back as they were kept, whatever is in them, and replace those before', async ({
    writer,
  }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('a'), planned('b'));
    const odd = factsOf('a', 'NUL \0, half a pair \ud800', 'n'.repeat(3_000), 'x');
    assert.equal(await facts.saveFacts(TENANT, [odd, factsOf('b', 'x')]), 2);
    const kept = await facts.facts(['a', 'b', 'nobody']);
    assert.deepEqual([...kept.keys()].sort(), ['a', 'b']);
    assert.deepEqual(kept.get('a'), [odd]);
    assert.deepEqual(await naming(facts, 'NUL \0, half a pair \ud800'), ['a']);
    assert.deepEqual(await naming(facts, 'x'), ['a', 'b']);
    assert.equal(await facts.saveFacts(TENANT, [factsOf('a', 'y')]), 1);
    assert.deepEqual(await naming(facts, 'x'), ['b']);
    assert.deepEqual(await naming(facts, 'y'), ['a']);
  });

  test('what the generation does not hold is not kept', async ({ writer }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('a'));
    await writer.plan([planned('begun')]);
    const saved = await facts.saveFacts(TENANT, [
      factsOf('a', 'x'),
      factsOf('begun', 'x'),
      factsOf('gone', 'x'),
    ]);
    assert.equal(saved, 1);
    assert.deepEqual(await naming(facts, 'x'), ['a']);
    assert.equal(await facts.saveSummary(TENANT, summaryOf('s', 'a', 'begun')), false);
    assert.deepEqual(await summaryIds(facts), []);
  });

  test('facts of a changed or deleted document go with it, and summaries that were made of them', async ({
    writer,
  }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('a'), planned('b'), planned('c'));
    await facts.saveFacts(
      TENANT,
      ['a', 'b', 'c'].map((id) => factsOf(id, 'x')),
    );
    for (const summary of [summaryOf('s-ab', 'a', 'b'), summaryOf('s-b', 'b'), summaryOf('s-c', 'c')])
      assert.equal(await facts.saveSummary(TENANT, summary), true);
    assert.deepEqual(await facts.summaries(TENANT, { limit: 1 }), [summaryOf('s-ab', 'a', 'b')]);
    assert.deepEqual(await facts.summaries(TENANT, { limit: 1, after: 's-ab' }), [summaryOf('s-b', 'b')]);
    await indexDocuments(writer, change('a'));
    assert.deepEqual(await naming(facts, 'x'), ['b', 'c']);
    assert.deepEqual(await summaryIds(facts), ['s-b', 's-c']);
    assert.equal(await facts.sameInput('text of a'), undefined);
    await writer.planDeletion(['c']);
    await writer.forget(['c']);
    assert.deepEqual(await naming(facts, 'x'), ['b']);
    assert.deepEqual(await summaryIds(facts), ['s-b']);
    assert.deepEqual([...(await facts.facts(['a', 'b', 'c'])).keys()], ['b']);
  });

  test('a summary is gone with new facts of a source, and where it is forgotten', async ({ writer }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('a'), planned('b'));
    await facts.saveFacts(TENANT, [factsOf('a', 'x'), factsOf('b', 'x')]);
    await facts.saveSummary(TENANT, summaryOf('s-a', 'a'));
    await facts.saveSummary(TENANT, summaryOf('s-b', 'b'));
    await facts.forgetSummaries('other', ['s-b']);
    await facts.saveFacts(TENANT, [factsOf('a', 'y')]);
    assert.deepEqual(await summaryIds(facts), ['s-b']);
    await facts.forgetSummaries(TENANT, ['s-b', 'nobody']);
    assert.deepEqual(await summaryIds(facts), []);
  });

  test('a tenant sees its own alone', async ({ writer }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('mine'), planned('theirs', { tenant: 'other' }));
    await facts.saveFacts(TENANT, [factsOf('mine', 'x')]);
    await facts.saveFacts('other', [factsOf('theirs', 'x')]);
    await facts.saveSummary(TENANT, summaryOf('s', 'mine'));
    assert.deepEqual([await naming(facts, 'x'), await naming(facts, 'x', 'other')], [['mine'], ['theirs']]);
    assert.deepEqual([await summaryIds(facts), await summaryIds(facts, 'other')], [['s'], []]);
  });

  test('a generation sees facts of the chunks that it holds, and the last one takes them along', async ({
    writer,
    ledger,
    facts: { generation },
  }) => {
    await indexDocuments(writer, planned('both'), planned('old'));
    await factsIn(writer).saveFacts(TENANT, [factsOf('both', 'x'), factsOf('old', 'x')]);
    const next = await ledger.begin(targetOf, AT);
    const other = ledger.writer(next.generation, 'run');
    await indexDocuments(other, planned('both'));
    assert.deepEqual(await naming(factsIn(other), 'x'), ['both']);
    assert.deepEqual(await naming(factsIn(writer), 'x'), ['both', 'old']);
    await ledger.switchTo(next.generation, AT);
    await ledger.drop(generation);
    assert.deepEqual(await naming(factsIn(other), 'x'), ['both']);
    assert.equal(await factsIn(other).sameInput('text of old'), undefined);
    assert.equal((await factsIn(other).sameInput('text of both'))?.documentId, 'both');
    await ledger.clear();
  });

  test('only what was read is known of a text', async ({ writer }) => {
    const facts = factsIn(writer);
    await indexDocuments(writer, planned('a'));
    await facts.saveFacts(TENANT, [{ ...factsOf('a'), outcome: 'failed', attempts: 1, problem: 'no JSON' }]);
    assert.equal(await facts.sameInput('text of a'), undefined);
    assert.equal((await facts.facts(['a'])).get('a')?.[0]?.attempts, 1);
    await facts.saveFacts(TENANT, [factsOf('a', 'x')]);
    assert.equal((await facts.sameInput('text of a'))?.entities.length, 1);
  });

  test('pages of who names an entity go on after a document', async ({ writer }) => {
    const facts = factsIn(writer);
    const ids = ['c', 'a', 'd', 'b'];
    await indexDocuments(writer, ...ids.map((id) => planned(id)));
    await facts.saveFacts(
      TENANT,
      ids.map((id) => factsOf(id, 'x', id)),
    );
    assert.deepEqual(await facts.naming(TENANT, ['x', 'b'], { limit: 2 }), [
      { name: 'x', documentId: 'a' },
      { name: 'x', documentId: 'b' },
      { name: 'b', documentId: 'b' },
    ]);
    const rest = await facts.naming(TENANT, ['x'], { limit: 2, after: 'b' });
    assert.deepEqual(
      rest.map(({ documentId }) => documentId),
      ['c', 'd'],
    );
  });
};
