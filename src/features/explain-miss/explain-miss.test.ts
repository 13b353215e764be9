import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { LOCAL_SCOPE } from '../../core/scope.js';
import { engineOver } from '../../engine/create-engine.js';
import type { Generation } from '../../ledger/ledger.js';
import type { Engine, SearchQuery } from '../../operations/engine.js';
import type { MissExplanation } from '../../operations/miss-explanation.js';
import type { Reranker } from '../../reranking/reranker.js';
import { EngineResources } from '../../resources/engine-resources.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import { explainMiss } from './explain-miss.js';

let cwd: string;
let opened: Engine[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-miss-'));
  opened = [];
});
afterEach(async () => {
  for (const engine of opened) await engine.close();
  rmSync(cwd, { recursive: true });
});

interface Index {
  readonly engine: Engine;
  readonly resources: EngineResources;
}

async function open(settings: RAGSettingsInput = {}): Promise<Index> {
  const config = await loadConfig({ config: { provider: 'memory', ...settings }, cwd, env: {} });
  const resources = new EngineResources(config);
  const engine = engineOver(resources, cwd);
  opened.push(engine);
  return { engine, resources };
}

async function indexed(
  documents: Readonly<Record<string, string | Omit<PushedDocument, 'id'>>>,
  settings: RAGSettingsInput = {},
): Promise<Index> {
  const index = await open(settings);
  await index.engine.index({
    documents: Object.entries(documents).map(([id, document]) =>
      typeof document === 'string' ? { id, text: document } : { id, ...document },
    ),
  });
  return index;
}

/** Every remedy that was tried brings the document to a place that it names. */
function expectRemedy(explanation: MissExplanation, setting: RegExp): void {
  const remedy = explanation.remedies.find((entry) => setting.test(entry.setting));
  expect(remedy, JSON.stringify(explanation, null, 2)).toBeDefined();
  expect(remedy?.rank).toBeGreaterThan(0);
}

const TOPICS = {
  marmalade: 'Marmalade marmalade is made of oranges.',
  jam: 'Jam and marmalade differ a great deal in what they are made of, and in how long they take.',
  gondola: 'A gondola waits in Venice.',
  albatross: 'The albatross crosses the ocean.',
};

describe('a document that was found', () => {
  test('was not missed', async () => {
    const { engine } = await indexed(TOPICS);
    const explanation = await engine.explainMiss('gondola', 'gondola');
    expect(explanation).toMatchObject({
      found: true,
      rank: 1,
      remedies: [],
      document: { externalId: 'gondola' },
    });
    expect(explanation.lostAt).toBeUndefined();
  });
});

describe('a passage of a document', () => {
  const PARTS = [
    'Marmalade is made of oranges.',
    'A gondola waits in Venice.',
    'The albatross crosses the ocean.',
  ];
  const text = PARTS.map(
    (part, at) => `## Part ${at}\n\n${part} ${'It says a few more words. '.repeat(12)}`,
  ).join('\n\n');
  const opened = () =>
    indexed(
      { long: text, ...TOPICS },
      { chunking: { strategy: 'semantic', minSize: 10, maxSize: 120, overlap: 0, unit: 'tokens' } },
    );

  test.each(['long:7', 'long:5-7', 'long:7-5'])(
    '%s is judged by itself, not by its document',
    async (name) => {
      const { engine } = await opened();
      const query = {
        text: 'gondola',
        options: { topK: 1, collapse: 'none' as const, mode: 'lexical' as const },
      };
      expect(await engine.explainMiss({ ...query, text: 'Venice gondola few words' }, name)).toMatchObject({
        found: true,
      });
      const missed = await engine.explainMiss({ ...query, text: 'albatross crosses few words' }, name);
      expect(missed).toMatchObject({ found: false, document: { externalId: 'long' } });
      expect(missed.chunk?.lines.start).toBeLessThanOrEqual(7);
    },
  );

  test('is not in the index where the document has no such lines', async () => {
    const { engine } = await opened();
    const explanation = await engine.explainMiss('gondola', 'long:900-901');
    expect(explanation).toMatchObject({
      found: false,
      lostAt: 'not-indexed',
      document: { externalId: 'long' },
    });
    expect(explanation.reason).toContain('lines 900 to 901');
  });

  test('of no document is told as named', async () => {
    const { engine } = await opened();
    const explanation = await engine.explainMiss('gondola', 'none.md:3');
    expect(explanation).toMatchObject({ lostAt: 'not-indexed' });
    expect(explanation.document).toBeUndefined();
  });

  test('is not meant where a document is called so', async () => {
    const { engine } = await indexed({ 'note:3': 'A gondola.', note: 'Jam.' });
    expect((await engine.explainMiss('gondola', 'note:3')).document?.externalId).toBe('note:3');
  });
});

