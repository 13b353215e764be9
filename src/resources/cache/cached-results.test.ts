import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { createEngine } from '../../engine/create-engine.js';
import { CachedResults } from './cached-results.js';

function open(folder: string, maxEntries = 3): CachedResults {
  const kept = new CachedResults({ folder, maxEntries });
  onTestFinished(() => kept.close());
  return kept;
}

test('what was found is there for another process, of one revision, as many as may be, and as young as asked for', () => {
  const folder = temporaryFolder();
  const kept = open(folder);
  kept.set('a', 'r1', 'quokka');
  expect(open(folder).get('a')).toBe('quokka');
  expect(kept.get('a', -1_000)).toBeUndefined();
  kept.set('b', 'r2', 'wombat');
  expect(kept.get('a')).toBeUndefined();
  expect(readFileSync(join(folder, DATA_FILES.searchResults), 'latin1')).not.toContain('quokka');
  for (let n = 0; n < 100; n++) kept.set(`k${n}`, 'r2', 'x');
  expect(kept.clear()).toBeLessThanOrEqual(3 + 32);
  kept.set('c', 'r2', 'numbat');
  kept.dropOthers('r3');
  expect(kept.get('c')).toBeUndefined();
});

test('a file that is none costs what was kept, and nothing else', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, DATA_FILES.searchResults), 'This is no database.'.repeat(400));
  const kept = open(folder);
  kept.set('a', 'r1', 'quokka');
  expect(kept.get('a')).toBeUndefined();
  expect(existsSync(join(folder, DATA_FILES.searchResults))).toBe(false);
});

test('text of a deleted document is in no file when the call that removed it ends', async () => {
  const cwd = temporaryFolder();
  const dataDir = join(cwd, 'data');
  const engine = await createEngine({
    cwd,
    dataDir,
    config: { provider: 'libsql', retrieval: { cache: { enabled: true } } },
  });
  onTestFinished(() => engine.close());
  await engine.push([{ id: 'x', text: 'The plan is quaggadromous.' }]);
  await engine.search('quaggadromous plan');
  const file = join(dataDir, DATA_FILES.searchResults);
  expect(readFileSync(file, 'latin1')).toContain('quaggadromous');
  const { documents } = await engine.list();
  await engine.delete([documents[0]?.id ?? '']);
  expect(readFileSync(file, 'latin1')).not.toContain('quaggadromous');
});
