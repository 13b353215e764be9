import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../core/ids.js';
import { createEngine } from '../engine/create-engine.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import type { Engine } from '../operations/engine.js';

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
const openIndex = () => openLedger({ path: join(folder, 'ledger.db') });

/** What the ledger keeps of the live generation. */
async function kept(): Promise<Buffer | undefined> {
  const ledger = openIndex();
  const facts = await ledger.live();
  const learned = facts && (await ledger.learned(facts.generation));
  await ledger.close();
  return learned && Buffer.from(learned);
}

/** What was learnt, without what it was learnt from. */
const payload = (bytes: Buffer | undefined): Buffer | undefined => bytes?.subarray(bytes.indexOf(10) + 1);

/** Puts other bytes in its place, as damage or another version would. */
async function keep(bytes: Buffer | undefined): Promise<void> {
  const ledger = openIndex();
  const { generation = 0 } = (await ledger.live()) ?? {};
  await ledger.setLearned(generation, bytes && { stamp: bytes.toString('base64').slice(-20), bytes });
  await ledger.close();
}

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
    await engine.index({ paths: [folder], options: { force: true } });
    expect(payload(await kept())).toEqual(payload(grown));
  });

  it('gives the same bytes wherever the sources lie', async () => {
    const home = folder;
    const learnt: unknown[] = [];
    for (const place of ['here', 'elsewhere/there']) {
      folder = join(home, place);
      await mkdir(folder, { recursive: true });
      await engine.close();
      engine = await open();
      await writeNotes(1_200);
      await index();
      learnt.push(contentHash(payload(await kept()) ?? ''));
    }
    folder = home;
    expect(learnt[1]).toEqual(learnt[0]);
  });

  it('leaves a handful of chunks alone, and forgets when the index shrinks to one', async () => {
    await writeNotes(40);
    await index();
    for (let i = 5; i < 40; i++) await rm(join(folder, `note-${i}.md`));
    await engine.index({ paths: [folder], options: { allowShrink: true } });
    expect(await kept()).toBeUndefined();
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

  it('are read by the chunks of their tenant alone', async () => {
    const scopeOf = (tenant: string) => engine.as({ tenant, groups: [], clearance: 0 });
    const push = (tenant: string, subject: string, count: number) =>
      scopeOf(tenant).push(
        Array.from({ length: count }, (_, i) => ({
          id: `${subject}-${i}`,
          text: `# ${subject} ${i}\n\nThe ${subject} server restarts after upgrade ${i} of the disk.`,
        })),
      );
    const scoresOf = async (tenant: string) =>
      (
        await scopeOf(tenant).search({
          text: 'server upgrade',
          options: { mode: 'dense', topK: 3, explainScore: true },
        })
      ).results.map(({ id, explanation }) => [id, explanation?.semanticScore]);
    await push('acme', 'mail', 40);
    const [alone, learnt] = [await scoresOf('acme'), await kept()];
    await push('globex', 'server upgrade', 60);
    expect(await scoresOf('acme')).toEqual(alone);
    expect(await kept()).not.toEqual(learnt);
    const others = await scoresOf('globex');
    await push('initech', 'printer', 5);
    expect((await scoresOf('initech')).length).toBeGreaterThan(0);
    await push('umbrella', 'printer', 40);
    expect([await scoresOf('acme'), await scoresOf('globex')]).toEqual([alone, others]);
    expect((await engine.status()).notices).toEqual([]);
  });

  const lastBitFlipped = (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    return changed;
  };

  it('do without a file that is missing, damaged or of an earlier index and say so, until the next index run', async () => {
    await writeNotes(60);
    await index();
    const adapted = await cosines();
    const whole = (await kept()) ?? Buffer.alloc(0);
    const noticesOf = async () => [
      (await engine.status()).notices,
      (await engine.search('server upgrade')).notices,
    ];
    expect(await noticesOf()).toEqual([[], []]);
    for (const [problem, changed] of [
      ['missing', undefined],
      ['damaged', Buffer.from('nothing')],
      ['damaged', lastBitFlipped(whole)],
      ['damaged', whole.subarray(0, -4)],
      ['earlier index', Buffer.from(whole.toString('latin1').replace(/"collection":"/, '$&other'), 'latin1')],
    ] as const) {
      await keep(changed);
      const expected = [
        expect.stringMatching(new RegExp(`learns of the words.* ${problem}.*ragstone index`)),
      ];
      expect(await noticesOf()).toEqual([expected, expected]);
      expect((await engine.search({ text: 'server', options: { mode: 'lexical' } })).notices).toEqual([]);
      expect(await cosines()).not.toEqual(adapted);
      await index();
      expect(await kept()).toEqual(whole);
      expect(await noticesOf()).toEqual([[], []]);
      expect(await cosines()).toEqual(adapted);
    }
  });
});