describe('before any search', () => {
  test('not-indexed: the index does not know it', async () => {
    const { engine } = await indexed(TOPICS);
    const explanation = await engine.explainMiss('gondola', 'boats.md');
    expect(explanation).toMatchObject({ found: false, lostAt: 'not-indexed' });
    expect(explanation.remedies[0]?.setting).toBe('ragstone index boats.md');
  });

  test('not-indexed: the store lost its chunks', async () => {
    const { engine, resources } = await indexed(TOPICS);
    const { collection } = await resources.stores.collection();
    const [document] = (
      (await (await resources.ledger.live())?.reader.documents(undefined, 10)) ?? []
    ).filter(({ externalId }) => externalId === 'gondola');
    await collection.delete({ op: 'eq', field: '$documentId', value: document?.documentId ?? '' });
    const explanation = await engine.explainMiss('gondola', 'gondola');
    expect(explanation).toMatchObject({ lostAt: 'not-indexed' });
    expect(explanation.remedies[0]?.setting).toBe('ragstone verify --repair');
  });

  test('failed: it could not be read', async () => {
    mkdirSync(join(cwd, 'docs'));
    writeFileSync(join(cwd, 'docs/good.md'), 'A gondola.');
    writeFileSync(join(cwd, 'docs/bad.md'), Buffer.from([0x67, 0xff, 0xfe, 0xfa, 0x00, 0x01]));
    const { engine } = await open();
    await engine.index({ paths: ['docs'] });
    const explanation = await engine.explainMiss('gondola', 'bad.md');
    expect(explanation).toMatchObject({ lostAt: 'failed' });
    expect(explanation.reason).toMatch(/DOCUMENT_/);
  });

  test('outdated: what is searched is not its present text', async () => {
    const { engine, resources } = await indexed(TOPICS);
    const ledger = await resources.ledger.writing({ check: false });
    const writer = ledger.writer((await ledger.live())?.generation ?? 0, 'test');
    const [jam] = (await writer.documents(undefined, 10)).filter(({ externalId }) => externalId === 'jam');
    const chunks = await writer.chunks(jam?.documentId ?? '');
    await writer.markChunksMissing(chunks.map(({ chunkId }) => chunkId));
    const explanation = await engine.explainMiss({ text: 'marmalade oranges', options: { topK: 1 } }, 'jam');
    expect(explanation).toMatchObject({ lostAt: 'outdated' });
    expect(explanation.steps).toContainEqual(expect.objectContaining({ stage: 'outdated', status: 'lost' }));
  });

  test('scope: who asks may not read it, and another tenant does not even learn that it is there', async () => {
    const { engine } = await indexed(TOPICS);
    const low = { ...LOCAL_SCOPE, clearance: -1 };
    expect(await engine.explainMiss('gondola', 'gondola', low)).toMatchObject({ lostAt: 'scope' });
    const other = { ...LOCAL_SCOPE, tenant: 'other' };
    expect(await engine.explainMiss('gondola', 'gondola', other)).toMatchObject({ lostAt: 'not-indexed' });
  });

  test('filter: names the part that leaves it out', async () => {
    const { engine } = await indexed({
      ...TOPICS,
      boat: { text: 'A gondola.', metadata: { team: 'boats' } },
    });
    const query = { text: 'gondola', filters: { sourceType: ['document'], metadata: { team: 'jam' } } };
    const explanation = await engine.explainMiss(query, 'boat');
    expect(explanation).toMatchObject({ lostAt: 'filter' });
    expect(explanation.reason).toContain('metadata.team.');
    expect(explanation.reason).not.toContain('sourceType');
  });

  test('a name that means two documents is refused', async () => {
    const { engine } = await indexed({ 'a/x.md': 'one', 'b/x.md': 'two' });
    await expect(engine.explainMiss('one', 'x.md')).rejects.toMatchObject({ reason: 'USAGE' });
    expect((await engine.explainMiss('one', 'a/x.md')).document?.externalId).toBe('a/x.md');
  });
});

