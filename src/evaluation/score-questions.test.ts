import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAnswerable, type Question, readQuestionSet } from './question-set.js';
import { evaluateQuestions, scoreQuestion } from './score-questions.js';

const question = (parts: Partial<Question> = {}): Question => ({
  id: 'q1',
  question: 'What?',
  type: 'lookup',
  gold: [{ path: 'a.md', quote: 'abcdef ghijkl' }],
  alternates: [{ path: 'b.md', quote: 'other words' }],
  ...parts,
});

const hitAt1 = (content: string, path = 'a.md', asked = question()): number | undefined =>
  scoreQuestion(asked, [{ path, content }], [1]).hit[1];

describe('hit', () => {
  it.each<[string, string, number]>([
    ['the whole quote', 'x abcdef ghijkl y', 1],
    ['its first half', 'abcdef ', 1],
    ['its last half', '… ghijkl', 1],
    ['less than a half', 'abcde', 0],
    ['a half in the middle', 'def ghi', 0],
    ['the quote over lines', 'abcdef\n\n  ghijkl', 1],
    ['nothing', '', 0],
  ])('%s: %j', (_, content, expected) => {
    expect(hitAt1(content)).toBe(expected);
  });

  it('needs the right file, and takes alternates in theirs', () => {
    expect(hitAt1('abcdef ghijkl', 'b.md')).toBe(0);
    expect(hitAt1('other words', 'b.md')).toBe(1);
  });

  it('a half of an odd quote has the middle character', () => {
    const odd = question({ gold: [{ path: 'a.md', quote: 'abcde' }] });
    expect([
      hitAt1('ab', 'a.md', odd),
      hitAt1('abc', 'a.md', odd),
      hitAt1('de', 'a.md', odd),
      hitAt1('cde', 'a.md', odd),
    ]).toEqual([0, 1, 0, 1]);
    expect(hitAt1('', 'a.md', question({ gold: [{ path: 'a.md', quote: 'x' }] }))).toBe(0);
  });

  it('of a multi question is the share of golds, without alternates', () => {
    const multi = question({
      type: 'multi',
      gold: [
        { path: 'a.md', quote: 'first' },
        { path: 'c.md', quote: 'second' },
      ],
    });
    const passages = [
      { path: 'b.md', content: 'other words' },
      { path: 'a.md', content: 'first' },
      { path: 'c.md', content: 'no' },
    ];
    const score = scoreQuestion(multi, passages, [1, 2, 3]);
    expect(score.hit).toEqual({ 1: 0, 2: 0.5, 3: 0.5 });
    expect(score.file).toEqual({ 1: 0, 2: 0.5, 3: 1 });
  });

  it('any passage that holds at least half from either end hits; cut-offs never fall', () => {
    const quote = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(quote, fc.string(), fc.string(), fc.boolean(), (text, before, after, fromStart) => {
        const clean = text.replace(/\s+/g, ' ').trim();
        const half = fromStart
          ? clean.slice(0, Math.ceil(clean.length / 2))
          : clean.slice(Math.floor(clean.length / 2));
        const asked = question({ gold: [{ path: 'a.md', quote: text }], alternates: [] });
        expect(hitAt1(before + half + after, 'a.md', asked)).toBe(1);
        const passages = [
          { path: 'x.md', content: half },
          { path: 'a.md', content: half },
        ];
        expect(scoreQuestion(asked, passages, [1, 2]).hit).toEqual({ 1: 0, 2: 1 });
      }),
    );
  });
});

describe('evaluateQuestions', () => {
  it('means over answerable questions, and by type', async () => {
    const questions = [
      question(),
      question({ id: 'q2', type: 'why', gold: [{ path: 'z.md', quote: 'zzz' }], alternates: [] }),
      question({ id: 'q3', type: 'unanswerable', gold: [], alternates: [] }),
    ];
    const asked: number[] = [];
    const result = await evaluateQuestions({
      questions,
      cutoffs: [1, 3],
      search: async (_, topK) => {
        asked.push(topK);
        return [{ path: 'a.md', content: 'abcdef ghijkl' }];
      },
    });
    expect(asked).toEqual([3, 3]);
    expect(result).toMatchObject({
      questions: 2,
      unanswerable: 1,
      hit: { 1: 0.5, 3: 0.5 },
      file: { 1: 0.5, 3: 0.5 },
      byType: { lookup: { questions: 1, hit: { 1: 1 } }, why: { questions: 1, hit: { 1: 0 } } },
    });
    expect(Object.keys(result.byType)).toEqual(['lookup', 'why']);
  });
});

describe('readQuestionSet', () => {
  it.each([
    ['{"id": "a", "question": "Q?", "type": "why"}', /line 1: .*gold/],
    [
      '{"id": "a", "question": "Q?", "type": "why", "gold": [{"path": "a.md", "quote": " "}]}',
      /line 1: .*quote/,
    ],
    ['not json', /line 1: not valid JSON/],
    [
      '{"id":"a","question":"Q","type":"t","gold":[]}\n{"id":"a","question":"Q","type":"t","gold":[]}',
      /line 2: .*twice/,
    ],
  ])('refuses %s', async (content, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-questions-'));
    await writeFile(join(folder, 'q.jsonl'), content);
    await expect(readQuestionSet(join(folder, 'q.jsonl'))).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
      message: expect.stringMatching(message),
    });
    await rm(folder, { recursive: true });
  });
});

const SHARED = join(import.meta.dirname, '../../../shared/data');
const hasShared = existsSync(join(SHARED, 'questions'));
if (!hasShared) console.warn('skipped: the shared questions are not beside this repository');

describe.skipIf(!hasShared)('the shared questions', () => {
  it.each([
    ['ise', 'ise-playbook'],
    ['handbook', 'sourcegraph-handbook'],
  ])('%s: the whole gold files answer every question', async (name, corpus) => {
    const questions = await readQuestionSet(join(SHARED, 'questions', `${name}.jsonl`));
    expect(questions).toHaveLength(60);
    for (const asked of questions.filter(isAnswerable)) {
      const passages = await Promise.all(
        asked.gold.map(async ({ path }) => ({
          path,
          content: await readFile(join(SHARED, 'corpora', corpus, path), 'utf8'),
        })),
      );
      expect([asked.id, scoreQuestion(asked, passages, [5]).hit[5]]).toEqual([asked.id, 1]);
    }
    expect(questions.filter(isAnswerable)).toHaveLength(55);
  });
});
