import fc from 'fast-check';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import {
  getKnowledgeStore,
  type KnowledgeStore,
  KnowledgeStoreConfig,
} from '../../src/compat/knowledge-store/index.js';
import { RAGError } from '../../src/core/errors.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { RAGService } from '../../src/engine/rag-service.js';
import { askSchema } from '../../src/operations/answers.js';
import { listSchema } from '../../src/operations/documents.js';
import type { Engine, IndexRequest } from '../../src/operations/engine.js';
import { engineSchema } from '../../src/operations/engine-options.js';
import { feedbackJudgmentsSchema } from '../../src/operations/feedback-judgments.js';
import { feedbackListSchema, feedbackSchema } from '../../src/operations/feedback-types.js';
import { documentSchema, indexSchema } from '../../src/operations/indexing.js';
import { searchSchema } from '../../src/operations/search.js';
import { verifySchema } from '../../src/operations/verification.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { createHashEmbedder } from '../../src/testing/index.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import { absurd } from './absurd-values.js';
import { assertForAll, forSlowRuns } from './slow-runs.js';

const CASES = 500;

type Call = (wrong: never) => unknown;
interface Schema {
  readonly def?: { readonly innerType?: unknown };
  readonly shape?: Readonly<Record<string, unknown>>;
}

/** Every key that a request may have, at every depth, with the absurd value in its place. */
function placesIn(schema: unknown, around: (wrong: unknown) => unknown): ((wrong: unknown) => unknown)[] {
  const { def, shape } = schema as Schema;
  if (def?.innerType !== undefined) return placesIn(def.innerType, around);
  return Object.entries(shape ?? {}).flatMap(([key, inner]) => {
    const inKey = (wrong: unknown) => around({ [key]: wrong });
    return [inKey, ...placesIn(inner, inKey)];
  });
}

let engine: Engine;
let service: RAGService;
let store: KnowledgeStore;
const folder = sharedFolder();

beforeAll(async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  engine = await createEngine({
    config: { provider: 'memory', feedback: { enabled: true } },
    cwd: folder,
  });
  await engine.push([{ id: 'a', text: 'A quokka eats leaves.' }]);
  service = await RAGService.initialize({ provider: 'memory', sources: [] });
  const config = new KnowledgeStoreConfig();
  store = await getKnowledgeStore({
    store: createMemoryStore(),
    embedder: createHashEmbedder(),
    config,
    cwd: folder,
  });
});
afterAll(async () => {
  await engine.close();
  await service.close();
  await store.close();
  vi.restoreAllMocks();
});

const within = <T>(base: T, schema: unknown, call: (request: T) => unknown): Call[] =>
  placesIn(schema, (wrong) => wrong).map(
    (place) => (wrong: never) => call({ ...base, ...(place(wrong) as T) }),
  );

/** A folder that is there would be read whole. */
function namesFolders(paths: unknown): boolean {
  try {
    // Of a list with holes only what is there: one may have four billion.
    const named: readonly unknown[] = Array.isArray(paths) ? Object.values(paths) : [paths];
    return named.some((path) => typeof path === 'string' && /[./]/.test(path));
  } catch {
    return false;
  }
}

