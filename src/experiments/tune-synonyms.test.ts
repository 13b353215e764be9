import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tune } from './tune.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-tune-synonyms-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const PLACES = 'ABCDEFGHIJKLMNOPQRSTUVWX'.split('');
/** In words that no model knows, so that the synonyms alone lead from a question to its page. */
const asked = (place: string): string => `zirkon${place.toLowerCase()}q`;
const written = (place: string): string => `belvar${place.toLowerCase()}t`;

const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

function writeSet(rules: string): void {
  mkdirSync(join(cwd, 'set', 'qrels'), { recursive: true });
  writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  provider: memory\n');
  writeFileSync(
    join(cwd, 'set', 'corpus.jsonl'),
    lines(PLACES.map((place) => ({ _id: place, text: `The ${written(place)} is here.` }))),
  );
  writeFileSync(
    join(cwd, 'set', 'queries.jsonl'),
    lines(PLACES.map((place) => ({ _id: `q${place}`, text: `where is the ${asked(place)}?` }))),
  );
  writeFileSync(
    join(cwd, 'set', 'qrels', 'test.tsv'),
    PLACES.map((place) => `q${place}\t${place}\t1\n`).join(''),
  );
  writeFileSync(join(cwd, 'synonyms.txt'), rules);
}

describe('tuning with a file of synonyms', () => {
  test('says that they are worth keeping, and how many questions they reach', async () => {
    writeSet(PLACES.map((place) => `${asked(place)} => ${written(place)}\n`).join(''));
    const report = await tune({ target: 'set', cwd, synonyms: 'synonyms.txt' });
    expect(report.tried).toBe(2);
    expect(report.isGain).toBe(true);
    expect(report.best).toMatchObject({
      name: 'with the synonyms',
      settings: { retrieval: { synonyms: { file: join(cwd, 'synonyms.txt') } } },
      mean: 1,
    });
    expect(report.current).toBeLessThan(0.5);
    expect(report.notices).toContain(
      'The synonyms add words to 24 of 24 questions; 24 of 24 rules are used.',
    );
  });

  test('says that they are not, where nobody asks with them', async () => {
    writeSet('pager => on-call phone\n');
    const report = await tune({ target: 'set', cwd, synonyms: 'synonyms.txt' });
    expect(report.isGain).toBe(false);
    expect(report.best.name).toBe('current');
    expect(report.notices).toContain('The synonyms add words to 0 of 24 questions; 0 of 1 rules are used.');
  });

  test('refuses a file with what is no rule', async () => {
    writeSet('pager => on-call phone\nalone\n');
    await expect(tune({ target: 'set', cwd, synonyms: 'synonyms.txt' })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('Line 2'),
    });
  });
});
