import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import type { Metadata } from '../core/metadata.js';
import type { Engine } from '../operations/engine.js';
import { filesWith } from '../testing/files-with.js';
import { createEngine } from './create-engine.js';

const KEY = { id: 'k', key: randomBytes(32).toString('base64') };
const FIELD = 'salary_band';
/** No word of it is said anywhere else. */
const VALUE = 'zirconflorin';
const SETTINGS: RAGSettingsInput = {
  provider: 'libsql',
  history: { keep: '1y' },
  audit: { enabled: true, text: true },
  retrieval: { cache: { enabled: true } },
};

/** Ways in which callers write one name. */
const WRITTEN: readonly Metadata[] = [
  { [FIELD]: VALUE },
  { 'Salary Band': VALUE },
  { 'salary-band': [VALUE] },
  { salaryBand: { of: VALUE } },
  { SALARYBAND: VALUE },
  { 'salary band.base': VALUE },
  { 'hr.salaryBand': VALUE },
  { 'hr:salary_band': VALUE },
  { '@salaryBand': VALUE },
  { hr: { salary_band: VALUE } },
  { hr: [{ of: { 'Salary-Band': VALUE } }] },
  { 'fact:Salary Band': VALUE },
  { knowledgeMetadata: { salaryBand: VALUE } },
  { knowledgeMetadata: JSON.stringify({ hr: { 'Salary Band': VALUE } }) },
];
const documents = WRITTEN.map((metadata, n) => ({
  id: `d${n}`,
  text: `Person ${n} works in the archive.`,
  metadata: { ...metadata, team: 'red' },
}));

async function open(cwd: string, isMarked: boolean): Promise<Engine> {
  const security = isMarked ? { encryption: { fields: [FIELD], keys: [KEY] } } : {};
  const engine = await createEngine({ config: { ...SETTINGS, security }, cwd });
  onTestFinished(() => engine.close());
  return engine;
}

const expectHidden = async (engine: Engine, cwd: string): Promise<void> => {
  expect((await engine.verify()).drift).toEqual([]);
  const { results } = await engine.search({ text: 'who works in the archive?', options: { topK: 50 } });
  expect(results).toHaveLength(documents.length);
  for (const { metadata } of results) {
    expect(JSON.stringify(metadata)).toContain(VALUE);
    expect(metadata.team).toBe('red');
  }
  await engine.close();
  expect(await filesWith(join(cwd, '.ragstone'), VALUE)).toEqual([]);
};

describe('a marked field under a name in other letters', () => {
  test('is in no file, and shown to readers', async () => {
    const cwd = temporaryFolder();
    const engine = await open(cwd, true);
    expect((await engine.push(documents)).stats.errors).toEqual([]);
    await engine.push(documents.map((document) => ({ ...document, text: `${document.text} Now.` })));
    await expectHidden(engine, cwd);
  });

  test('is named by verify and encrypted by a rotation where it is kept already', async () => {
    const cwd = temporaryFolder();
    const before = await open(cwd, false);
    await before.push(documents);
    await before.close();
    expect(await filesWith(join(cwd, '.ragstone'), VALUE)).not.toEqual([]);
    const engine = await open(cwd, true);
    const named = (await engine.verify()).drift.map(({ detail }) => detail);
    for (const place of ['ledger', 'store', 'history'])
      expect(named).toContainEqual(
        expect.stringMatching(
          `of ${documents.length} documents stands in clear in the metadata of the ${place}`,
        ),
      );
    await engine.rotateEncryption();
    await expectHidden(engine, cwd);
  });

  test.each([
    FIELD,
    'Salary Band',
    'salaryBand',
    'hr.salary-band',
    'hr:salary_band',
    '@salary_band',
    'SALARYBAND.base',
  ])('cannot be filtered by, or forgotten by: %s', async (field) => {
    const engine = await open(temporaryFolder(), true);
    await engine.push(documents);
    const filter = { op: 'eq', field, value: VALUE } as const;
    await expect(engine.search({ text: 'archive', filter })).rejects.toThrow(/is encrypted/);
    await expect(engine.forget({ filter })).rejects.toThrow(/is encrypted/);
    await expect(engine.list({ filters: { metadata: { [field]: VALUE } } })).rejects.toThrow(/is encrypted/);
  });

  test('is another field where words differ', async () => {
    const engine = await open(temporaryFolder(), true);
    await engine.push([{ id: 'a', text: 'The archive.', metadata: { salary_banding: 'b', band: 'c' } }]);
    const filter = { op: 'eq', field: 'salary_banding', value: 'b' } as const;
    expect((await engine.search({ text: 'archive', filter })).results).toHaveLength(1);
  });
});
