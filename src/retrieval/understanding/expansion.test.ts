import { describe, expect, it } from 'vitest';
import { extractIdentifiers } from '../../core/analysis/identifiers.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { ChunkRecord } from '../../core/chunk.js';
import { DegradationLevel } from '../../core/degradation.js';
import { EVERYTHING } from '../../core/filter.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { createRetriever } from '../create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../default-settings.js';
import { extractKeywords, prepareQuery, processQuery } from '../prepared-query.js';
import type { ExpansionSettings, RetrievalMode } from '../retriever.js';
import type { RetrieverOptions } from '../retriever-options.js';
import { idsOf, sumOf } from '../test-candidates.js';
import { movedTowards } from './feedback-expanders.js';
import type { ExpansionKind } from './query-expander.js';
import { createTestChatModel } from './test-chat-model.js';

/** Two axes: what is about evictions, and the rest. */
const embed = (text: string): Float32Array =>
  /evict|disruption|drain/i.test(text) ? Float32Array.of(1, 0) : Float32Array.of(0, 1);

const record = (id: string, content: string, tenant = 'ours'): ChunkRecord => ({
  id,
  documentId: id,
  tenant,
  source: 'docs',
  access: { groups: ['*'], level: 0 },
  content,
  searchText: analyzeText(content).join(' '),
  identifiers: extractIdentifiers(content),
  vector: embed(content),
  metadata: {},
});

const RECORDS = [
  record('definition', 'A Pod Disruption Budget (PDB) protects an application.'),
  record('usage', 'Every PDB names a selector.'),
  record('written-out', 'Drain a node, and the disruption of a pod waits for its budget.'),
  record('other', 'Bread is baked from flour.'),
  record('foreign', 'A Private Dough Box (PDB) holds dough.', 'theirs'),
  record('foreign-dough', 'Dough rises in a private box.', 'theirs'),
];

async function setUp(kinds: ExpansionSettings['kinds'], changes: Partial<RetrieverOptions> = {}) {
  const store = createMemoryStore();
  const collection = await store.open({ name: 'c', dimensions: 2, fingerprint: 'f' });
  await collection.upsert(RECORDS);
  const expansion = { ...DEFAULT_RETRIEVAL_SETTINGS.expansion, kinds, deadlineMs: 200 };
  const retriever = createRetriever({
    collection: scopeCollection(collection, { tenant: 'ours', groups: [], clearance: 0 }),
    capabilities: store.capabilities,
    embedQuery: async (text) => embed(text),
    modelKey: 'test',
    settings: { ...DEFAULT_RETRIEVAL_SETTINGS, expansion },
    ...changes,
  });
  return (text: string, mode: RetrievalMode = 'hybrid') =>
    retriever.retrieve({ text, mode, topK: 10, filter: EVERYTHING, minSimilarity: 0, rerank: false });
}

describe('expansion', () => {
  it('is off by default and says so', async () => {
    const { lanes, understanding } = await (await setUp([]))('what is a PDB');
    expect(lanes.find(({ lane }) => lane === 'expansion')).toMatchObject({ status: 'off' });
    expect(understanding).toEqual({ intent: 'question', keywords: ['pdb'], expansions: [] });
  });

  it('spells an abbreviation out by what the passages found define, and finds what never abbreviates', async () => {
    const before = await (await setUp([]))('PDB', 'lexical');
    expect(idsOf(before.candidates)).not.toContain('written-out');
    const { candidates, understanding } = await (await setUp(['abbreviations']))('PDB', 'lexical');
    expect(understanding.expansions).toEqual([
      {
        kind: 'abbreviations',
        text: 'Pod Disruption Budget',
        reason: 'A passage found says that PDB is Pod Disruption Budget.',
      },
    ]);
    const added = candidates.find(({ chunk }) => chunk.id === 'written-out');
    expect(added?.explanation.contributions.map(({ signal }) => signal)).toContain('expansion');
  });

  it('abbreviates what the query spells out', async () => {
    const { understanding } = await (await setUp(['abbreviations']))(
      'pod disruption budget limits',
      'lexical',
    );
    expect(understanding.expansions.map(({ text }) => text)).toEqual(['PDB']);
  });

  it('learns nothing from passages of another tenant', async () => {
    const kinds: ExpansionKind[] = ['abbreviations', 'feedback-words', 'feedback-vectors'];
    const { candidates, understanding } = await (await setUp(kinds))('PDB dough');
    expect(JSON.stringify(understanding)).not.toMatch(/private|box/i);
    expect(idsOf(candidates).filter((id) => id.startsWith('foreign'))).toEqual([]);
  });

  it('adds the words that the first passages share', async () => {
    const { understanding, candidates } = await (await setUp(['feedback-words']))('pod budget', 'lexical');
    expect(understanding.expansions).toMatchObject([{ kind: 'feedback-words', text: 'disrupt' }]);
    for (const { score, explanation } of candidates) expect(sumOf(explanation)).toBeCloseTo(score, 9);
  });

  it('moves the vector towards the first passages', () => {
    const moved = movedTowards(Float32Array.of(0, 1), [Float32Array.of(1, 0), Float32Array.of(0, 1)]);
    expect([...moved]).toEqual([0.25, 1.25]);
  });

  it('is not asked about identifiers', async () => {
    const { lanes } = await (await setUp(['feedback-words']))('KEP-1234');
    expect(lanes.find(({ lane }) => lane === 'expansion')).toMatchObject({ status: 'off' });
  });
});

