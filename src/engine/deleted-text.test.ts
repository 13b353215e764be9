import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

let folder: string;
let engine: Engine;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deleted-text-'));
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** Words that stand nowhere else, one in each place that is kept. */
const SECRETS = {
  title: 'Zyxomatic',
  text: 'quaggadromous',
  before: 'wrenchthistle',
  name: 'okapifolio',
} as const;

/** Files below the data folder that hold a word. */
function filesWith(word: string): string[] {
  const data = join(folder, 'data');
  return readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((path) => {
    const file = join(data, path);
    // A file of the store may go while this looks.
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isFile && readFileSync(file).toString('latin1').toLowerCase().includes(word.toLowerCase());
  });
}

const remains = (): string[] =>
  Object.values(SECRETS).flatMap((word) => filesWith(word).map((f) => `${word} in ${f}`));

const page = (word: string): string =>
  `# ${SECRETS.title}\n\nThe plan is ${word}, and the gate is open.\n`.padEnd(600, 'The rest is common. ');

describe.each(['libsql', 'lancedb'] as const)('text of a deleted document (%s)', (provider) => {
  beforeEach(async () => {
    engine = await createEngine({ config: { provider }, dataDir: join(folder, 'data'), cwd: folder });
    for (let i = 0; i < 30; i++)
      writeFileSync(join(folder, `n${i}.md`), `# Note ${i}\n\nThe gate of house ${i}.\n`);
    const file = join(folder, `${SECRETS.name}.md`);
    writeFileSync(file, page(SECRETS.before));
    await engine.index({ paths: ['.'] });
    writeFileSync(file, page(SECRETS.text));
    await engine.index();
    for (const word of Object.values(SECRETS)) expect(filesWith(word)).not.toEqual([]);
  });

  test('is in no file when the run that removed it ends', async () => {
    rmSync(join(folder, `${SECRETS.name}.md`));
    await engine.index();
    expect(remains()).toEqual([]);
    expect(await engine.verify()).toMatchObject({ ok: true });
  });

  test('is in no file when the call that removed it ends, in a generation that is kept neither', async () => {
    await engine.index({ options: { force: true } });
    const { documents } = await engine.list({ limit: 100 });
    const id = documents.find(({ externalId }) => externalId.startsWith(SECRETS.name))?.id ?? '';
    expect(await engine.delete([id])).toBe(1);
    expect(remains()).toEqual([]);
    const { results } = await engine.search({ text: 'gate', options: { topK: 50 } });
    expect(results.length).toBeGreaterThan(20);
  });

  test('is in no file when the index was cleared', async () => {
    await engine.clear();
    expect(remains()).toEqual([]);
  });
});
