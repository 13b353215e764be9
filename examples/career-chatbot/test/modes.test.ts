import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer, AnswerMode, AskRequest } from 'ragstone';
import { sourcesOf } from '../src/chatbot.js';
import type { RagService } from '../src/rag-service.js';
import { openKnowledge } from './open-knowledge.js';

let service: RagService;

before(async () => {
  ({ service } = await openKnowledge());
});
after(() => service.engine.close());

const ask = (request: AskRequest): Promise<Answer> => service.engine.ask(request);
const documentsOf = (answer: Answer): string[] =>
  sourcesOf(answer).map(({ metadata }) => String(metadata.document_id));

const HERON = 'How often does Heron make a new plan?';
const MODES: readonly AnswerMode[] = ['naive', 'enhanced', 'agentic', 'graph'];

test('all four modes answer from the documents, with a place for what they quote', async () => {
  for (const mode of MODES) {
    const answer = await ask({ question: HERON, mode });
    assert.equal(answer.mode, mode);
    assert.equal(answer.outcome, 'answer');
    assert.match(answer.answer, /20 minutes/);
    const [citation] = answer.citations;
    assert.ok((citation?.lines.start ?? 0) > 0 && answer.answer.includes(citation?.quote.slice(0, 20) ?? ''));
  }
});

test('naive searches once with the question as it is: no rewriting, no reranking', async () => {
  const history = [{ role: 'user', content: HERON } as const];
  const naive = await ask({ question: 'And who wrote it?', history, mode: 'naive' });
  assert.equal(naive.standaloneQuestion, 'And who wrote it?');
  assert.equal('rerank' in naive.stages, false);
});

test('enhanced gives a follow-up the words that it lacks, and reranks', async () => {
  const history = [{ role: 'user', content: HERON } as const];
  const answer = await ask({ question: 'And who wrote it?', history, mode: 'enhanced' });
  assert.match(answer.standaloneQuestion, /Heron/);
  assert.ok('rerank' in answer.stages);
  assert.ok(documentsOf(answer).some((id) => id.startsWith('heron-')));
});

test('agentic searches for each part of a question, within limits', async () => {
  const question = 'Which lorries does Heron plan, and which substations does Saltmarsh forecast?';
  const { agent } = await ask({ question, mode: 'agentic' });
  assert.ok((agent?.steps.length ?? 0) > 1);
  assert.ok(agent?.steps.some(({ query }) => /substations/.test(query) && !/lorries/.test(query)));
  const one = await ask({ question, mode: 'agentic', limits: { maxSteps: 1 } });
  assert.deepEqual([one.agent?.steps.length, one.agent?.stopped], [1, 'steps']);
});

test('agentic asks a search outside of the documents where they have nothing', async () => {
  const asked: string[] = [];
  const externalSearch = {
    name: 'web',
    search: async (query: string) => {
      asked.push(query);
      return [
        { url: 'https://kudzu.example', title: 'Kudzu', text: 'The Kudzu licence costs 40 crowns a year.' },
      ];
    },
  };
  const { service: open } = await openKnowledge({ externalSearch });
  try {
    const answer = await open.engine.ask({
      question: 'How much is the Kudzu licence a year?',
      mode: 'agentic',
    });
    assert.ok(asked.length > 0);
    assert.ok(answer.sources.some(({ source_type }) => source_type.startsWith('external')));
    asked.length = 0;
    await open.engine.ask({ question: HERON, mode: 'agentic' });
    assert.deepEqual(asked, []);
  } finally {
    await open.engine.close();
  }
});

test('graph reaches the documents that a document links to', async () => {
  const { related } = await service.engine.related({ item: 'learning-plan-2025.md', hops: 1 });
  const linked = related.map(({ externalId }) => externalId);
  assert.ok(
    linked.includes('learning-plan-2023.md') && linked.includes('pebblecast-readme.md'),
    linked.join(),
  );
  const options = { mode: 'graph', topK: 20, minSimilarity: 0 } as const;
  const { results, lanes } = await service.engine.search({
    text: 'What became of the old learning plan?',
    options: { ...options, explainScore: true },
  });
  assert.equal(lanes.find(({ lane }) => lane === 'graph')?.status, 'ran');
  assert.ok(results.some(({ explanation }) => explanation?.path !== undefined));
});

test('a question about what no document names is withheld', async () => {
  for (const mode of MODES) {
    const { outcome, abstention, citations } = await ask({
      question: 'Which Kafka cluster did she run at Zephyrion?',
      mode,
    });
    assert.notEqual(outcome, 'answer');
    assert.ok(abstention !== undefined && citations.length === 0);
  }
});
