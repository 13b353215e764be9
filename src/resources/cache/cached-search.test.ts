import { tracingChannel } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { IS_LONG } from '../../../tests/long-forms.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine, SearchResponse } from '../../operations/engine.js';
import { freePort, hasRedis, startRedis } from '../../platform/redis/test-redis.js';
import type { Reranker } from '../../reranking/reranker.js';

type CacheState = 'hit' | 'miss' | 'semantic' | 'off';

async function openEngine(
  cwd: string,
  cache: {
    readonly enabled: boolean;
    readonly redis?: string;
    readonly maxEntries?: number;
    readonly semantic?: object;
  },
  rerank: { readonly enabled: boolean; readonly model?: string } = { enabled: false },
): Promise<Engine> {
  const engine = await createEngine({
    cwd,
    config: { provider: 'libsql', retrieval: { cache, rerank } },
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** What the searches of this test say of the cache from now on, with their times. */
function watchSearches(): { readonly cache: CacheState; readonly tookMs: number }[] {
  const seen: { cache: CacheState; tookMs: number }[] = [];
  const channel = tracingChannel('ragstone:search');
  const listener = {
    asyncEnd: (payload: unknown) => void seen.push(payload as { cache: CacheState; tookMs: number }),
  };
  channel.subscribe(listener as Parameters<typeof channel.subscribe>[0]);
  onTestFinished(() => channel.unsubscribe(listener as Parameters<typeof channel.unsubscribe>[0]));
  return seen;
}

/** All but the times. */
const said = ({ tookMs: _, stages: __, lanes, ...response }: SearchResponse): unknown => ({
  ...response,
  lanes: lanes.map((lane) => ({ ...lane, tookMs: 0 })),
});

const A = { tenant: 'a' };
const WRITER = { ...A, groups: ['hr', 'it'] };

describe('a search that was made before', () => {
  test('is answered as it was, says so, and is made once where several ask at once', async () => {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, { enabled: true });
    await engine.push([{ id: 'x', text: 'The quokka lives on Rottnest Island.', metadata: { n: 1.5 } }], A);
    const seen = watchSearches();
    const query = { text: 'quokka', options: { explainScore: true, mmrLambda: 0.5 } };
    const first = await engine.search(query, A);
    const again = await engine.search(query, A);
    expect(said(again)).toEqual(said(first));
    expect(Object.keys(again.stages)).toEqual(['cache']);
    expect(Object.keys(first.stages)).toContain('dense');
    await Promise.all([1, 2, 3].map(() => engine.search('Rottnest', A)));
    expect(seen.map(({ cache }) => cache).sort()).toEqual(['hit', 'hit', 'hit', 'miss', 'miss']);
    const answers = await Promise.all([engine.search('quokka', { tenant: 'b' }), engine.search('quokka', A)]);
    expect(answers.map(({ results }) => results.length)).toEqual([0, 1]);
  });

  test('is kept in this process alone where another reranker stood in, for others may have its model', async () => {
    const cwd = temporaryFolder();
    const rerank = { enabled: true, model: 'cross-encoder/ms-marco-MiniLM-L-6-v2' };
    const engines = [
      await openEngine(cwd, { enabled: true }, rerank),
      await openEngine(cwd, { enabled: true }, rerank),
    ] as const;
    await engines[0].push([{ id: 'x', text: 'The quokka.' }], A);
    const seen = watchSearches();
    const { noticeKinds } = await engines[0].search('quokka', A);
    expect(noticeKinds).toContain('reranking-model');
    for (const engine of engines) await engine.search('quokka', A);
    expect(seen.map(({ cache }) => cache)).toEqual(['miss', 'hit', 'miss']);
  });

  test('is made anew until the reranker had time to look at all', async () => {
    let searches = 0;
    const reranker: Reranker = {
      name: 'slow',
      maxCandidates: 10,
      doRerank: async (_, candidates) => candidates.map((_candidate, index) => ({ index, score: 0.5 })),
      remarkOf: () => {
        searches += 1;
        return { text: 'A part was read.', isUnfinished: searches < 3 };
      },
      close: async () => undefined,
    };
    const config = { retrieval: { cache: { enabled: true } } };
    const engine = await createEngine({ cwd: temporaryFolder(), config, reranker });
    onTestFinished(() => engine.close());
    await engine.push([{ id: 'x', text: 'The quokka.' }], A);
    const seen = watchSearches();
    const { lanes } = await engine.search('quokka', A);
    expect(lanes.find(({ lane }) => lane === 'rerank')).toMatchObject({ unfinished: true });
    for (let turn = 0; turn < 3; turn++) await engine.search('quokka', A);
    expect(seen.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'miss', 'hit']);
  });

  test('is not kept where the cache is off', async () => {
    const engine = await openEngine(temporaryFolder(), { enabled: false });
    await engine.push([{ id: 'x', text: 'The quokka.' }], A);
    const seen = watchSearches();
    for (let turn = 0; turn < 2; turn++) await engine.search('quokka', A);
    expect(seen.map(({ cache }) => cache)).toEqual(['off', 'off']);
  });

  test('never shows what was before a write, of any process, nor what a scope may not read', async () => {
    const words = ['quokka', 'wombat'] as const;
    const asked = (engines: readonly Engine[]) =>
      engines.flatMap((engine) =>
        words.flatMap((word) => ['hr', 'it'].map((group) => [engine, word, group] as const)),
      );
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('push' as const),
        by: fc.nat(1),
        id: fc.nat(2),
        word: fc.constantFrom(...words),
        group: fc.constantFrom('hr', 'it', '*'),
      }),
      fc.record({ kind: fc.constant('delete' as const), by: fc.nat(1), id: fc.nat(2) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
        const cwd = temporaryFolder();
        const open = (enabled: boolean) =>
          createEngine({ cwd, config: { provider: 'libsql', retrieval: { cache: { enabled } } } });
        const engines = [await open(true), await open(true)] as const;
        const plain = await open(false);
        try {
          await engines[0].push([{ id: 'other', text: 'quokka wombat' }], { tenant: 'b' });
          await engines[0].push([{ id: 'd0', text: 'A quokka here.' }], WRITER);
          for (const one of steps) {
            const engine = engines[one.by] ?? engines[0];
            if (one.kind === 'push')
              await engine.push(
                [{ id: `d${one.id}`, text: `A ${one.word} here.`, access: { groups: [one.group] } }],
                WRITER,
              );
            else await engine.delete([`d${one.id}`], WRITER);
            // All that may be kept is asked for after every write.
            for (const [searcher, word, group] of asked(engines))
              expect(said(await searcher.search(word, { ...A, groups: [group] }))).toEqual(
                said(await plain.search(word, { ...A, groups: [group] })),
              );
          }
        } finally {
          for (const engine of [...engines, plain]) await engine.close();
        }
      }),
      { numRuns: IS_LONG ? 300 : 6 },
    );
  }, 600_000);
});

