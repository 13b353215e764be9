import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { createEngine } from '../engine/create-engine.js';
import { tune } from './tune.js';

/** Things and what they mean: the built-in model knows both, and they share no word. */
const THINGS: Readonly<Record<string, string>> = {
  airport: 'planes flights',
  bakery: 'bread cakes',
  cathedral: 'church bishop',
  dentist: 'teeth cavity',
  elephant: 'ivory trunk',
  football: 'goalkeeper league',
  guitar: 'strings chords',
  hospital: 'nurses surgery',
  iceberg: 'arctic glacier',
  jewelry: 'necklace diamonds',
  kitchen: 'stove cooking',
  library: 'books librarian',
  mosquito: 'malaria insect',
  navy: 'warships sailors',
  orchestra: 'symphony violins',
  parliament: 'legislators vote',
  queen: 'monarch throne',
  restaurant: 'waiter menu',
  submarine: 'underwater torpedo',
  tennis: 'racket wimbledon',
  university: 'students professors',
  volcano: 'lava eruption',
  wedding: 'bride groom',
  zebra: 'stripes savanna',
};
const NAMES = Object.keys(THINGS);

/** Words that no document holds but that of a wrong one. */
const questionOf = (thing: string): string =>
  `${`${THINGS[thing] ?? ''} `.repeat(4)}${NAMES[(NAMES.indexOf(thing) + 1) % NAMES.length] ?? ''}`;

async function searchedFolder(): Promise<{
  readonly cwd: string;
  judge(things: readonly string[]): Promise<void>;
}> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  for (const thing of NAMES) writeFileSync(join(cwd, 'docs', `${thing}.md`), `${thing}\n`);
  writeFileSync(
    join(cwd, 'ragstone.yaml'),
    `rag:
  provider: libsql
  feedback: { enabled: true }
  retrieval: { hybrid: { weights: { semantic: 0, keyword: 1 } } }
  sources: [{ type: files, name: docs, paths: [docs] }]
`,
  );
  const engine = await createEngine({ cwd });
  await engine.index();
  await engine.close();
  const judge = async (things: readonly string[]) => {
    const opened = await createEngine({ cwd });
    for (const thing of things) {
      const text = questionOf(thing);
      const options = { mode: 'dense', topK: 24, minSimilarity: 0, nearDuplicates: 'keep' } as const;
      const { results } = await opened.search({ text, options });
      const rank = results.findIndex(({ metadata }) => metadata.source === `docs/${thing}.md`) + 1;
      expect(rank).toBeGreaterThan(0);
      await opened.feedback({ query: text, shown: results.map(({ id }) => id), relevant: [rank] });
    }
    await opened.close();
  };
  return { cwd, judge };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test('settings that find what people called relevant are a gain on questions that were held out', async () => {
  const { cwd, judge } = await searchedFolder();
  await judge(NAMES);
  const configuration = readFileSync(join(cwd, 'ragstone.yaml'), 'utf8');
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  const report = await tune({ target: 'docs', feedback: true, source: 'docs', cwd });
  expect(report).toMatchObject({ metric: 'ndcg@10', queries: 24, isGain: true, split: 'feedback.jsonl' });
  expect(report.heldOut.low).toBeGreaterThan(0);
  expect(report.heldOut.pValue).toBeLessThan(0.05);
  expect(report.best.settings.retrieval?.hybrid?.weights?.semantic).toBeGreaterThan(0);
  expect(report.feedback).toMatchObject({
    counts: { events: 24, verdicts: 24 },
    examination: { from: 'prior' },
  });
  expect(report.notices.join()).toMatch(/Chunk sizes stay as they are/);
  expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(configuration);
  expect(readdirSync(temporary)).toEqual([]);
});

test('too little feedback is refused with how much is missing, as is another source', async () => {
  const { cwd, judge } = await searchedFolder();
  await judge(NAMES.slice(0, 5));
  await expect(tune({ target: 'docs', feedback: true, cwd })).rejects.toMatchObject({
    reason: 'USAGE',
    message: expect.stringMatching(/judges 5 questions and 20 are needed: 15 more/),
    details: { missing: 15 },
  });
  await judge(NAMES.slice(5));
  await expect(tune({ target: 'docs', feedback: true, source: 'other', cwd })).rejects.toMatchObject({
    details: { questions: 0, missing: 20 },
  });
  await expect(tune({ target: 'docs', feedback: true, questions: 'q.jsonl', cwd })).rejects.toMatchObject({
    reason: 'USAGE',
  });
});
