import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { openEmbeddingCache } from '../../embedding/disk-embedding-cache.js';
import { keysOfVectors } from '../../embedding/prune-vectors.js';
import { ReaderThreads } from '../../embedding/static/reader/reader-threads.js';
import type { TextReader } from '../../embedding/text-reader.js';
import { ThreadCalls } from '../../platform/threads/thread-calls.js';
import type { RerankCandidate, Reranker } from '../reranker.js';
import { createReaderReranker, type ReaderRerankerOptions } from './reader-reranker.js';

/** Scores candidates by what is stated for their content. */
const builtinOf = (scores: Readonly<Record<string, number>>): Reranker => ({
  name: 'builtin',
  maxCandidates: 100,
  scoring: 'fitted',
  doRerank: async (_, candidates) =>
    candidates.map(({ content }, index) => ({ index, score: scores[content] ?? 0.5 })),
  close: async () => undefined,
});

const passage = (content: string): RerankCandidate => ({
  content,
  headingPath: [],
  identifiers: [],
  fusedScore: 0.5,
});

/** Texts to vectors of one number or two; what is not stated is not read in time. */
const scripted = (vectors: Readonly<Record<string, readonly number[]>>): TextReader => ({
  read: async ({ query = '', passages }) => {
    const vectorOf = (text: string) =>
      vectors[text] === undefined ? undefined : Float32Array.from(vectors[text]);
    return { query: vectorOf(query), passages: passages.map(vectorOf) };
  },
  close: async () => undefined,
});

async function reranked(options: ReaderRerankerOptions, query: string, contents: readonly string[]) {
  const reranker = createReaderReranker(options);
  const answer = await reranker.doRerank(query, contents.map(passage));
  const order = [...answer].sort((a, b) => b.score - a.score).map(({ index }) => contents[index]);
  return { answer, order, notice: reranker.noticeOf?.(answer), remark: reranker.remarkOf?.(answer) };
}

