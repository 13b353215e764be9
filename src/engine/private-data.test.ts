import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { keepOutOfGit } from './private-data.js';

test('Git leaves out the usual data folder, and nothing that the user wrote there is changed', () => {
  const projectRoot = temporaryFolder();
  keepOutOfGit({ projectRoot });
  expect(existsSync(join(projectRoot, '.ragstone'))).toBe(false);
  mkdirSync(join(projectRoot, '.ragstone'));
  const path = join(projectRoot, '.ragstone', '.gitignore');
  keepOutOfGit({ projectRoot });
  expect(readFileSync(path, 'utf8')).toBe('*\n');
  writeFileSync(path, 'models/\n');
  keepOutOfGit({ projectRoot });
  expect(readFileSync(path, 'utf8')).toBe('models/\n');
});
