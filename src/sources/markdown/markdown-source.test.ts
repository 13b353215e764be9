import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isUnreadable, type ListedItem } from '../source.js';
import type { ListingSummary } from '../source-files.js';
import { createMarkdownSource, type MarkdownSourceOptions } from './markdown-source.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ragstone-markdown-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

async function list(options: Partial<MarkdownSourceOptions> = {}): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  for await (const item of createMarkdownSource({ name: 'docs', root, ...options }).list()) items.push(item);
  return items;
}

const idsOf = (items: readonly ListedItem[]): string[] =>
  items.filter((item) => !isUnreadable(item)).map((item) => item.id);

const reasonsOf = (items: readonly ListedItem[]): Record<string, string> =>
  Object.fromEntries(items.filter(isUnreadable).map((item) => [item.id, item.error.reason]));

const idsWith = async (options: Partial<MarkdownSourceOptions> = {}): Promise<string[]> =>
  idsOf(await list(options));

describe('which files are listed', () => {
  it('lists Markdown of any case in code point order and leaves out the rest', async () => {
    await write({
      'b.md': 'b',
      'a.MD': 'a',
      'Z.markdown': 'z',
      'sub/c.mdx': 'c',
      'notes.txt': 't',
      'image.png': 'p',
      '.hidden/d.md': 'd',
      '.e.md': 'e',
      'node_modules/x/README.md': 'n',
      'sub/node_modules/y.md': 'n',
      '.git/description.md': 'g',
    });
    expect(await idsWith()).toEqual(['Z.markdown', 'a.MD', 'b.md', 'sub/c.mdx']);
  });

  it('takes files, folders, globs and trailing globstars, with or without ./', async () => {
    await write({ 'README.md': '', 'docs/a.md': '', 'docs/x/b.md': '', 'docs/c.txt': '', 'other/d.md': '' });
    expect(await idsWith({ include: ['./docs/**/*.md', './README.md'] })).toEqual([
      'README.md',
      'docs/a.md',
      'docs/x/b.md',
    ]);
    expect(await idsWith({ include: ['docs'] })).toEqual(['docs/a.md', 'docs/x/b.md']);
    expect(await idsWith({ include: ['docs/**'] })).toEqual(['docs/a.md', 'docs/x/b.md']);
    expect(await idsWith({ include: [join(root, 'docs', '*.txt')] })).toEqual(['docs/c.txt']);
    expect(await idsWith({ include: ['.'] })).toHaveLength(4);
    expect(await idsWith({ include: ['{docs,other}/*.md'] })).toEqual(['docs/a.md', 'other/d.md']);
  });

  it('applies excludes relative to the root', async () => {
    await write({ 'docs/a.md': '', 'docs/CHANGELOG.md': '', 'docs/old/b.md': '', 'CHANGELOG.md': '' });
    expect(await idsWith({ exclude: ['**/CHANGELOG.md', 'docs/old/**'] })).toEqual(['docs/a.md']);
  });

  it('takes a root that is one file', async () => {
    await write({ 'a[1].md': 'x', 'a1.md': 'y' });
    expect(await idsWith({ root: join(root, 'a[1].md') })).toEqual(['a[1].md']);
    await write({ '.gitignore': '*.md', '.hidden.md': 'named on purpose' });
    await symlink('a1.md', join(root, 'link.md'));
    expect(await idsWith({ root: join(root, '.hidden.md') })).toEqual(['.hidden.md']);
    const link = { root: join(root, 'link.md') };
    expect(await idsWith(link)).toEqual(['a1.md']);
    const { documents } = await createMarkdownSource({ name: 'docs', ...link }).read({
      id: 'a1.md',
      version: '',
    });
    expect(documents).toHaveLength(1);
  });

  it('takes an existing name with glob characters literally', async () => {
    await write({ 'a[1].md': 'x', 'a1.md': 'y', 'd(1)/b.md': 'z' });
    expect(await idsWith({ include: ['a[1].md', 'd(1)'] })).toEqual(['a[1].md', 'd(1)/b.md']);
    expect(await idsWith({ include: ['a\\[1\\].md'] })).toEqual(['a[1].md']);
  });

  it('lists hidden files when told to or when a pattern names them', async () => {
    await write({ '.github/a.md': '', 'b.md': '' });
    expect(await idsWith({ hidden: true })).toEqual(['.github/a.md', 'b.md']);
    expect(await idsWith({ include: ['.github/*.md'] })).toEqual(['.github/a.md']);
  });

  it('honours nested .gitignore files, the deeper one deciding', async () => {
    await write({
      '.gitignore': 'build/\n*.tmp.md\n/only-top.md\n',
      'sub/.gitignore': '!keep.tmp.md\nlocal.md\n',
      'a.md': '',
      'build/b.md': '',
      'sub/build/c.md': '',
      'd.tmp.md': '',
      'sub/keep.tmp.md': '',
      'sub/local.md': '',
      'local.md': '',
      'only-top.md': '',
      'sub/only-top.md': '',
    });
    expect(await idsWith()).toEqual(['a.md', 'local.md', 'sub/keep.tmp.md', 'sub/only-top.md']);
    expect(await idsWith({ gitignore: false })).toHaveLength(9);
  });

  it('honours the .gitignore above the root up to the work tree, unless it ignores the root itself', async () => {
    await write({
      '.gitignore': '*.draft.md\nout/\n',
      'docs/a.md': '',
      'docs/b.draft.md': '',
      'out/c.md': '',
    });
    await mkdir(join(root, '.git'));
    expect(await idsWith({ root: join(root, 'docs') })).toEqual(['a.md']);
    expect(await idsWith({ root: join(root, 'out') })).toEqual(['c.md']);
  });

  it('lists names with newline, emoji, quotes and backslash', async () => {
    const names = [
      'line\nbreak.md',
      'rocket 🚀.md',
      `quote"'.md`,
      'back\\slash.md',
      '\uFFFD.md',
      ' .md',
      '#hash.md',
    ];
    await write(Object.fromEntries(names.map((name) => [name, name])));
    const items = await list();
    expect(new Set(idsOf(items))).toEqual(new Set(names));
    const source = createMarkdownSource({ name: 'docs', root });
    for (const item of items) {
      if (isUnreadable(item)) throw item.error;
      const { documents } = await source.read(item);
      expect(Buffer.from(documents[0]?.content ?? '').toString()).toBe(item.id);
    }
  });

  it('tells what was left out', async () => {
    await write({ 'a.md': '', '.b.md': '', 'c.md': '', '.gitignore': 'c.md', 'node_modules/d.md': '' });
    await symlink(join(root, 'a.md'), join(root, 'e.md'));
    let summary: ListingSummary | undefined;
    await list({ include: ['**', 'gone.md'], onListed: (told) => (summary = told) });
    expect(summary).toEqual({
      matched: 1,
      unreadable: 0,
      missing: ['gone.md'],
      others: new Map(),
      skipped: { hidden: 2, gitignored: 1, tooling: 1, symlinks: 1, special: 0 },
    });
  });
});