describe('the reader', () => {
  test('reads what a question means in other words', async () => {
    const threads = new ReaderThreads();
    onTestFinished(() => threads.close());
    const contents = [
      'Laptop bags are sold in the shop on the first floor.',
      'Invoices are paid within thirty days of receipt.',
      'What to do if your computer does not start.',
    ];
    const builtin = builtinOf({
      [contents[0] ?? '']: 0.56,
      [contents[1] ?? '']: 0.5,
      [contents[2] ?? '']: 0.55,
    });
    const { order, answer } = await reranked(
      { builtin, reader: threads },
      'the laptop will not switch on',
      contents,
    );
    expect(order[0]).toBe(contents[2]);
    expect(answer.map(({ score }) => score).sort()).toEqual([0.5, 0.55, 0.56]);
  });

  test('leaves a passage that was not reached where it was, and the report says so', async () => {
    const builtin = builtinOf({ a: 0.9, b: 0.8, c: 0.1 });
    const { order, notice, remark } = await reranked(
      { builtin, reader: scripted({ q: [1, 0], a: [0, 1], b: [1, 0] }) },
      'q',
      ['a', 'b', 'c'],
    );
    expect(order).toEqual(['b', 'a', 'c']);
    expect([notice, remark]).toEqual([
      undefined,
      { text: 'The reader has not read 1 of 3 passages yet; they keep their place.', isUnfinished: true },
    ]);
  });

  test('counts a passage as its best part does, and not before all of it is read', async () => {
    const about = 'The office moved in spring, and the canteen moved with it. '.repeat(5).trim();
    const answer = 'Invoices are paid within thirty days of receipt. '.repeat(5).trim();
    const long = `${about}\n\n${answer}`;
    const options = { builtin: builtinOf({ [long]: 0.5, short: 0.6 }) };
    const vectors = { q: [1, 0], short: [0.5, 0], [about]: [0, 1], [answer]: [0.9, 0] };
    const { order, answer: scored } = await reranked({ ...options, reader: scripted(vectors) }, 'q', [
      'short',
      long,
    ]);
    expect([order[0], scored.find(({ index }) => index === 1)?.reading]).toEqual([long, expect.closeTo(0.9)]);
    const { [about]: _, ...unfinished } = vectors;
    const late = await reranked({ ...options, reader: scripted(unfinished) }, 'q', ['short', long]);
    expect([late.order[0], late.remark?.isUnfinished]).toEqual(['short', true]);
  });

  test('reads the title of a passage without text', async () => {
    const reranker = createReaderReranker({
      builtin: builtinOf({ ' ': 0.5, other: 0.6 }),
      reader: scripted({ q: [1, 0], 'Invoices\n ': [1, 0], other: [0, 1] }),
    });
    const answer = await reranker.doRerank('q', [{ ...passage(' '), title: 'Invoices' }, passage('other')]);
    expect(answer[0]?.reading).toBe(1);
  });

  test('puts a list of links behind what it is as near to, unless a link is asked for', async () => {
    const links = '[Logs](a.md)\n[How long logs are kept](b.md)\n[Log levels](c.md)';
    const options = {
      builtin: builtinOf({ [links]: 0.9, told: 0.8 }),
      reader: scripted({ q: [1, 0], 'where is the page?': [1, 0], [links]: [1, 0], told: [1, 0] }),
    };
    expect((await reranked(options, 'q', [links, 'told'])).order).toEqual(['told', links]);
    expect((await reranked(options, 'where is the page?', [links, 'told'])).order).toEqual([links, 'told']);
  });

  test('reads as much for a search as it is told to', async () => {
    const asked: number[] = [];
    const reader: TextReader = {
      read: async ({ characters, passages }) => {
        asked.push(characters);
        return { query: Float32Array.of(1), passages: passages.map(() => Float32Array.of(1)) };
      },
      close: async () => undefined,
    };
    for (const characters of [undefined, Number.POSITIVE_INFINITY])
      await reranked({ builtin: builtinOf({}), reader, characters }, 'q', ['a']);
    expect(asked).toEqual([9_000, Number.POSITIVE_INFINITY]);
  });

  test('gains and loses nothing for a passage in a script that it does not read', async () => {
    const builtin = builtinOf({ a: 0.6, b: 0.5, c: 0.55, d: 0.4 });
    const { order } = await reranked(
      { builtin, reader: scripted({ q: [1, 0], a: [0.2, 0], b: [0.8, 0], c: [], d: [0.5, 0] }) },
      'q',
      ['a', 'b', 'c', 'd'],
    );
    expect(order).toEqual(['b', 'c', 'd', 'a']);
  });

  test('counts half among much code, not at all in code, and enters scores of prose alone', async () => {
    const ordered = async (contents: readonly [string, string, string], alike: number) => {
      const [first, second, third] = contents;
      const { order, answer, remark } = await reranked(
        {
          builtin: builtinOf({ [first]: 0.9, [second]: 0.8, [third]: 0.1 }),
          reader: scripted({ q: [1, 0], [first]: [0, 1], [second]: [alike, 0], [third]: [0, 1] }),
        },
        'q',
        contents,
      );
      const hasReadings = answer.some(({ reading }) => reading !== undefined);
      return [order[0] === second, hasReadings, remark?.text];
    };
    const [one, two] = ['if (a) { return b[0]; }', 'const x = y => z(y);'];
    expect(await ordered(['one', 'two', 'three'], 0.08)).toEqual([true, true, undefined]);
    expect(await ordered([one, two, 'three'], 0.08)).toEqual([false, false, undefined]);
    expect(await ordered([one, two, 'three'], 0.12)).toEqual([true, false, undefined]);
    expect(await ordered([one, two, 'while (a < b) { a++; }'], 1)).toEqual([
      ...[false, false],
      'The reader reads no code; the built-in order stands.',
    ]);
  });

  test('keeps the order of the built-in reranker for a question in a language that it does not read', async () => {
    const builtin = builtinOf({ a: 0.9, b: 0.8 });
    const { order, remark } = await reranked(
      { builtin, reader: scripted({ q: [], a: [0, 1], b: [1, 0] }) },
      'q',
      ['a', 'b'],
    );
    expect([order, remark?.text]).toEqual([
      ['a', 'b'],
      'The reader knows too few words of the query; the built-in order stands.',
    ]);
  });

  test('that fails leaves the order of the built-in reranker, and says why', async () => {
    const read = async () => {
      throw new RAGError('MODEL_NOT_FOUND', 'The model is gone.');
    };
    const { order, notice } = await reranked(
      { builtin: builtinOf({ a: 0.9, b: 0.8 }), reader: { ...scripted({}), read } },
      'q',
      ['b', 'a'],
    );
    expect([order, notice]).toEqual([['a', 'b'], 'The model is gone. The built-in reranker took its place.']);
  });
});