describe('expansion by a language model', () => {
  it.each([
    ['rewrite', { queries: ['disruption of a pod', 'second'] }, ['disruption of a pod']],
    ['multi-query', { queries: ['drain node', 'evict pod'] }, ['drain node', 'evict pod']],
    ['hyde', { passage: 'Nodes are drained by evicting pods.' }, ['Nodes are drained by evicting pods.']],
  ] as const)('%s searches for what the model writes', async (kind, answer, texts) => {
    const model = createTestChatModel(answer);
    const search = await setUp([kind], { loadChatModel: async () => model });
    const { understanding, candidates, degradationLevel } = await search('taking a machine out of service');
    expect(understanding.expansions.map(({ text }) => text)).toEqual(texts);
    expect(degradationLevel).toBe(DegradationLevel.FULL_RAG);
    const found = candidates.find(({ chunk }) => chunk.id === 'written-out');
    expect(found?.explanation.contributions.some(({ signal }) => signal === 'expansion')).toBe(true);
    expect(model.requests[0]?.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'taking a machine out of service' },
    ]);
  });

  it.each([
    ['no model', async () => undefined, 'none is configured'],
    ['an answer of another shape', async () => createTestChatModel({ no: 1 }), 'does not fit'],
    ['a model that never answers', () => new Promise<never>(() => undefined), 'not ready within 200 ms'],
  ])('%s: reported, and the others answer', async (_name, loadChatModel, reason) => {
    const alone = await (await setUp(['rewrite'], { loadChatModel }))('pod budget');
    expect(alone.lanes.find(({ lane }) => lane === 'expansion')).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(reason),
    });
    expect(alone.notices.map(({ text }) => text).join(' ')).toContain(reason);
    expect(alone.candidates.length).toBeGreaterThan(0);
    const beside = await (await setUp(['rewrite', 'feedback-words'], { loadChatModel }))('pod budget');
    expect(beside.lanes.find(({ lane }) => lane === 'expansion')).toMatchObject({
      status: 'ran',
      reason: expect.stringContaining(reason),
    });
    expect(beside.notices.map(({ text }) => text).join(' ')).toContain(reason);
    expect(beside.understanding.expansions.map(({ kind }) => kind)).toEqual(['feedback-words']);
  });
});

describe('query understanding', () => {
  it.each([
    ['PPR-9087', 'identifier'],
    ['fix of PPR-9087', 'identifier'],
    ['how do I drain a node', 'question'],
    ['pod is evicted, why?', 'question'],
    ['node drain timeout', 'keywords'],
  ])('%s is read as %s', (text, intent) => {
    expect(processQuery(prepareQuery(text)).intent).toBe(intent);
  });

  it('keywords are what names something, once each, at most twelve', () => {
    expect(extractKeywords("What is the node's Drain timeout, and the drain order?")).toEqual([
      "node's",
      'drain',
      'timeout',
      'order',
    ]);
    expect(extractKeywords(Array.from({ length: 30 }, (_, i) => `w${i}x`).join(' '))).toHaveLength(12);
  });
});
