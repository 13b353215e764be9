import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownCommand, withOwnCommand } from './own-command.js';

function folderWith(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), '');
  return folder;
}

it.each([
  [{ npm_command: 'exec', npm_config_user_agent: 'npm/11.0.0 node/v24' }, 'npx ragstone'],
  [{ npm_config_user_agent: 'pnpm/10.0.0 npm/? node/v24' }, 'pnpm exec ragstone'],
  [{ npm_config_user_agent: 'yarn/4.0.0' }, 'yarn ragstone'],
  [{}, 'ragstone'],
])('called with %j it is started again with %s', (environment, command) => {
  expect(ownCommand(environment, tmpdir())).toBe(command);
});

it('a command in PATH is called by its name, one of a project through npx', () => {
  expect(ownCommand({ PATH: folderWith('ragstone') }, tmpdir())).toBe('ragstone');
  const project = folderWith('node_modules/.bin/ragstone');
  expect(ownCommand({ PATH: '/nowhere' }, join(project, 'docs'))).toBe('npx ragstone');
});

it('commands in a text become what works here, other words stay', () => {
  const text = 'Run `ragstone index --prune`, or "ragstone index"; ragstone is a name.';
  expect(withOwnCommand(text, 'npx ragstone')).toBe(
    'Run `npx ragstone index --prune`, or "npx ragstone index"; ragstone is a name.',
  );
});