describe('by its text', () => {
  test('chunk-cut: the words stand on both sides of a border', async () => {
    const filler = (word: string) => `${`${word} `.repeat(9).trim()}.`;
    const text = `${filler('stone')} Rotate the signing\nkeys every quarter. ${filler('river')}`;
    const rivals = Object.fromEntries(
      Array.from({ length: 4 }, (_, i) => [`rival-${i}`, `Rotate keys, signing quarter ${i}`]),
    );
    const { engine } = await indexed(
      { wanted: text, ...rivals },
      { chunking: { strategy: 'fixed', unit: 'characters', minSize: 0, maxSize: 74, overlap: 0 } },
    );
    const query = {
      text: 'rotate signing keys quarter',
      options: { topK: 2, nearDuplicates: 'keep' },
    } as const;
    const explanation = await engine.explainMiss(query, 'wanted');
    expect(explanation).toMatchObject({ lostAt: 'chunk-cut' });
    expect(explanation.remedies[0]?.setting).toBe('chunking.maxSize: 148');
  });

  test('truncated: the words stand behind what the model reads', async () => {
    const long = `${'stone river '.repeat(700)} gondola Venice`;
    const { engine } = await indexed({ long, ...TOPICS }, { chunking: { strategy: 'whole' } });
    const query = { text: 'gondola Venice', options: { topK: 2, mode: 'dense', rerank: false } } as const;
    const explanation = await engine.explainMiss(query, 'long');
    expect(explanation).toMatchObject({ lostAt: 'truncated' });
    expect(explanation.remedies[0]?.setting).toMatch(/^chunking\.maxSize: \d+$/);
  });
});

const FEW: RAGSettingsInput = { retrieval: { topK: 1, fusion: { candidates: 1 } } };

describe('in the lanes', () => {
  test('lexical: too deep among the words', async () => {
    const { engine } = await indexed(TOPICS, FEW);
    const explanation = await engine.explainMiss({ text: 'marmalade', options: { mode: 'lexical' } }, 'jam');
    expect(explanation).toMatchObject({ lostAt: 'lexical' });
    expect(explanation.reason).toContain('number 2 by words');
    expectRemedy(explanation, /fusion\.candidates: 2.*topK: 2/);
  });

  test('lexical: no word in common has no remedy', async () => {
    const { engine } = await indexed(TOPICS);
    const explanation = await engine.explainMiss(
      { text: 'marmalade', options: { mode: 'lexical' } },
      'gondola',
    );
    expect(explanation).toMatchObject({ lostAt: 'lexical', remedies: [] });
    expect(explanation.reason).toContain('shares no word');
  });

  test('vector: too far in meaning', async () => {
    const { engine } = await indexed(TOPICS, FEW);
    const explanation = await engine.explainMiss(
      { text: 'marmalade', options: { mode: 'dense' } },
      'albatross',
    );
    expect(explanation).toMatchObject({ lostAt: 'vector' });
    expectRemedy(explanation, /fusion\.candidates: \d/);
  });
});

describe('what the embedding model does not read', () => {
  const PAGES = {
    ...TOPICS,
    zh: '# 备份策略\n\n每天凌晨两点进行完整备份。',
    retry: 'Failed calls are retried.',
  };

  test.each(['marmalade', 'retry', 'marmalade 证书'])(
    'vector: a passage in such a script that shares no word with "%s"',
    async (query) => {
      const { engine } = await indexed(PAGES);
      const { lostAt, reason } = await engine.explainMiss(query, 'zh');
      expect(lostAt).toBe('vector');
      expect(reason).toMatch(/script that the embedding model does not read.*shares no word/);
    },
  );

  test('a query in such a script was not compared by meaning', async () => {
    const { engine } = await indexed(PAGES);
    const { reason } = await engine.explainMiss('备份', 'gondola');
    expect(reason).toMatch(
      /shares no word.*nothing was searched for by meaning \(The embedding model does not/,
    );
    expect(reason).not.toContain('nearest');
  });

  test.each(['hybrid', 'dense', 'lexical'] as const)(
    'a query without a word has nothing to search for (%s)',
    async (mode) => {
      const { engine } = await indexed(PAGES);
      for (const text of ['???', '…', '🚀']) {
        const { reason } = await engine.explainMiss({ text, options: { mode } }, 'gondola');
        expect(reason).toContain('There is nothing to search for');
        expect(reason).not.toMatch(/nearest|shares no word/);
      }
    },
  );
});

test('no order is blamed on variety that is switched off', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`p${i}`, `Page ${i} says that a retry waits ${i} seconds.`]),
  );
  const { engine } = await indexed({ ...pages, ...TOPICS });
  for (const name of ['gondola', 'albatross', 'p7']) {
    const { lostAt } = await engine.explainMiss({ text: 'retry waits', options: { topK: 3 } }, name);
    expect(lostAt).not.toBe('diversity');
  }
});

