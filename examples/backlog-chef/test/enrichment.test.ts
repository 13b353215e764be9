import './embedded.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEngine, type Engine } from 'ragstone';
import type { ContextEnrichment, PipelineContext } from 'ragstone/backlog';
import { EnrichItems } from '../src/enrich-items.js';
import { numberOf } from '../src/issues.js';
import { openIndex } from '../src/open-index.js';
import { runPipeline } from '../src/pipeline.js';
import { scoredPbi } from '../src/runs.js';
import { readSettings } from '../src/settings.js';
import { makeProject } from './project.js';

const { folder, output, waiting } = makeProject();
let engine: Engine;
let enriched: ReadonlyMap<string | undefined, ContextEnrichment>;

before(async () => {
  ({ engine } = await openIndex({ folder }));
  const items = await runPipeline(waiting, { engine, output });
  enriched = new Map(items.map(({ pbi, context }) => [pbi.id, context]));
});
after(() => engine.close());

const refsOf = (id: string): string[] => enriched.get(id)?.similar_work.map(({ ref }) => ref) ?? [];

test('each waiting item finds the work that is like it, and none that is younger', () => {
  assert.deepEqual([...enriched.keys()], ['ORC-51', 'ORC-52', 'ORC-53', 'ORC-54']);
  assert.equal(refsOf('ORC-51')[0], 'ORC-3');
  assert.equal(refsOf('ORC-52')[0], 'ORC-22');
  assert.ok(refsOf('ORC-53').includes('ORC-15'));
  assert.deepEqual(refsOf('ORC-54'), []);
  for (const [id = '', { similar_work }] of enriched)
    for (const { ref } of similar_work) assert.ok(numberOf(ref) < numberOf(id));
});

test('an enrichment has the fields of section 8 and numbers of its kind', () => {
  for (const context of enriched.values()) {
    for (const field of [
      'similar_work',
      'past_decisions',
      'technical_docs',
      'risk_flags',
      'suggestions',
    ] as const)
      assert.ok(Array.isArray(context[field]));
    assert.deepEqual(context.risk_flags, []);
    for (const { similarity, title, link } of context.similar_work) {
      assert.ok(Number.isInteger(similarity) && similarity >= 70 && similarity <= 100);
      assert.ok(title !== '' && link !== '');
    }
  }
});

test('decisions and pages of the project are named with their files', () => {
  const context = enriched.get('ORC-52');
  const decision = context?.past_decisions.find(({ ref }) => ref === 'docs/adr/0005-idempotency-keys.md');
  assert.match(decision?.decision ?? '', /^The checkout makes the idempotency key/);
  assert.ok(context?.technical_docs.some(({ ref }) => ref === 'docs/payments.md'));
  assert.match(context?.similar_work[0]?.learnings.join(' ') ?? '', /the key was made anew/);
  for (const { relevant_sections } of context?.technical_docs ?? [])
    for (const section of relevant_sections) assert.ok(section.length <= 200);
});

test('an item that stands in every file of its run is found once', async () => {
  const { results } = await engine.search({
    text: 'Retry a card payment when the bank does not answer',
    filters: { sourceType: ['pbi'] },
    options: { minSimilarity: 0 },
  });
  const ids = results.map(({ metadata }) => metadata.pbi_id);
  assert.equal(ids[0], 'ORC-22');
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(results[0]?.more?.copies, 2);
});

test('a run writes its steps, the next index takes them in, and an item is never its own context', async () => {
  const file = join(output, 'run-004', 'step-4-enrich-context.json');
  const written = JSON.parse(readFileSync(file, 'utf8')) as { enriched_pbis: { pbi: { id: string } }[] };
  assert.deepEqual(
    written.enriched_pbis.map(({ pbi }) => pbi.id),
    [...enriched.keys()],
  );
  await engine.index();
  const step = new EnrichItems({ engine });
  for (const issue of waiting) {
    const { similar_work } = await step.enrich(scoredPbi(issue).pbi);
    assert.ok(!similar_work.some(({ ref }) => ref === issue.key));
  }
});

