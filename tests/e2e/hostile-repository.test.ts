import { expect, it } from 'vitest';
import { plantHostileRepository } from '../hostile/hostile-repository.js';
import { runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

it('no command that reads a repository runs a program that its settings name', async () => {
  const home = temporaryFolder();
  const { folder, environment, ran } = plantHostileRepository(home);
  const config = { rag: { sources: [{ name: 'code', type: 'git', repository: folder }] } };
  writeFiles(home, { 'project/ragstone.yaml': JSON.stringify(config) });
  const options = { cwd: `${home}/project`, env: { ...environment, HOME: home } };
  for (const command of [['sources', 'test', 'code'], ['index', '--dry-run'], ['index']]) {
    const { stdout, stderr } = await runRagstone(command, options);
    expect({ command, ran: ran() }).toEqual({ command, ran: [] });
    expect(stdout + stderr).toContain('missing.md');
  }
  const { stdout } = await runRagstone(['search', 'which file is here', '--json'], options);
  expect(stdout).toContain('This file is here.');
});
