import { expect, test } from 'vitest';
import { watchedFiles } from './watched-files.js';

const TYPES = ['*.md', '*.ts'];
const SELECTION = { root: '/p', exclude: [], hidden: false, followSymlinks: false };

function placeOf(paths: readonly string[], more: Partial<Parameters<typeof watchedFiles>[0]> = {}) {
  const [place] = watchedFiles({ ...SELECTION, paths, ...more }, TYPES);
  if (place === undefined) throw new Error('There is no place.');
  return place;
}

test('a whole folder: files of its types, in every folder that is shown', () => {
  const { enters, concerns } = placeOf(['**']);
  expect(['a.md', 'a/b/c.ts', 'a/.gitignore'].map(concerns)).toEqual([true, true, true]);
  expect(['a.png', '.a.md', '.a/b.md', 'node_modules/x/a.md'].map(concerns)).toEqual(Array(4).fill(false));
  expect(['a', 'a/b'].map(enters)).toEqual([true, true]);
  expect(['.git', 'node_modules', 'a/node_modules', '.cache', '.ragstone'].map(enters)).toEqual(
    Array(5).fill(false),
  );
});

test('patterns: only the folders that lead to what they name', () => {
  const { enters, concerns } = placeOf(['./output/run-*/step-*.json', './docs/**/*.md', 'README.md']);
  expect(['output', 'output/run-1', 'docs', 'docs/a/b'].map(enters)).toEqual(Array(4).fill(true));
  expect(['src', 'output/other', 'output/run-1/deep', 'vector-db'].map(enters)).toEqual(Array(4).fill(false));
  expect(['output/run-1/step-2.json', 'docs/a.md', 'README.md'].map(concerns)).toEqual(Array(3).fill(true));
  expect(['output/run-1/final.json', 'docs/a.txt', 'OTHER.md'].map(concerns)).toEqual(Array(3).fill(false));
});

test('a path without wildcards may be a file or a folder', () => {
  const { enters, concerns } = placeOf(['docs']);
  expect(['docs', 'docs/a.md', 'docs/a/b.ts'].map(concerns)).toEqual([true, true, true]);
  expect([enters('docs'), enters('docs/a'), enters('src')]).toEqual([true, true, false]);
});

test('what is excluded is neither entered nor of concern', () => {
  const { enters, concerns } = placeOf(['**'], { exclude: ['**/build/**', 'old', '**/CHANGELOG.md'] });
  expect(['build', 'a/build', 'old'].map(enters)).toEqual([false, false, false]);
  expect(['build/a.md', 'a/CHANGELOG.md', 'a.md'].map(concerns)).toEqual([false, false, true]);
});

test('hidden folders where the settings or a pattern ask for them', () => {
  expect(placeOf(['**'], { hidden: true }).enters('.github')).toBe(true);
  const named = placeOf(['.github/**/*.md']);
  expect([named.enters('.github'), named.concerns('.github/a.md')]).toEqual([true, true]);
});

test('braces that hold a slash: every folder may lead to a file', () => {
  const { enters, concerns } = placeOf(['{a/b,c}/*.md']);
  expect([enters('a'), enters('a/b'), concerns('a/b/x.md'), concerns('c/x.md')]).toEqual(Array(4).fill(true));
});