describe('threads that read', () => {
  test('give every text of the time that there is, and what was read before in no time', async () => {
    const threads = new ReaderThreads();
    onTestFinished(() => threads.close());
    const texts = [
      'how long are logs kept?',
      'Logs are kept for a month.',
      'ελληνικά',
      'A kiln is hot.',
      'Logs are kept for a month.',
    ];
    const reading = async (characters: number) =>
      (await threads.read({ passages: texts, characters })).passages;
    const [few, all] = [await reading(1), await reading(60_000)];
    expect(few.map((vector) => vector?.length)).toEqual([384, ...new Array(4)]);
    expect(all.map((vector) => vector?.length)).toEqual([384, 384, expect.any(Number), 384, 384]);
    expect(await reading(1)).toEqual(all);
    const [question, logs, , kiln] = all.map((vector) => [...(vector ?? [])]);
    const alike = (other: readonly number[] = []): number =>
      (question ?? []).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
    expect(alike(logs)).toBeGreaterThan(alike(kiln) + 0.2);
  });

  test('read no passage again that an earlier process read, and keep no question', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reader-'));
    const passages = ['Logs are kept for a month.', 'A kiln is hot.', 'ελληνικά'];
    const open = () => {
      const threads = new ReaderThreads(openEmbeddingCache({ folder, maxMegabytes: 1 }));
      onTestFinished(() => threads.close());
      return threads;
    };
    const before = await open().read({ query: 'how hot is a kiln?', passages, characters: 60_000 });
    const readAgain = vi.spyOn(ThreadCalls.prototype, 'call');
    onTestFinished(() => readAgain.mockRestore());
    const after = await open().read({ passages: passages.slice(0, 2), characters: 1 });
    expect(after.passages).toEqual(before.passages.slice(0, 2));
    expect(readAgain).not.toHaveBeenCalled();
    expect(keysOfVectors(folder)).toHaveLength(2);
  });

  test('read English questions, also of few words, and no others', async () => {
    const threads = new ReaderThreads();
    onTestFinished(() => threads.close());
    const lengthOf = async (query: string) =>
      (await threads.read({ query, passages: [], characters: 1 })).query?.length;
    for (const query of ['how hot is a kiln?', 'log retention period', 'OOMKilled pods'])
      expect(await lengthOf(query), query).toBe(384);
    for (const query of [
      'Wie lange werden Protokolle aufbewahrt und wer darf sie lesen?',
      '¿Durante cuánto tiempo guardamos los registros de auditoría?',
      'ログはどのくらい保存されますか',
      'where is the zirkoncq?',
    ])
      expect(await lengthOf(query), query).toBe(0);
  });

  test('are shared by all readers of a process, which take turns', async () => {
    const [one, other] = [new ReaderThreads(), new ReaderThreads()];
    const start = vi.spyOn(ThreadCalls.prototype, 'call');
    onTestFinished(() => start.mockRestore());
    const texts = ['A kiln is cold.', 'A kiln is warm.', 'A kiln is new.', 'A kiln is old.'];
    const found = await Promise.all(
      [one, other].map((reader) => reader.read({ query: 'kilns', passages: texts, characters: 40 })),
    );
    expect(found.map(({ passages }) => passages.filter((vector) => vector !== undefined).length)).toEqual([
      3, 2,
    ]);
    expect(new Set(start.mock.contexts).size).toBeLessThanOrEqual(2);
  });

  test('stop where nobody waits any more', async () => {
    const threads = new ReaderThreads();
    onTestFinished(() => threads.close());
    const controller = new AbortController();
    const reading = threads.read({ passages: ['a text', 'another'], characters: 60_000 }, controller.signal);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});