describe('a question in other words', () => {
  const DOCUMENTS = [
    { id: 'reset', text: 'To reset a forgotten password, open the sign-in page and press "Forgot".' },
    { id: 'vpn', text: 'The VPN of the office is reached by the client of the vendor.' },
  ];
  const QUESTION = 'How do I reset my forgotten password?';
  const PARAPHRASE = 'How do I reset a password that is forgotten?';

  const open = (semantic?: object): Promise<Engine> =>
    openEngine(temporaryFolder(), { enabled: true, ...(semantic === undefined ? {} : { semantic }) });

  test('has the results of the first one and says so, within the same scope, filters and options alone', async () => {
    const engine = await open({ enabled: true, threshold: 0.8 });
    await engine.push(DOCUMENTS, A);
    const seen = watchSearches();
    const first = await engine.search(QUESTION, A);
    const again = await engine.search(PARAPHRASE, A);
    expect(again.results).toEqual(first.results);
    expect(again.query).toBe(PARAPHRASE);
    expect(again.semanticCache?.similarity).toBeGreaterThan(0.8);
    expect(again.noticeKinds).toContain('semantic-cache');
    // Its words are those of the first query.
    expect(again.understanding).toBeUndefined();
    expect(first.semanticCache).toBeUndefined();
    const others = [
      () => engine.search(PARAPHRASE, { ...A, groups: ['hr'] }),
      () => engine.search({ text: PARAPHRASE, topK: 1 }, A),
      () => engine.search({ text: PARAPHRASE, filters: { source: ['reset'] } }, A),
      () => engine.search({ text: PARAPHRASE, options: { mode: 'lexical' } }, A),
      () => engine.search('Who reaches the office by VPN?', A),
    ];
    for (const ask of others) expect((await ask()).semanticCache).toBeUndefined();
    await engine.push([{ id: 'new', text: 'A forgotten password is reset by the service desk.' }], A);
    const changed = await engine.search(PARAPHRASE, A);
    expect(changed.semanticCache).toBeUndefined();
    expect(changed.results.map(({ metadata }) => metadata.source)).toContain('new');
    const states = ['miss', 'semantic', ...others.map(() => 'miss'), 'miss'];
    expect(seen.map(({ cache }) => cache)).toEqual(states);
  });

  test('is searched for by default, where it is far, and where words were put right', async () => {
    const plain = await open();
    await plain.push(DOCUMENTS, A);
    const strict = await open({ enabled: true, threshold: 0.999 });
    await strict.push(DOCUMENTS, A);
    const loose = await open({ enabled: true, threshold: 0.5 });
    await loose.push(DOCUMENTS, A);
    for (const engine of [plain, strict]) {
      await engine.search(QUESTION, A);
      expect((await engine.search(PARAPHRASE, A)).semanticCache).toBeUndefined();
    }
    const corrected = await loose.search('How do I reset a forgoten password?', A);
    expect(corrected.correction).toBeDefined();
    expect((await loose.search(QUESTION, A)).semanticCache).toBeUndefined();
  });

  test('cannot be found so without the query cache', async () => {
    const config = { retrieval: { cache: { semantic: { enabled: true } } } };
    await expect(createEngine({ cwd: temporaryFolder(), config })).rejects.toThrow(/enabled: true/);
  });

  test('never has what was before a write, of any process, nor what its scope may not read', async () => {
    const words = ['quokka', 'wombat'] as const;
    const groups = ['hr', 'it'] as const;
    const step = fc.record({
      by: fc.nat(1),
      id: fc.nat(1),
      word: fc.constantFrom(...words),
      group: fc.constantFrom(...groups, '*'),
    });
    let near = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 3 }), async (steps) => {
        const cwd = temporaryFolder();
        // Whatever was asked is near enough, so that an answer of elsewhere would be shown.
        const cache = { enabled: true, semantic: { enabled: true, threshold: 0.001 } };
        const engines = [await openEngine(cwd, cache), await openEngine(cwd, cache)] as const;
        const plain = await openEngine(cwd, { enabled: false });
        for (const one of steps) {
          const engine = engines[one.by] ?? engines[0];
          const access = { groups: [one.group] };
          await engine.push([{ id: `d${one.id}`, text: `A ${one.word} is here.`, access }], WRITER);
          for (const group of groups) {
            const scope = { ...A, groups: [group] };
            const now = await Promise.all(words.map((word) => plain.search(`Is a ${word} here?`, scope)));
            for (const searcher of engines)
              for (const word of words) {
                const found = await searcher.search(`Is a ${word} here?`, scope);
                if (found.semanticCache !== undefined) near += 1;
                expect(now.map(({ results }) => results)).toContainEqual(found.results);
              }
          }
        }
      }),
      { numRuns: IS_LONG ? 200 : 5 },
    );
    expect(near).toBeGreaterThan(0);
  }, 600_000);
});

describe.skipIf(!hasRedis())('results that processes share by Redis', () => {
  test('are gone from the server when a document is forgotten', async () => {
    const port = await freePort();
    await startRedis(port);
    const redis = `redis://127.0.0.1:${port}`;
    const engine = await openEngine(temporaryFolder(), { enabled: true, redis });
    await engine.push([{ id: 'x', text: 'The quokka.' }], A);
    await engine.search('quokka', A);
    const receipt = await engine.forget({ documents: ['x'] }, A);
    expect(receipt.removed).toContainEqual({ place: 'cache of results', what: 'results', count: 1 });
    const { Redis } = await import('ioredis');
    const client = new Redis(redis);
    onTestFinished(() => client.disconnect());
    expect(await client.keys('*')).toEqual([]);
  });
});
