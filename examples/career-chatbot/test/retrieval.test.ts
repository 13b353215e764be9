import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eq, range } from 'ragstone';
import { documentIdOf, type RagService, type SearchLogLine } from '../src/rag-service.js';
import { searchSummariesFirst } from '../src/summaries-first.js';
import { openKnowledge, openService } from './open-knowledge.js';

let service: RagService;
let lines: SearchLogLine[];

before(async () => {
  ({ service, lines } = await openKnowledge());
});
after(() => service.engine.close());

const HERON = 'How often does Heron make a new plan?';
/** Everything that filters is off. */
const OPEN = { minSimilarity: 0, recencyHalfLifeDays: 0 };

test('a search finds three documents, best first, with scores, dates and sources', async () => {
  const { results } = await service.search(HERON, { options: OPEN });
  assert.equal(results.length, 3);
  assert.match(documentIdOf(results[0] ?? assert.fail()), /^heron-/);
  assert.deepEqual(
    results.map(({ score }) => score),
    results.map(({ score }) => score).sort((a, b) => b - a),
  );
  for (const { metadata } of results) {
    assert.ok(metadata.updatedAt instanceof Date);
    assert.ok(metadata.source !== '' && metadata.title !== undefined);
  }
});

test('words and vectors are lanes of one search, and vectors alone are the naive one', async () => {
  const lanesOf = async (mode: 'hybrid' | 'dense') =>
    (await service.search(HERON, { options: { mode } })).lanes
      .filter(({ status }) => status === 'ran')
      .map(({ lane }) => lane);
  assert.ok((await lanesOf('hybrid')).includes('lexical'));
  assert.ok(!(await lanesOf('dense')).includes('lexical'));
});

test('each search leaves the log line of the document', async () => {
  lines.length = 0;
  const { results } = await service.search(HERON);
  await service.search('zzzz qqqq', { filter: eq('source', 'nowhere') });
  const [found, nothing] = lines;
  assert.equal(lines.length, 2);
  assert.deepEqual(
    { ...found, latency_ms: 0 },
    {
      message: 'RAG search completed',
      query: HERON,
      num_results: results.length,
      latency_ms: 0,
      top_score: results[0]?.score,
    },
  );
  assert.ok((found?.latency_ms ?? 0) > 0);
  assert.deepEqual([nothing?.num_results, nothing?.top_score], [0, 0]);
});

test('what matches too little is left out, and the response says so', async () => {
  const [loose, strict] = [0, 0.99].map((minSimilarity) =>
    service.search(HERON, { options: { minSimilarity } }),
  );
  const { results } = (await loose) ?? assert.fail();
  const { results: none, notices } = (await strict) ?? assert.fail();
  assert.ok(results.length > 0);
  assert.equal(none.length, 0);
  assert.match(notices.join(), /left out, below the threshold of 0\.99/);
});

test('each document is shown once, by its best passage', async () => {
  const ids = async (collapse: 'none' | 'document') =>
    (await service.search('Heron dispatch planner', { options: { ...OPEN, collapse, topK: 8 } })).results.map(
      documentIdOf,
    );
  const [all, once] = [await ids('none'), await ids('document')];
  assert.ok(new Set(all).size < all.length);
  assert.equal(new Set(once).size, once.length);
});

test('passages can be filtered by source and date', async () => {
  const { results } = await service.search('What did the reviewer say?', {
    filter: eq('source', 'review'),
    options: OPEN,
  });
  assert.ok(results.length > 0);
  for (const { metadata } of results) assert.equal(metadata.source, 'review');
  const late = await service.search('What did the reviewer say?', {
    filter: range('updatedAt', { gte: '2025-01-01' }),
    options: OPEN,
  });
  assert.ok(late.results.length > 0);
  for (const { metadata } of late.results) assert.ok((metadata.updatedAt ?? 0) >= new Date('2025-01-01'));
});

test('a question gets three documents for each thing that it asks', async () => {
  const asked = async (question: string) => {
    const { results, understanding } = await service.search(question, { options: { minSimilarity: 0 } });
    return [results.length, understanding?.parts?.length];
  };
  assert.deepEqual(await asked('Which programming language does she learn?'), [3, undefined]);
  assert.deepEqual(
    await asked(
      'Which programming language does she learn, and which talk did she give at the Gridworks Forum?',
    ),
    [6, 2],
  );
});

test('summaries are found first, and lead to what they summarise', async () => {
  lines.length = 0;
  const found = await searchSummariesFirst(service, 'What caused the Lanternfish outage?', 4);
  assert.equal(lines.length, 3);
  const ids = found.map(documentIdOf);
  assert.ok(ids.includes('lanternfish-summary') && ids.includes('lanternfish-postmortem'), ids.join());
});

test('an identifier is found to the letter, and reranking moves passages', async () => {
  const { results, lanes } = await service.search('2.0.0-alpha.1', { options: OPEN });
  assert.match(results[0]?.content ?? '', /2\.0\.0-alpha\.1/);
  assert.equal(lanes.find(({ lane }) => lane === 'rerank')?.status, 'ran');
  const off = await service.search('2.0.0-alpha.1', { options: { ...OPEN, rerank: false } });
  assert.notEqual(off.lanes.find(({ lane }) => lane === 'rerank')?.status, 'ran');
});

