import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { restoreBackup } from './restore.js';
import { backedUp, isWhole } from './test-backup.js';

const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const RESTORE = new URL('./restore.ts', import.meta.url).href;

it('a backup that is put back begins again where that was killed', async () => {
  const { archive } = await backedUp();
  const elsewhere = temporaryFolder();
  const script = `import { restoreBackup } from ${JSON.stringify(RESTORE)}; process.stdout.write('go'); await restoreBackup(process.argv[1], { cwd: process.argv[2] });`;
  for (const delay of [0, 15, 30, 45, 60]) {
    const args = ['--import', LOADER, '--input-type=module', '-e', script, archive, elsewhere];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    if (child.stdout !== null) await once(child.stdout, 'data');
    await sleep(delay);
    child.kill('SIGKILL');
    await ended;
    if (existsSync(join(elsewhere, '.ragstone', 'ledger.db'))) break;
  }
  if (!existsSync(join(elsewhere, '.ragstone', 'ledger.db')))
    await restoreBackup(archive, { cwd: elsewhere });
  expect(await isWhole(elsewhere, 'libsql')).toMatchObject({ drift: [], documents: 5 });
});