describe('in the ranking', () => {
  test('top-k: it comes after the last result', async () => {
    const { engine } = await indexed(TOPICS, { retrieval: { topK: 1 } });
    const explanation = await engine.explainMiss('marmalade', 'jam');
    expect(explanation).toMatchObject({ lostAt: 'top-k' });
    expectRemedy(explanation, /^retrieval\.topK: 2$/);
  });

  test('fusion: one lane alone would have shown it', async () => {
    const { engine } = await indexed(TOPICS, {
      retrieval: { topK: 1, hybrid: { weights: { semantic: 1, keyword: 0 } }, rerank: { enabled: false } },
    });
    // By its only word in any document the bird, by meaning the boat.
    const explanation = await engine.explainMiss(`ocean ${'Venetian canal boats '.repeat(6)}`, 'albatross');
    expect(explanation).toMatchObject({ lostAt: 'fusion' });
    expectRemedy(explanation, /hybrid\.weights/);
  });

  test('threshold: too little relevance', async () => {
    const { engine } = await indexed(TOPICS, { retrieval: { minSimilarity: 0.999 } });
    const explanation = await engine.explainMiss('marmalade differ', 'jam');
    expect(explanation).toMatchObject({ lostAt: 'threshold' });
    expectRemedy(explanation, /^retrieval\.minSimilarity: 0/);
  });

  test('near-duplicate: a better one says the same', async () => {
    const text =
      'The retry policy waits twice as long after each failure, up to one minute, and then gives up.';
    const { engine } = await indexed({ one: `${text} again`, two: text, ...TOPICS });
    const { results } = await engine.search('retry policy failure');
    const missing = ['one', 'two'].find((id) => !results.some(({ metadata }) => metadata.source === id));
    const explanation = await engine.explainMiss('retry policy failure', missing ?? '');
    expect(explanation).toMatchObject({ lostAt: 'near-duplicate' });
    expectRemedy(explanation, /nearDuplicates/);
  });

  test('recency: newer documents were preferred', async () => {
    const dated = (text: string, updatedAt: string) => ({ text, metadata: { updatedAt } });
    const { engine } = await indexed({
      old: dated('The retry policy waits twice as long.', '2020-01-01T00:00:00.000Z'),
      fresh: dated('The retry policy waits twice as long. Always.', new Date().toISOString()),
      ...TOPICS,
      other: 'A policy.',
    });
    const query: SearchQuery = {
      text: 'retry policy waits',
      options: { topK: 1, recencyHalfLifeDays: 1, nearDuplicates: 'keep' },
    };
    const explanation = await engine.explainMiss(query, 'old');
    expect(explanation).toMatchObject({ lostAt: 'recency' });
    expectRemedy(explanation, /recency/);
  });

  test('diversity: results that differ more were preferred', async () => {
    const { engine } = await indexed({
      one: 'The retry policy waits twice as long after each failure.',
      two: 'After each failure the retry policy waits twice as long as before.',
      other: 'A retry needs a gondola.',
    });
    const query: SearchQuery = {
      text: 'retry policy waits failure',
      options: { topK: 2, mmrLambda: 0.05, nearDuplicates: 'keep' },
    };
    const { results } = await engine.search(query);
    const missing = ['one', 'two'].find((id) => !results.some(({ metadata }) => metadata.source === id));
    const explanation = await engine.explainMiss(query, missing ?? '');
    expect(explanation).toMatchObject({ lostAt: 'diversity' });
    expectRemedy(explanation, /mmr/);
  });

  test('rerank: the reranker put it last', async () => {
    const { resources } = await indexed(TOPICS, { retrieval: { topK: 1, rerank: { enabled: true } } });
    const reversing: Reranker = {
      name: 'reversing',
      maxCandidates: 100,
      doRerank: (_, candidates) =>
        Promise.resolve(candidates.map((_, index) => ({ index, score: index / candidates.length }))),
      close: () => Promise.resolve(),
    };
    const view = {
      config: resources.config,
      stores: { collection: () => resources.stores.collection() },
      ledger: { live: () => resources.ledger.live() },
      models: {
        embedderOf: (facts: Generation) => resources.models.embedderOf(facts),
        reranker: { open: () => Promise.resolve(reversing) },
      },
    };
    const explanation = await explainMiss(
      { query: { text: 'marmalade oranges' }, scope: LOCAL_SCOPE, resources: view },
      'marmalade',
    );
    expect(explanation).toMatchObject({ lostAt: 'rerank' });
    expectRemedy(explanation, /rerank\.enabled: false/);
  });
});