test('feedback of the first passages adds words to a query, where that is switched on', async () => {
  const { service: other } = await openKnowledge({
    overrides: { retrieval: { expansion: { kinds: ['feedback-words'] } } },
  });
  try {
    const { understanding } = await other.search(HERON);
    assert.ok((understanding?.expansions.length ?? 0) > 0);
    assert.deepEqual((await service.search(HERON)).understanding?.expansions, []);
  } finally {
    await other.engine.close();
  }
});

const note = (id: string, text: string, timestamp: string) => ({
  document_id: id,
  text,
  metadata: { source: 'linkedin', timestamp, version: Number(id.split('_')[1]) },
});

test('a text comes in with its source, date and version, and replaces the one under its id alone', async () => {
  const { service: own, engine } = await openService();
  try {
    assert.equal(
      await own.ingestText(note('linkedin_1', 'She works at Tallowfen.', '2020-03-01T09:30:00.123456')),
      1,
    );
    assert.equal(await own.ingestText(note('linkedin_2', 'She works at Pervane.', '2024-09-02')), 1);
    assert.equal(await own.ingestText(note('linkedin_2', 'She works at Pervane.', '2024-09-02')), 0);
    assert.equal(await own.ingestText(note('linkedin_2', 'She works at Pervane Energy.', '2024-09-02')), 1);
    const { results } = await own.search('Where does she work?', { options: { minSimilarity: 0 } });
    assert.deepEqual(
      results.map(({ content, metadata }) => [
        content,
        metadata.source,
        metadata.updatedAt?.toISOString(),
        metadata.version,
      ]),
      [
        ['She works at Pervane Energy.', 'linkedin', '2024-09-02T00:00:00.000Z', 2],
        ['She works at Tallowfen.', 'linkedin', '2020-03-01T09:30:00.123Z', 1],
      ],
    );
    const { entries } = await engine.context('Where does she work?');
    assert.equal(entries.filter(({ kind }) => kind === 'passage').length, 2);
  } finally {
    await engine.close();
  }
});

test('of two documents that match alike the newer one comes first, and none is left out for its age', async () => {
  const { service: own, engine } = await openService();
  try {
    await own.ingestTexts([
      note('cv_1', 'Her desk at the company is in Ostervik, by the harbour.', '2016-05-01'),
      note('cv_2', 'Her desk at the company is in Selby Sands, by the station.', '2025-05-01'),
    ]);
    const first = async (recencyHalfLifeDays?: number) => {
      const options = { ...(recencyHalfLifeDays === undefined ? {} : { recencyHalfLifeDays }) };
      const { results } = await own.search('Where is her desk at the company in Ostervik?', { options });
      return results.map(documentIdOf);
    };
    assert.deepEqual(await first(0), ['cv_1', 'cv_2']);
    assert.deepEqual(await first(365), ['cv_2', 'cv_1']);
  } finally {
    await engine.close();
  }
});

test('a passage that repeats another one is left out, and variety moves passages that are alike apart', async () => {
  const { service: own, engine } = await openService();
  try {
    const routes = 'The planner writes the routes of all lorries for the next day at six in the evening';
    await own.ingestTexts([
      note('a_1', `${routes}, and sends them to the depots.`, '2024-01-01'),
      note('a_2', `${routes}, and sends them to the depots.`, '2024-01-02'),
      note('a_3', `${routes}. Drivers read them from a list on the wall.`, '2024-01-03'),
      note('a_4', 'Lorries of the planner are washed on Fridays.', '2024-01-04'),
    ]);
    const question = 'When does the planner write the routes of the lorries?';
    const options = { ...OPEN, topK: 3 };
    const kept = (await own.search(question, { options: { ...options, topK: 4 } })).results.map(documentIdOf);
    assert.equal(kept.length, 3);
    assert.ok(!(kept.includes('a_1') && kept.includes('a_2')));
    const all = (await own.search(question, { options: { ...options, nearDuplicates: 'keep' } })).results.map(
      documentIdOf,
    );
    assert.ok(all.includes('a_1') && all.includes('a_2'));
    const varied = await own.search(question, {
      options: { ...options, nearDuplicates: 'keep', mmrLambda: 0.3 },
    });
    assert.ok(varied.results.map(documentIdOf).indexOf('a_4') < 2);
  } finally {
    await engine.close();
  }
});

test('documents are cut at headings and paragraphs, at most as long as the configuration says', async () => {
  const options = { ...OPEN, collapse: 'none', nearDuplicates: 'keep', topK: 100 } as const;
  const { results } = await service.search('Maren Holtby', { options });
  assert.ok(results.length > 80);
  for (const { content } of results) assert.ok(content.length <= 1000 && content.trim() !== '');
  assert.ok(results.some(({ metadata }) => metadata.headingPath.length > 0));
  assert.ok(
    results.filter(({ content }) => /^(?:#|[-*|]|[A-Z"'`(]|\d)/.test(content)).length > 0.8 * results.length,
  );
});