describe('versions and documents', () => {
  it('gives the SHA-256 of the bytes as version, also for a file of many read pieces', async () => {
    const content = 'x'.repeat(1_000_003);
    await write({ 'big.md': content, 'empty.md': '' });
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(await list()).toEqual([
      { id: 'big.md', version: hash(content), bytes: 1_000_003 },
      { id: 'empty.md', version: hash(''), bytes: 0 },
    ]);
  });

  it('reads bytes unchanged with times, metadata and media type', async () => {
    await write({ 'docs/a.md': '\uFEFF# A\r\n', 'b.txt': 'b' });
    await utimes(join(root, 'docs/a.md'), new Date('2024-05-06T07:08:09Z'), new Date('2024-05-06T07:08:09Z'));
    const source = createMarkdownSource({ name: 'docs', root, metadata: { category: 'reference' } });
    const { documents, failures } = await source.read({ id: 'docs/a.md', version: '' });
    expect(failures).toEqual([]);
    expect(documents[0]).toMatchObject({
      externalId: 'docs/a.md',
      mediaType: 'text/markdown',
      updatedAt: '2024-05-06T07:08:09.000Z',
      metadata: { sourceType: 'markdown', category: 'reference' },
      access: { groups: ['*'], level: 0 },
    });
    expect(Buffer.from(documents[0]?.content ?? '').toString()).toBe('\uFEFF# A\r\n');
    const long = Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join('\n');
    await write({ 'long.md': long });
    const read = await source.read({ id: 'long.md', version: '' });
    expect(Buffer.from(read.documents[0]?.content ?? '').toString()).toBe(long);
    const text = await source.read({ id: 'b.txt', version: '' });
    expect(text.documents[0]?.mediaType).toBe('text/plain');
  });
});

