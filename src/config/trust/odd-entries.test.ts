import type * as nodeFs from 'node:fs';
import { type PathLike, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../load-config.js';

/** The superuser lists every folder, so a refusal is made here. */
const refused = vi.hoisted(() => new Map<string, string>());
const closed = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof nodeFs>();
  return {
    ...fs,
    accessSync: (path: PathLike, mode: number) => {
      if (closed.has(String(path))) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      fs.accessSync(path, mode);
    },
    readdirSync: (path: PathLike, options: { withFileTypes: true }) => {
      const code = refused.get(String(path));
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return fs.readdirSync(path, options);
    },
  };
});

// Other tests of the process may have loaded it with the files as they are.
vi.resetModules();
const { assertPlainDataFolder } = await import('./index-reach.js');

it.each([
  ['', 'EACCES'],
  ['', 'EIO'],
  ['cache', 'EACCES'],
  ['knowledge/handbook', 'EPERM'],
  ['deployments/acme/audit', 'EACCES'],
  ['an entry of a later version', 'EACCES'],
])('a data folder of which %j cannot be listed (%s) is refused: it may hold links', async (folder, code) => {
  const cwd = temporaryFolder({
    '.ragstone/cache/a': '',
    '.ragstone/knowledge/handbook/a': '',
    '.ragstone/deployments/acme/audit/a': '',
    '.ragstone/an entry of a later version/a': '',
  });
  const unlisted = join(cwd, '.ragstone', folder);
  symlinkSync('/etc/passwd', join(unlisted, 'rollout.db'));
  refused.set(unlisted, code);
  onTestFinished(() => refused.clear());
  const config = await loadConfig({ cwd, config: {} });
  expect(() => assertPlainDataFolder(config)).toThrow(
    expect.objectContaining({
      reason: 'INDEX_DAMAGED',
      message: expect.stringMatching(/cannot be listed.*chmod u\+rwx/s),
    }),
  );
  // What is trusted is trusted in what it is known to hold.
  const trusting = await loadConfig({ cwd, config: {}, env: { RAGSTONE_TRUST: '1' } });
  expect(() => assertPlainDataFolder(trusting)).toThrow(/cannot be listed/);
});

it("a folder that may not be entered either, as that of a disk for lost files, is in nobody's way", async () => {
  const cwd = temporaryFolder({ '.ragstone/lost+found/a': '' });
  const folder = join(cwd, '.ragstone', 'lost+found');
  refused.set(folder, 'EACCES');
  closed.add(folder);
  onTestFinished(() => {
    refused.clear();
    closed.clear();
  });
  assertPlainDataFolder(await loadConfig({ cwd, config: {} }));
});

it('a data folder that is missing, or loses a folder meanwhile, holds nothing', async () => {
  const cwd = temporaryFolder({ '.ragstone/cache/a': '' });
  refused.set(join(cwd, '.ragstone', 'cache'), 'ENOENT');
  onTestFinished(() => refused.clear());
  assertPlainDataFolder(await loadConfig({ cwd, config: {} }));
  assertPlainDataFolder(await loadConfig({ cwd, config: {}, dataDir: 'none' }));
});