test('an index that is down leaves the items as they were before there was one, and says why', async () => {
  const counted = async () => (await engine.rollout()).report().items.legacy.fallback;
  const before = await counted();
  const down = new EnrichItems({
    engine: {
      search: () => Promise.reject(new Error('The store is down.')),
      rollout: () => engine.rollout(),
    },
  });
  const context: PipelineContext = { scoredPBIs: { scored_pbis: waiting.map(scoredPbi) } };
  const { enrichedPBIs } = await down.executeStep(context);
  for (const { context: enrichment } of enrichedPBIs.enriched_pbis) {
    assert.match(enrichment.suggestions.join(' '), /refinement meeting/);
    assert.deepEqual(enrichment.notices, ['No index was asked: The store is down.']);
    assert.deepEqual(enrichment.rollout, { side: 'legacy', reason: 'fallback' });
  }
  assert.equal((await counted()) - before, waiting.length);
});

const TWENTY = Array.from({ length: 20 }, (_, index) => ({
  pbi: { id: `X-${index}`, title: 'Choose a delivery slot' },
}));

/** Twenty items that are like each other, as the index of this project rolls them out. */
async function rolledOut(variables: Readonly<Record<string, string>>): Promise<ContextEnrichment[]> {
  Object.assign(process.env, variables);
  const own = await createEngine({ config: readSettings(), cwd: folder });
  try {
    const { enrichedPBIs } = await new EnrichItems({ engine: own }).executeStep({
      scoredPBIs: { scored_pbis: TWENTY },
    });
    return enrichedPBIs.enriched_pbis.map(({ context }) => context);
  } finally {
    await own.close();
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  }
}

test('a rollout of some percent enriches always the same items, and 0 percent none', async () => {
  const isEnriched = async (variables: Readonly<Record<string, string>>): Promise<boolean[]> =>
    (await rolledOut(variables)).map(({ similar_work }) => similar_work.length > 0);
  const none = TWENTY.map(() => false);
  assert.deepEqual(await isEnriched({ ROLLOUT_PERCENTAGE: '0' }), none);
  assert.deepEqual(await isEnriched({ RAG_ENRICHMENT: 'false' }), none);
  assert.equal((await isEnriched({})).filter(Boolean).length, 20);
  const half = await isEnriched({ ROLLOUT_PERCENTAGE: '50' });
  assert.ok(half.filter(Boolean).length > 3 && half.filter(Boolean).length < 17);
  assert.deepEqual(await isEnriched({ ROLLOUT_PERCENTAGE: '50' }), half);
  const more = await isEnriched({ ROLLOUT_PERCENTAGE: '80' });
  for (const [index, was] of half.entries()) assert.ok(!was || more[index]);
});

test('in shadow every item is as before, and what the index would have said is compared', async () => {
  const contexts = await rolledOut({ ROLLOUT_SHADOW: 'true' });
  for (const { suggestions, similar_work, rollout } of contexts) {
    assert.deepEqual(similar_work, []);
    assert.match(suggestions.join(' '), /refinement meeting/);
    assert.ok((rollout?.comparison?.found.rag ?? 0) > 0);
  }
  const { shadow } = (await engine.rollout()).report();
  assert.equal(shadow.compared, 20);
});

test('an index without anything in it says so for each item', async () => {
  const empty = await createEngine({ config: readSettings(), cwd: makeProject().folder });
  try {
    const step = new EnrichItems({ engine: empty });
    const context: PipelineContext = { scoredPBIs: { scored_pbis: waiting.slice(0, 1).map(scoredPbi) } };
    const { enrichedPBIs } = await step.executeStep(context);
    assert.match(enrichedPBIs.enriched_pbis[0]?.context.notices?.join(' ') ?? '', /Nothing is indexed/);
  } finally {
    await empty.close();
  }
});
