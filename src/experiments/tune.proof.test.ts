import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tune } from './tune.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-tune-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** A thing, and a question about it that shares no word with it. */
const THINGS: Readonly<Record<string, string>> = {
  marmalade: 'orange jam',
  albatross: 'seabird',
  lantern: 'lamp',
  glacier: 'mountain ice',
  tambourine: 'percussion instrument',
  walnut: 'edible nut',
  physician: 'doctor',
  attorney: 'lawyer',
  automobile: 'car',
  kitten: 'young cat',
  puppy: 'young dog',
  vessel: 'ship',
  aircraft: 'airplane',
  infant: 'baby',
  monarch: 'king',
  garment: 'clothes',
  footwear: 'shoes',
  beverage: 'drink',
  dwelling: 'house',
  currency: 'money',
  infantry: 'soldiers',
  cavalry: 'horses',
  orchard: 'apple trees',
  vineyard: 'wine grapes',
};

function writeSet(question: (thing: string, meaning: string) => string, config: string): void {
  const entries = Object.entries(THINGS);
  write('ragstone.yaml', `rag:\n  provider: memory\n${config}`);
  write('set/corpus.jsonl', lines(entries.map(([thing]) => ({ _id: thing, text: thing }))));
  write(
    'set/queries.jsonl',
    lines(entries.map(([thing, meaning]) => ({ _id: `q-${thing}`, text: question(thing, meaning) }))),
  );
  write('set/qrels/test.tsv', entries.map(([thing]) => `q-${thing}\t${thing}\t1\n`).join(''));
}

function nextAfter(thing: string): string {
  const things = Object.keys(THINGS);
  return things[(things.indexOf(thing) + 1) % things.length] ?? '';
}

const WORDS_ONLY = '  retrieval: { hybrid: { weights: { semantic: 0, keyword: 1 } } }\n';

describe('tuning on labelled questions', () => {
  test('finds the lane that was switched off, and the gain holds on held-out questions', async () => {
    // Its only word that is in any document is that of a wrong one.
    writeSet((thing, meaning) => `${`${meaning} `.repeat(4)}${nextAfter(thing)}`, WORDS_ONLY);
    const report = await tune({ target: 'set', cwd });
    expect(report).toMatchObject({
      dataset: 'set',
      split: 'test',
      metric: 'ndcg@10',
      queries: 24,
      isGain: true,
    });
    expect(report.heldOut.low).toBeGreaterThan(0);
    expect(report.heldOut.mean).toBeGreaterThan(report.current);
    expect(report.best.settings.retrieval?.hybrid?.weights?.semantic).toBeGreaterThan(0);
  });

  test('calls it no gain where the present settings already find everything', async () => {
    writeSet((thing) => thing, WORDS_ONLY);
    const report = await tune({ target: 'set', cwd });
    expect(report).toMatchObject({ current: 1, isGain: false, best: { name: 'current', settings: {} } });
    expect(report.heldOut.gain).toBe(0);
  });

  test('tries chunk sizes where a folder is asked about, each on an index of its own', async () => {
    write('ragstone.yaml', 'rag: { provider: memory }\n');
    const things = Object.entries(THINGS);
    for (const [thing] of things) write(`docs/${thing}.md`, `# ${thing}\n\nA page about ${thing}.\n`);
    write(
      'questions.jsonl',
      lines(
        things.map(([thing]) => ({
          id: thing,
          question: thing,
          type: 'lookup',
          gold: [{ path: `${thing}.md`, quote: `A page about ${thing}.` }],
        })),
      ),
    );
    const report = await tune({ target: 'docs', questions: 'questions.jsonl', cwd, maxQueries: 20 });
    expect(report).toMatchObject({ metric: 'hit@5', queries: 20, isGain: false });
    expect(report.notices).toContain('20 of 24 queries were sampled (--max-queries).');
    const few = await tune({ target: 'docs', questions: 'questions.jsonl', cwd, chunking: false });
    expect(report.tried).toBeGreaterThan(few.tried);
  });

  test('refuses too few questions and a metric that is not there', async () => {
    writeSet((thing) => thing, '');
    write('set/qrels/test.tsv', 'q-walnut\twalnut\t1\n');
    await expect(tune({ target: 'set', cwd })).rejects.toThrow(/at least 20 judged queries and there are 1/);
    write('q.jsonl', '');
    write('docs/a.md', 'a');
    await expect(
      tune({ target: 'docs', questions: 'q.jsonl', cwd, metric: 'ndcg@10' }),
    ).rejects.toMatchObject({ reason: 'USAGE' });
  });
});