describe('a root that is not there', () => {
  it.each([
    ['a missing root', { root: '/nonexistent/ragstone' }, 'SOURCE_NOT_FOUND'],
    ['a missing folder before a wildcard', { include: ['gone/**/*.md'] }, 'SOURCE_NOT_FOUND'],
    ['a pattern that leaves the root', { include: ['../*.md'] }, 'CONFIG_INVALID'],
    ['an absolute pattern elsewhere', { include: ['/etc/*.md'] }, 'CONFIG_INVALID'],
    ['an empty pattern', { include: [''] }, 'CONFIG_INVALID'],
  ])('%s throws instead of listing nothing', async (_, options, reason) => {
    await expect(list(options)).rejects.toMatchObject({ reason });
  });

  it('an existing folder without a match lists nothing', async () => {
    expect(await list()).toEqual([]);
    expect(await list({ include: ['*.md', 'run-*/x.md'] })).toEqual([]);
  });

  it('an aborted listing throws ABORTED', async () => {
    await write({ 'a.md': '' });
    const listing = createMarkdownSource({ name: 'docs', root }).list({ signal: AbortSignal.abort() });
    await expect(listing[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('hostile files', () => {
  it('reports a too large file, naming limit and setting, and lists the rest', async () => {
    await write({ 'big.md': 'x'.repeat(101), 'fits.md': 'x'.repeat(100) });
    const items = await list({ maxFileBytes: 100 });
    expect(idsOf(items)).toEqual(['fits.md']);
    expect(reasonsOf(items)).toEqual({ 'big.md': 'DOCUMENT_TOO_LARGE' });
    expect(items.find(isUnreadable)?.error.message).toMatch(/101 bytes.*limit of 100.*`maxFileBytes`/);
  });

  it('states the true size of a file it does not read', async () => {
    await write({ 'sparse.md': '' });
    await truncate(join(root, 'sparse.md'), 5_000_000);
    expect((await list({ maxFileBytes: 100 })).find(isUnreadable)?.error.message).toContain('5000000 bytes');
  });

  it.skipIf(!existsSync('/proc/self/status'))(
    'stops at the limit where a file claims less than it holds',
    async () => {
      const items = await list({ root: '/proc/self', include: ['status'], maxFileBytes: 100 });
      expect(reasonsOf(items)).toEqual({ status: 'DOCUMENT_TOO_LARGE' });
    },
  );

  it('does not name a file that vanished while listing', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `${String(i).padStart(2, '0')}.md`);
    await write(Object.fromEntries(names.map((name) => [name, name])));
    const listing = createMarkdownSource({ name: 'docs', root }).list();
    const rest: ListedItem[] = [];
    for await (const item of listing) {
      if (rest.length === 0) await unlink(join(root, '59.md'));
      rest.push(item);
    }
    expect(rest.map(({ id }) => id)).toEqual(names.slice(0, 59));
    expect(rest.filter(isUnreadable)).toEqual([]);
  });

  it('takes no file for gone where the folder of the source goes away while listing', async () => {
    await write(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.md`, ''])));
    const listing = createMarkdownSource({ name: 'docs', root }).list();
    await listing[Symbol.asyncIterator]().next();
    await rename(root, `${root}-away`);
    onTestFinished(() => rm(`${root}-away`, { recursive: true }));
    const rest = async () => {
      for await (const _ of listing);
    };
    await expect(rest()).rejects.toMatchObject({ reason: 'SOURCE_NOT_FOUND' });
  });

  it('never opens pipes', async () => {
    await write({ 'a.md': '' });
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    expect(await idsWith()).toEqual(['a.md']);
    const read = createMarkdownSource({ name: 'docs', root }).read({ id: 'pipe.md', version: '' });
    await expect(read).rejects.toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
  });

  it('reports a file that vanished between list and read', async () => {
    await write({ 'a.md': '' });
    const source = createMarkdownSource({ name: 'docs', root });
    const [item] = await list();
    await unlink(join(root, 'a.md'));
    if (item === undefined || isUnreadable(item)) throw new Error('not listed');
    await expect(source.read(item)).rejects.toMatchObject({ reason: 'DOCUMENT_VANISHED' });
  });

  it.each(['../secret.md', '/etc/passwd', 'a/../../secret.md'])(
    'refuses to read the forged id %s',
    async (id) => {
      const read = createMarkdownSource({ name: 'docs', root }).read({ id, version: '' });
      await expect(read).rejects.toMatchObject({ reason: 'DOCUMENT_OUTSIDE_ROOT' });
    },
  );

  it('reports names that are not valid UTF-8 and lists the rest', async () => {
    await write({ 'a.md': '' });
    await writeFile(
      Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]),
      '',
    );
    const items = await list();
    expect(idsOf(items)).toEqual(['a.md']);
    expect(reasonsOf(items)).toEqual({ 'bad-\\xff\\xfe.md': 'DOCUMENT_UNREADABLE' });
    // The same name once decoded, but a valid one.
    await write({ 'bad-\uFFFD\uFFFD.md': '' });
    expect(await idsWith()).toEqual(['a.md', 'bad-\uFFFD\uFFFD.md']);
  });

  it('reports a folder whose path is too long for the system and lists the rest', async () => {
    await write({ 'a.md': '' });
    const name = 'd'.repeat(200);
    execFileSync('bash', [
      '-c',
      `cd "$0" && for i in $(seq 25); do mkdir "$1" && cd "$1" || exit 1; done`,
      root,
      name,
    ]);
    const items = await list();
    expect(idsOf(items)).toEqual(['a.md']);
    expect(Object.values(reasonsOf(items))).toEqual(['DOCUMENT_UNREADABLE']);
    expect(items.find(isUnreadable)?.id).toMatch(/\/$/);
    execFileSync('rm', ['-rf', join(root, name)]);
  });
});

describe('symbolic links', () => {
  it('are not followed by default', async () => {
    await write({ 'real/a.md': 'a' });
    await symlink('real', join(root, 'link'));
    await symlink('real/a.md', join(root, 'b.md'));
    expect(await idsWith()).toEqual(['real/a.md']);
  });

  it('are followed inside the root when told to, whatever loops they form', async () => {
    await write({ 'x/a.md': '', 'y/b.md': '' });
    await symlink('..', join(root, 'x/up'));
    await symlink('.', join(root, 'x/self'));
    await symlink('../y', join(root, 'x/to-y'));
    await symlink('../x', join(root, 'y/to-x'));
    await symlink('x/a.md', join(root, 'c.md'));
    await symlink('loop.md', join(root, 'loop.md'));
    const items = await list({ followSymlinks: true });
    expect(idsOf(items)).toEqual(['c.md', 'x/a.md', 'x/to-y/b.md', 'y/b.md', 'y/to-x/a.md']);
    expect(reasonsOf(items)).toEqual({ 'loop.md': 'DOCUMENT_UNREADABLE' });
  });

  it('that leave the root are refused, folder or file, and the rest goes on', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'ragstone-outside-'));
    await writeFile(join(outside, 'secret.md'), 'secret');
    await write({ 'a.md': '' });
    await symlink(outside, join(root, 'out'));
    await symlink(join(outside, 'secret.md'), join(root, 'b.md'));
    await symlink(join(outside, 'gone.md'), join(root, 'broken.md'));
    await symlink(join(outside, 'logo.png'), join(root, 'unmatched.png'));
    const items = await list({ followSymlinks: true });
    expect(idsOf(items)).toEqual(['a.md']);
    expect(reasonsOf(items)).toEqual({
      'out/': 'DOCUMENT_OUTSIDE_ROOT',
      'b.md': 'DOCUMENT_OUTSIDE_ROOT',
      'broken.md': 'DOCUMENT_UNREADABLE',
    });
    await rm(outside, { recursive: true });
  });

  it('put in a listed file’s place are not read', async () => {
    await write({ 'a.md': '' });
    const source = createMarkdownSource({ name: 'docs', root });
    await unlink(join(root, 'a.md'));
    await symlink('/etc/hostname', join(root, 'a.md'));
    await expect(source.read({ id: 'a.md', version: '' })).rejects.toMatchObject({
      reason: 'DOCUMENT_OUTSIDE_ROOT',
    });
  });

  it('put in a listed file’s place are not read even inside the root, unless links are followed', async () => {
    await write({ 'b.md': 'b' });
    await symlink('b.md', join(root, 'a.md'));
    const read = (followSymlinks: boolean) =>
      createMarkdownSource({ name: 'docs', root, followSymlinks }).read({ id: 'a.md', version: '' });
    await expect(read(false)).rejects.toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
    expect((await read(true)).documents).toHaveLength(1);
  });

  it('above or at the root do not matter', async () => {
    await write({ 'real/a.md': 'a' });
    await symlink('real', join(root, 'link'));
    const source = createMarkdownSource({ name: 'docs', root: join(root, 'link') });
    expect(await idsWith({ root: join(root, 'link') })).toEqual(['a.md']);
    expect((await source.read({ id: 'a.md', version: '' })).documents).toHaveLength(1);
  });
});

// Root ignores permissions, so the listing runs as nobody, from the TypeScript sources through tsx.
const isRoot = process.getuid?.() === 0;
const canDrop = !isRoot || existsSync('/usr/bin/setpriv');
if (!canDrop) console.warn('skipped: unreadable files need setpriv or a user other than root');

describe.skipIf(!canDrop)('as an unprivileged user', () => {
  it('reports unreadable files and folders, keeps the rest, and throws for an unreadable root', async () => {
    await write({
      'a.md': 'a',
      'locked.md': 'x',
      'private/b.md': 'b',
      'z.md': 'z',
      'rules/.gitignore': '',
      'rules/c.md': '',
    });
    await chmod(join(root, 'locked.md'), 0o000);
    await chmod(join(root, 'private'), 0o000);
    await chmod(join(root, 'rules/.gitignore'), 0o000);
    await chmod(root, 0o755);
    expect(listAsNobody(root)).toEqual({
      ids: ['a.md', 'z.md'],
      reasons: {
        'locked.md': 'DOCUMENT_UNREADABLE',
        'private/': 'DOCUMENT_UNREADABLE',
        'rules/': 'DOCUMENT_UNREADABLE',
      },
    });
    await chmod(root, 0o700);
    if (isRoot) expect(listAsNobody(root)).toEqual({ thrown: 'SOURCE_UNREADABLE' });
    await chmod(join(root, 'private'), 0o700);
  });
});

function listAsNobody(folder: string): unknown {
  const script = `
    import { createMarkdownSource } from './src/sources/markdown/markdown-source.ts';
    const ids = [], reasons = {};
    try {
      for await (const item of createMarkdownSource({ name: 'docs', root: ${JSON.stringify(folder)} }).list())
        if ('error' in item) reasons[item.id] = item.error.reason; else ids.push(item.id);
      console.log(JSON.stringify({ ids, reasons }));
    } catch (error) { console.log(JSON.stringify({ thrown: error.reason ?? String(error) })); }`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  const drop = isRoot ? ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const [command, ...rest] = [...drop, ...node];
  if (command === undefined) throw new Error('no command');
  return JSON.parse(execFileSync(command, rest, { encoding: 'utf8' }));
}
