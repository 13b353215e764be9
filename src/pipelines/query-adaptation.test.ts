import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from './create-engine.js';
import type { Engine } from './engine.js';

const FILE = 'query-adaptation.bin';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adaptation-'));
  engine = await open();
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const open = (embedding: object = {}): Promise<Engine> =>
  createEngine({
    config: { provider: 'libsql', embedding, storage: { local: { path: join(folder, 'store') } } },
    dataDir: folder,
    cwd: folder,
  });

const note = (i: number) => ({
  id: `note-${i}`,
  path: `note-${i}.md`,
  content: `# Note ${i}\n\nThe server ${i % 2 === 0 ? 'restarts after an upgrade' : 'keeps its disk'} in room ${i}.`,
});

async function writeNotes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await writeFile(join(folder, `note-${i}.md`), note(i).content);
}

const index = () => engine.index({ paths: [folder] });
const kept = () => readFile(join(folder, FILE));
const cosines = async () =>
  (
    await engine.search({ text: 'server upgrade', options: { mode: 'dense', topK: 3, explainScore: true } })
  ).results.map(({ explanation }) => explanation?.semanticScore);

describe('learnFromCollection', () => {
  it('learns when the index changes, and only then', async () => {
    await writeNotes(40);
    await index();
    const first = await kept();
    await index();
    expect(await kept()).toEqual(first);
    await writeNotes(60);
    await index();
    expect(await kept()).not.toEqual(first);
  });

  it('gives the same bytes however the index came about', async () => {
    await writeNotes(40);
    await index();
    await writeNotes(60);
    await index();
    const grown = await kept();
    await engine.close();
    await rm(join(folder, FILE));
    engine = await open();
    await engine.index({ paths: [folder], options: { force: true } });
    const payload = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf(10) + 1);
    expect(payload(await kept())).toEqual(payload(grown));
  });

  it('leaves a handful of chunks alone, and forgets when the index shrinks to one', async () => {
    await writeNotes(40);
    await index();
    for (let i = 5; i < 40; i++) await rm(join(folder, `note-${i}.md`));
    await index();
    expect(await readdir(folder)).not.toContain(FILE);
  });
});

describe('queries over what was learnt', () => {
  it('are read otherwise than without, by the same process and the next', async () => {
    await writeNotes(60);
    await index();
    const adapted = await cosines();
    await engine.close();
    engine = await open();
    expect(await cosines()).toEqual(adapted);
    await engine.close();
    engine = await open({ adaptQueries: false });
    expect(await cosines()).not.toEqual(adapted);
  });

  const lastBitFlipped = (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    return changed;
  };

  it.each([
    ['missing', () => undefined],
    ['damaged', () => Buffer.from('nothing')],
    ['damaged', lastBitFlipped],
    ['damaged', (bytes: Buffer) => bytes.subarray(0, -4)],
    [
      'earlier index',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"collection":"/, '$&other'), 'latin1'),
    ],
  ])('do without a file that is %s and say so, until the next index run', async (problem, changeOf) => {
    await writeNotes(60);
    await index();
    const adapted = await cosines();
    const whole = await kept();
    const noticesOf = async () => [
      (await engine.status()).notices,
      (await engine.search('server upgrade')).notices,
    ];
    expect(await noticesOf()).toEqual([[], []]);
    const changed = changeOf(whole);
    await (changed === undefined ? rm(join(folder, FILE)) : writeFile(join(folder, FILE), changed));
    const expected = [expect.stringMatching(new RegExp(`${FILE}.* ${problem}.*ragstone index`))];
    expect(await noticesOf()).toEqual([expected, expected]);
    expect((await engine.search({ text: 'server', options: { mode: 'lexical' } })).notices).toEqual([]);
    expect(await cosines()).not.toEqual(adapted);
    await index();
    expect(await kept()).toEqual(whole);
    expect(await noticesOf()).toEqual([[], []]);
    expect(await cosines()).toEqual(adapted);
  });
});
