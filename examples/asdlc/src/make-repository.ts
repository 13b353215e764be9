import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './git.js';
import { installHooks } from './hooks.js';
import { HOME, loadSettings, repositoryOf } from './settings.js';

// `npm run repository`: a repository to try it with, of the documents in `sample/`.
loadSettings();
const repository = repositoryOf(process.env);
if (existsSync(join(repository, '.git'))) {
  console.log(`${repository} is there already.`);
} else {
  cpSync(join(HOME, 'sample'), repository, { recursive: true });
  await git(repository, 'init', '--quiet', '--initial-branch=main');
  await git(repository, 'config', 'user.name', 'An agent');
  await git(repository, 'config', 'user.email', 'agent@example.org');
  await installHooks(repository);
  await git(repository, 'add', '.');
  // What the hook says is shown.
  execFileSync('git', ['-C', repository, 'commit', '--quiet', '--message', 'Documents of two epics'], {
    stdio: 'inherit',
  });
  console.log(`A repository with a commit hook is in ${repository}.`);
}
