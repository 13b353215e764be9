import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { createGitSource } from '../../src/sources/git/git-source.js';
import { isUnreadable } from '../../src/sources/source.js';

type Entry = readonly [mode: string, name: string | Uint8Array, object: string];

/** A repository whose commit holds any tree at all: objects are written as bytes, past every check of Git's. */
function repositoryOf(plant: (tree: (entries: readonly Entry[]) => string, blob: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-tree-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder },
    }).trim();
  git(['init', '-q', '-b', 'main']);
  const object = (type: string, bytes: Uint8Array): string => {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    const id = createHash('sha1').update(whole).digest('hex');
    const place = join(folder, '.git', 'objects', id.slice(0, 2));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, id.slice(2)), deflateSync(whole));
    return id;
  };
  const tree = (entries: readonly Entry[]): string =>
    object(
      'tree',
      Buffer.concat(
        entries.flatMap(([mode, name, id]) => [
          Buffer.from(`${mode} `),
          Buffer.from(name),
          Buffer.from([0]),
          Buffer.from(id, 'hex'),
        ]),
      ),
    );
  const root = plant(tree, object('blob', Buffer.from('# Text\n')));
  git(['update-ref', 'refs/heads/main', git(['commit-tree', root, '-m', 'one'])]);
  return folder;
}

async function listing(repository: string) {
  const cacheFolder = join(repository, 'cache');
  mkdirSync(cacheFolder);
  const source = createGitSource({
    name: 'code',
    repository,
    baseFolder: repository,
    cacheFolder,
    environment: { PATH: process.env.PATH, HOME: repository },
  });
  const read: string[] = [];
  const unreadable: string[] = [];
  for await (const item of source.list()) {
    if (isUnreadable(item)) unreadable.push(item.id);
    else {
      await source.read(item);
      read.push(item.id);
    }
  }
  return { read, unreadable, notices: (source.listingNotices?.() ?? []).join('\n') };
}

// Invariant: what is bad in a listing is reported, and the rest is read. Kept by src/sources/git/git-tree.ts.
it.each<[string, (tree: (entries: readonly Entry[]) => string, blob: string) => string, RegExp]>([
  [
    'a folder ".."',
    (tree, blob) =>
      tree([
        ['40000', '..', tree([['100644', 'x.md', blob]])],
        ['100644', 'good.md', blob],
      ]),
    /"\.\.\/x\.md"/,
  ],
  [
    'a file ".."',
    (tree, blob) =>
      tree([
        ['100644', '..', blob],
        ['100644', 'good.md', blob],
      ]),
    /"\.\."/,
  ],
  [
    'a folder "."',
    (tree, blob) =>
      tree([
        ['40000', '.', tree([['100644', 'x.md', blob]])],
        ['100644', 'good.md', blob],
      ]),
    /"\.\/x\.md"/,
  ],
  [
    'a folder ".git"',
    (tree, blob) =>
      tree([
        ['40000', '.GIT', tree([['100644', 'x.md', blob]])],
        ['100644', 'good.md', blob],
      ]),
    /"\.GIT\/x\.md"/,
  ],
  [
    'a name that is a path',
    (tree, blob) =>
      tree([
        ['100644', '/etc/../../x.md', blob],
        ['100644', 'good.md', blob],
      ]),
    /x\.md/,
  ],
  [
    'an absolute name',
    (tree, blob) =>
      tree([
        ['100644', '/etc/x.md', blob],
        ['100644', 'good.md', blob],
      ]),
    /x\.md/,
  ],
  [
    'bytes that are no text',
    (tree, blob) =>
      tree([
        ['100644', 'good.md', blob],
        ['100644', Uint8Array.of(0xff, 0x2e, 0x6d, 0x64), blob],
      ]),
    /not valid UTF-8/,
  ],
  [
    'a name of 5,000 characters',
    (tree, blob) =>
      tree([
        ['100644', 'good.md', blob],
        ['100644', `${'x'.repeat(5_000)}.md`, blob],
      ]),
    /"xxx/,
  ],
  [
    '100,000 files of one name',
    (tree, blob) =>
      tree([
        ['100644', 'good.md', blob],
        ...Array.from({ length: 100_000 }, (): Entry => ['100644', 'same.md', blob]),
      ]),
    /"same\.md"/,
  ],
  [
    'a file and a folder of one name',
    (tree, blob) =>
      tree([
        ['100644', 'good.md', blob],
        ['100644', 'x.md', blob],
        ['40000', 'x.md', tree([['100644', 'y.md', blob]])],
      ]),
    /"x\.md\/y\.md"/,
  ],
  [
    'a path 1,900 levels deep',
    (tree, blob) => {
      let inner = tree([['100644', 'x.md', blob]]);
      for (let level = 0; level < 1_900; level++) inner = tree([['40000', 'd', inner]]);
      return tree([
        ['40000', 'd', inner],
        ['100644', 'good.md', blob],
      ]);
    },
    /"d\/d\/d/,
  ],
])('%s is reported, the rest is read', async (_, plant, notice) => {
  const { read, notices } = await listing(repositoryOf(plant));
  expect(read).toContain('good.md');
  expect(notices).toMatch(notice);
  expect(notices.length).toBeLessThan(2_000);
});

it('unusual names that are paths are read', async () => {
  const names = [
    'a\nb.md',
    'tab\t.md',
    '"quoted".md',
    "it's.md",
    'back\\slash.md',
    '-option.md',
    ' space .md',
    ':(glob)x.md',
    '日本.md',
    '[x].md',
    '{a,b}.md',
    '!x.md',
    '#x.md',
    'constructor',
    '__proto__/toString.md',
    'COM1.md',
    'x.md ',
    '\u202ex.md',
  ];
  const { read } = await listing(
    repositoryOf((tree, blob) =>
      tree(
        names
          .map((name): Entry => {
            const [folder, file] = name.split('/');
            return file === undefined
              ? ['100644', name, blob]
              : ['40000', folder ?? '', tree([['100644', file, blob]])];
          })
          .sort(([, a], [, b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      ),
    ),
  );
  expect([...read].sort()).toEqual(names.filter((name) => name.endsWith('.md')).sort());
});
