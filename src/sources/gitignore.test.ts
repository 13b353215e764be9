import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../evaluation/random.js';
import { GitignoreRules } from './gitignore.js';
import { walkFiles } from './walk-files.js';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

type Tree = Readonly<Record<string, string>>;

function make(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), 'ragstone-ignore-'));
  roots.push(root);
  git(root, 'init', '-q');
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'core.excludesFile=/dev/null', ...args], { cwd, encoding: 'utf8' });

/** What Git would add, but for rule files. */
const byGit = (root: string): string[] =>
  git(root, 'ls-files', '--others', '--exclude-standard', '-z')
    .split('\0')
    .filter((path) => path !== '' && !path.endsWith('.gitignore'))
    .sort();

async function byWalk(root: string): Promise<string[]> {
  const { paths } = await walkFiles({
    ...{ root, realRoot: root, globs: ['**/*'], exclude: [], hidden: true, followSymlinks: false },
    ...{ gitignore: await GitignoreRules.forRoot(root), signal: undefined },
  });
  return paths.filter((path) => !path.endsWith('.gitignore')).sort();
}

const FILES: Tree = Object.fromEntries(
  [
    'a.md',
    'b.md',
    'a.log',
    'keep.log',
    'docs/a.md',
    'docs/b.log',
    'docs/keep.log',
    'docs/api/a.md',
    'docs/api/b.log',
    'build/a.md',
    'build/keep/a.md',
    'docs/build/a.md',
    'src/a b.md',
    'src/!odd.md',
    'src/#odd.md',
  ].map((path) => [path, path]),
);

describe('ignore files leave out what Git leaves out', () => {
  it.each([
    ['a deeper file takes back', { '.gitignore': '*.log\n', 'docs/.gitignore': '!keep.log\n' }],
    [
      'a deeper file leaves out again',
      { '.gitignore': '*.log\n!keep.log\n', 'docs/.gitignore': 'keep.log\n' },
    ],
    [
      'nothing is taken back out of a folder that is left out',
      { '.gitignore': 'build/\n!build/keep/\n!build/keep/a.md\n' },
    ],
    ['all of a folder but a part', { '.gitignore': '/build/*\n!/build/keep/\n' }],
    [
      'a rule file inside a folder that is left out',
      { '.gitignore': 'build/\n', 'build/.gitignore': '!*\n' },
    ],
    ['everything but some', { '.gitignore': '*\n!*/\n!*.md\n' }],
    ['a path from the place of the file', { 'docs/.gitignore': '/a.md\n/api/*.log\n' }],
    ['a path in the middle', { '.gitignore': 'docs/api\n!docs/api/a.md\n' }],
    ['stars for folders', { '.gitignore': '**/api/**\n!**/api/a.md\nsrc/**\n' }],
    [
      'signs that are escaped, and blanks at the end',
      { '.gitignore': '\\!odd.md\n\\#odd.md\na\\ b.md\nb.md   \n' },
    ],
    [
      'a comment, an empty line, a mark of bytes, line ends of Windows',
      { '.gitignore': '\uFEFF# a\r\n\r\n*.log\r\n!keep.log\r\n' },
    ],
    [
      'three levels',
      { '.gitignore': '*.md\n', 'docs/.gitignore': '!*.md\n', 'docs/api/.gitignore': '*.md\n!a.md\n' },
    ],
    ['a folder that is taken back by a deeper file', { '.gitignore': 'api\n', 'docs/.gitignore': '!api\n' }],
    ['a class of characters', { '.gitignore': '[ab].md\n!docs/[!b].md\n' }],
  ])('%s', async (_, rules) => {
    const root = make({ ...FILES, ...(rules as Tree) });
    expect(await byWalk(root)).toEqual(byGit(root));
  });

  it('in generated trees', async () => {
    const random = seededRandom(7);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const names = ['a', 'b', 'docs', 'build', 'x.md', 'y.log', 'a b', '.h', 'é.md'];
    const patterns = [
      'a',
      'b/',
      '/a',
      '*.md',
      '*.log',
      'docs',
      'docs/',
      '/docs/*',
      'build/**',
      '**/a',
      '**/b/',
      'a/*',
      'a/**/b',
      '*',
      '*/',
      'x.*',
      '?.md',
      '[ab]',
      '[!a]',
      'docs/a',
      'a\\ b',
      '.h',
      '.*',
      'é*',
      '/*',
      '/*/b',
      '**',
      'a/**',
      '**/x.md',
    ];
    for (let tree = 0; tree < TREES; tree++) {
      const files: Record<string, string> = {};
      for (let i = 0; i < 25; i++) {
        const path = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(names)).join('/');
        const isBlocked = Object.keys(files).some(
          (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
        );
        if (!isBlocked) files[path] = path;
      }
      const folders = new Set([
        '',
        ...Object.keys(files).flatMap((path) =>
          path
            .split('/')
            .slice(0, -1)
            .map((_, at, parts) => `${parts.slice(0, at + 1).join('/')}/`),
        ),
      ]);
      for (const folder of folders)
        if (folder === '' || random() < 0.4)
          files[`${folder}.gitignore`] = Array.from(
            { length: 1 + Math.floor(random() * 4) },
            () => (random() < 0.35 ? '!' : '') + pick(patterns),
          ).join('\n');
      const root = make(files);
      expect({ files, listed: await byWalk(root) }).toEqual({ files, listed: byGit(root) });
    }
  });
});

const TREES = 30;
