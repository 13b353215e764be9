import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from '../engine/create-engine.js';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'synonyms-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const PAGES: Readonly<Record<string, string>> = {
  kubernetes: 'Kubernetes restarts a container whose probe fails.',
  phone: 'The on-call phone lies in the drawer of the duty desk.',
  login: 'To log in, type the code of the token.',
  leave: 'Annual leave is asked for in the portal, two weeks ahead.',
  post: 'Parcels are handed out at the gate until five.',
  purchase: 'A purchase order above 500 needs a signature.',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `filler${i}`,
      `Page ${'abcdefghijklmnopqrst'[i]}x tells of the depot, its doors and who opens them.`,
    ]),
  ),
};

async function open(
  synonyms: NonNullable<RAGSettingsInput['retrieval']>['synonyms'],
  provider = 'libsql',
  cwd = newFolder(),
) {
  const engine = await createEngine({
    config: { provider, retrieval: { synonyms } } as RAGSettingsInput,
    cwd,
  });
  await engine.push(Object.entries(PAGES).map(([id, text]) => ({ id, text })));
  return engine;
}

const RULES = [
  'k8s, kubernetes',
  'pager, beeper => on-call phone',
  'sign in, log in, authenticate',
  'PTO, holiday => annual leave',
  'mail room => parcels',
  'PO, purchase order',
];

describe.each(['memory', 'libsql', 'lancedb'])('synonyms over the store %s', (provider) => {
  it('find what says the same in other words, and are shown', async () => {
    const engine = await open({ rules: RULES }, provider);
    for (const [text, id, added] of [
      ['k8s', 'kubernetes', 'kubernetes'],
      ['where is the pager?', 'phone', 'on-call phone'],
      ['Beepers', 'phone', 'on-call phone'],
      ['how do I sign in?', 'login', 'log in'],
      ['authenticating', 'login', 'log in'],
      ['PTO', 'leave', 'annual leave'],
      ['holidays', 'leave', 'annual leave'],
      ['the mail room', 'post', 'parcels'],
      ['limit of a PO', 'purchase', 'purchase order'],
    ] as const)
      for (const mode of ['lexical', 'hybrid'] as const) {
        const { results, understanding } = await engine.search({ text, options: { mode } });
        expect([text, results[0]?.metadata.source]).toEqual([text, id]);
        expect(understanding?.expansions).toContainEqual({
          kind: 'synonyms',
          text: added,
          reason: expect.stringMatching(/^A rule of rag\.retrieval\.synonyms: /),
        });
      }
    await engine.close();
  });
});

describe('synonyms', () => {
  it('go one way where a rule says so, and take a phrase as a whole', async () => {
    const engine = await open({ rules: ['depot => kubernetes', 'mail room => parcels'] });
    for (const text of ['kubernetes', 'room of the depots door', 'mail']) {
      const { understanding } = await engine.search({ text, options: { mode: 'lexical' } });
      const texts = understanding?.expansions.map((expansion) => expansion.text);
      expect(texts).toEqual(text.includes('depot') ? ['kubernetes'] : []);
    }
    await engine.close();
  });

  it('of a file are read again when it changes, and are none of a search for exact words', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'synonyms.txt'), '# Of the platform team\nk8s, kubernetes # both ways\n\n');
    const engine = await open({ file: 'synonyms.txt' }, 'libsql', cwd);
    const found = async (text: string, options = {}) =>
      (await engine.search({ text, options: { mode: 'lexical', ...options } })).results[0]?.metadata.source;
    expect(await found('k8s')).toBe('kubernetes');
    expect(await found('k8s', { exactWords: true })).not.toBe('kubernetes');
    expect(await found('pager')).not.toBe('phone');
    writeFileSync(join(cwd, 'synonyms.txt'), 'k8s, kubernetes\npager => on-call phone\n');
    expect(await found('pager')).toBe('phone');
    writeFileSync(join(cwd, 'synonyms.txt'), 'k8s, kubernetes\njust one word\n');
    expect(await found('pager')).toBe('phone');
    const { notices } = await engine.search('pager');
    expect(notices).toEqual([
      expect.stringMatching(/^Line 2 of .* The rules that were read before are used/),
    ]);
    rmSync(join(cwd, 'synonyms.txt'));
    expect(await found('pager')).toBe('phone');
    expect((await engine.search('pager')).notices).toEqual([expect.stringContaining('cannot be read')]);
    writeFileSync(join(cwd, 'synonyms.txt'), 'k8s, kubernetes\n');
    expect(await found('pager')).not.toBe('phone');
    await engine.close();
  });

  it('of a file that was never right are refused', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'synonyms.txt'), 'k8s, kubernetes\njust one word\n');
    const engine = await open({ file: 'synonyms.txt' }, 'libsql', cwd);
    await expect(engine.search('pager')).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('Line 2 of'),
    });
    await engine.close();
  });

  it('count as the words that they are said for: in answers and in scores', async () => {
    const engine = await open({ rules: ['PTO, annual leave'] });
    const asked = await engine.ask({ question: 'Where do I ask for PTO?', answerer: 'extractive' });
    expect(asked.abstention).toBeUndefined();
    expect(asked.citations[0]?.source).toBe('leave');
    const [best] = (await engine.search('PTO')).results;
    const [same] = (await engine.search('annual leave')).results;
    expect(best?.score).toBeGreaterThan((same?.score ?? 1) / 2);
    const exact = await engine.ask({ question: 'Where do I ask for PTO?', exactWords: true });
    expect(exact.abstention?.missing).toEqual(['PTO']);
    await engine.close();
  });

  it.each(['alone', 'a => b => c', ' , b', 'a =>', '=> b'])('that are none are refused: %j', async (rule) => {
    await expect(open({ rules: [rule] })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
  });
});
