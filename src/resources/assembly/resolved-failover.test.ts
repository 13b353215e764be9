import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { filesWith } from '../../testing/files-with.js';

const WORD = 'quaggadromous';
const DOCUMENT = { id: 'ann', text: 'The quaggadromous gate is open.' };

async function engineIn(folder: string, config: RAGConfigInput): Promise<Engine> {
  const engine = await createEngine({ config, dataDir: join(folder, 'data'), cwd: folder });
  onTestFinished(() => engine.close());
  return engine;
}

const namesOf = async (engine: Engine) => (await engine.stores())?.stores.map(({ name }) => name);

test.each([
  ['auto', 'lancedb', { provider: 'libsql', name: 'second' }, 'second'],
  ['faiss', 'usearch', 'libsql', 'libsql'],
  ['auto', 'lancedb', 'usearch', 'usearch'],
] as const)(
  'what %s stands for is kept in both stores of rag.failover: %s',
  async (provider, first, secondary, second) => {
    const folder = temporaryFolder();
    const engine = await engineIn(folder, { provider, failover: { secondary } });
    await engine.push([DOCUMENT]);
    expect(await namesOf(engine)).toEqual([first, second]);
    expect((await engine.stores())?.stores.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect((await filesWith(join(folder, 'data'), WORD)).join()).toContain(`failover/${second}/`);
    await engine.forget({ documents: ['ann'] });
    expect(await filesWith(join(folder, 'data'), WORD)).toEqual([]);
  },
);

test('an index that exists keeps its store under auto, and gets a second one; a rebuild too', async () => {
  const folder = temporaryFolder();
  const before = await engineIn(folder, { provider: 'libsql' });
  await before.push([DOCUMENT]);
  await before.close();
  const engine = await engineIn(folder, { failover: { secondary: 'usearch' } });
  await engine.index({ options: { force: true } });
  await engine.syncStores();
  expect(await namesOf(engine)).toEqual(['libsql', 'usearch']);
  expect((await filesWith(join(folder, 'data'), WORD)).join()).toContain('failover/usearch/');
  expect((await engine.search('gate')).results).toHaveLength(1);
});

test('two stores of one name are refused where auto comes down to the second one', async () => {
  const folder = temporaryFolder();
  const before = await engineIn(folder, { provider: 'libsql' });
  await before.push([DOCUMENT]);
  await before.close();
  const engine = await engineIn(folder, { failover: { secondary: 'libsql' } });
  await expect(engine.search('gate')).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('Both stores of rag.failover are called "libsql"') as string,
  });
});
