import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import { createEngine } from './create-engine.js';

it('a file that is written between its listing and its reading, and then put back, is indexed as it is', async () => {
  const cwd = temporaryFolder({ 'lamp.md': 'The lamp is red.' });
  const path = join(cwd, 'lamp.md');
  let opened = 0;
  // It is opened to be listed, and again to be read.
  const open: typeof SYSTEM_RUNTIME.files.open = (...place) => {
    if (String(place[0]).endsWith('lamp.md') && ++opened === 2) writeFileSync(path, 'The lamp is green.');
    return SYSTEM_RUNTIME.files.open(...place);
  };
  const engine = await createEngine({
    cwd,
    runtime: { ...SYSTEM_RUNTIME, files: { ...SYSTEM_RUNTIME.files, open } },
    config: { provider: 'libsql', sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }] },
  });
  const text = async (): Promise<string | undefined> => {
    const [first] = (await engine.list()).documents;
    return first && (await engine.get(first.id))?.text;
  };
  try {
    await engine.index();
    expect(await text()).toBe('The lamp is green.');
    writeFileSync(path, 'The lamp is red.');
    await engine.index();
    expect(await text()).toBe(readFileSync(path, 'utf8'));
    expect((await engine.verify()).drift).toEqual([]);
  } finally {
    await engine.close();
  }
});