const CALLS: Readonly<Record<string, readonly Call[]>> = {
  search: [
    (wrong) => engine.search(wrong),
    (wrong) => engine.search('quokka', wrong),
    (wrong) => engine.search({ text: 'quokka', filters: { metadata: { a: wrong } } }),
    (wrong) => engine.search({ text: 'quokka', filter: { op: 'eq', field: 'a', value: wrong } }),
    (wrong) => engine.search({ text: 'quokka', filter: { op: 'in', field: 'a', values: [wrong] } }),
    (wrong) => engine.search({ text: 'quokka', filter: { op: wrong, filters: [] } }),
    ...within({ text: 'quokka' }, searchSchema, (query) => engine.search(query)),
  ],
  ask: [
    (wrong) => engine.ask(wrong),
    (wrong) => engine.ask('quokka?', wrong),
    (wrong) => engine.ask({ question: 'quokka?', history: [wrong] }),
    (wrong) => engine.ask({ question: 'quokka?', history: [{ role: wrong, content: wrong }] }),
    ...within({ question: 'quokka?' }, askSchema, (question) => engine.ask(question)),
  ],
  askStream: [
    async (wrong) => {
      for await (const _ of engine.askStream(wrong));
    },
  ],
  push: [
    (wrong) => engine.push(wrong),
    (wrong) => engine.push([wrong]),
    (wrong) => engine.push([{ id: 'b', text: 'c' }], wrong),
    (wrong) => engine.push([{ id: 'b', text: 'c', metadata: { a: wrong } }]),
    (wrong) => engine.push([{ id: 'b', text: 'c', metadata: { a: { b: [wrong] } } }]),
    ...within({ id: 'b', text: 'c' }, documentSchema, (document) => engine.push([document])),
  ],
  index: [
    (wrong) => engine.index(wrong),
    ...within<IndexRequest>({ documents: [{ id: 'b', text: 'c' }] }, indexSchema, (request) =>
      namesFolders(request.paths) ? undefined : engine.index(request),
    ),
  ],
  'get, list, delete': [
    (wrong) => engine.get(wrong),
    (wrong) => engine.get('a', wrong),
    (wrong) => engine.delete(wrong),
    (wrong) => engine.delete([wrong]),
    (wrong) => engine.delete(['b'], wrong),
    (wrong) => engine.list(wrong),
    (wrong) => engine.list({}, wrong),
    ...within({}, listSchema, (request) => engine.list(request)),
  ],
  'feedback, listFeedback, feedbackJudgments': [
    (wrong) => engine.feedback(wrong),
    (wrong) => engine.feedback({ query: 'quokka', shown: ['a'], clicked: [1] }, wrong),
    (wrong) => engine.listFeedback(wrong),
    (wrong) => engine.listFeedback({}, wrong),
    (wrong) => engine.feedbackJudgments(wrong),
    (wrong) => engine.feedbackJudgments({}, wrong),
    ...within({ query: 'quokka', shown: ['a'], clicked: [1] }, feedbackSchema, (request) =>
      engine.feedback(request),
    ),
    ...within({}, feedbackListSchema, (request) => engine.listFeedback(request)),
    ...within({}, feedbackJudgmentsSchema, (request) => engine.feedbackJudgments(request)),
  ],
  'explainMiss, status, verify, generations': [
    (wrong) => engine.explainMiss(wrong, 'a'),
    (wrong) => engine.explainMiss('quokka', wrong),
    (wrong) => engine.explainMiss('quokka', 'a', wrong),
    (wrong) => engine.status(wrong),
    (wrong) => engine.verify(wrong),
    (wrong) => engine.verify({}, wrong),
    ...within({}, verifySchema, (request) => engine.verify(request)),
    (wrong) => engine.useGeneration(wrong),
    (wrong) => engine.dropGeneration(wrong),
  ],
  'as, a scope': [
    (wrong) => engine.as(wrong),
    ...['tenant', 'project', 'groups', 'clearance'].flatMap((key): Call[] => [
      (wrong) => engine.as({ tenant: 'a', [key]: wrong }).search('quokka'),
      (wrong) => engine.as({ tenant: 'a', [key]: [wrong] }).list(),
    ]),
  ],
  createEngine: [
    (wrong) => opened(wrong),
    ...within({ cwd: 'nowhere' }, engineSchema, (options) => opened({ config: {}, ...options })),
  ],
  RAGService: [
    (wrong) => service.search(wrong),
    (wrong) => service.hybridSearch(wrong),
    (wrong) => service.index(wrong),
    (wrong) => service.index({ sources: wrong }),
    (wrong) => service.index({ sources: [wrong] }),
    (wrong) => service.index({ sources: [{ id: 'a', content: 'b', metadata: wrong }] }),
    (wrong) => service.index({ sources: [{ id: wrong, content: wrong }] }),
    async (wrong) => (await RAGService.initialize(wrong)).close(),
  ],
  KnowledgeStore: [
    (wrong) => store.indexDocument(wrong),
    (wrong) => store.indexDocument('a', wrong),
    (wrong) => store.indexDocument('a', 'b', wrong),
    (wrong) => store.indexDocument({ docId: wrong, content: 'a' }),
    (wrong) => store.indexDocument('a', 'b', { a: wrong }),
    (wrong) => store.indexDocuments(wrong),
    (wrong) => store.indexDocuments([wrong]),
    (wrong) => store.search(wrong),
    (wrong) => store.search('a', wrong),
    (wrong) => store.search('a', 1, wrong),
    (wrong) => store.search('a', { filters: { a: wrong } }),
    (wrong) => store.getById(wrong),
    (wrong) => store.requireById(wrong),
    (wrong) => store.delete(wrong),
  ],
};

async function opened(options: never | object): Promise<void> {
  await (await createEngine(options)).close();
}

describe('whatever a program hands in, it gets a result or an error that says what is wrong', () => {
  it.each(Object.keys(CALLS))(
    '%s',
    async (name) => {
      const calls = CALLS[name] ?? [];
      const property = fc.asyncProperty(fc.constantFrom(...calls), absurd, async (call, { value }) => {
        try {
          await call(value as never);
        } catch (error) {
          if (RAGError.isInstance(error) && error.reason !== 'INTERNAL') return;
          throw new Error(`${call.toString()}: ${String(error)}`, { cause: error });
        }
      });
      await assertForAll(name, property, CASES);
    },
    forSlowRuns.timeout,
  );
});
