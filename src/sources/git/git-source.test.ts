import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { isUnreadable, type Source, type SourceItem } from '../source.js';
import { createGitSource, type GitSourceOptions } from './git-source.js';

let folder: string;
let repository: string;
let commits: number;

const git = (...args: string[]): string => {
  commits += 1;
  const at = `2024-05-01T10:00:${String(commits).padStart(2, '0')}+00:00`;
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      GIT_AUTHOR_NAME: commits % 2 === 0 ? 'Ada' : 'Bob',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'C',
      GIT_COMMITTER_EMAIL: 'c@example.com',
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_DATE: at,
    },
  });
};

const write = (path: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), text);
};

const commit = (message: string): string => {
  git('add', '-A');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD').trim();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-git-'));
  repository = join(folder, 'repository');
  mkdirSync(repository);
  commits = 0;
  git('init', '-q', '-b', 'main');
});

const open = (options: Partial<GitSourceOptions> = {}): Source =>
  createGitSource({
    name: 'code',
    repository,
    baseFolder: folder,
    cacheFolder: join(folder, 'cache'),
    environment: { PATH: process.env.PATH, HOME: folder },
    ...options,
  });

const listed = async (source: Source): Promise<Map<string, SourceItem>> => {
  const items = new Map<string, SourceItem>();
  for await (const item of source.list()) if (!isUnreadable(item)) items.set(item.id, item);
  return items;
};

const readOne = async (source: Source, id: string) => {
  const item = (await listed(source)).get(id);
  if (item === undefined) throw new Error(`${id} is not listed`);
  const { documents, notices = [] } = await source.read(item);
  const [document] = documents;
  return {
    document,
    notices,
    text: document === undefined ? undefined : Buffer.from(document.content).toString(),
  };
};

const errorOf = (work: Promise<unknown>): Promise<RAGError> =>
  work.then(
    () => {
      throw new Error('no error');
    },
    (error: unknown) => {
      if (RAGError.isInstance(error)) return error;
      throw error;
    },
  );

const LONG = Array.from(
  { length: 40 },
  (_, n) => `Line ${n} of a guide that is long enough to be recognised.`,
).join('\n');

describe('files of a repository', () => {
  it('are those of the commit, with author, dates, type and link', async () => {
    write('docs/a.md', '# A\n');
    write('src/x.ts', 'export const x = 1;\n');
    write('data.bin', 'no text');
    commit('one');
    write('docs/a.md', '# A, changed\n');
    const head = commit('two');
    write('docs/a.md', 'not committed');
    const source = open({ link: 'https://git.example/{commit}/{path}' });
    expect([...(await listed(source)).keys()]).toEqual(['docs/a.md', 'src/x.ts']);
    const { document, text } = await readOne(source, 'docs/a.md');
    expect(text).toBe('# A, changed\n');
    expect(document).toMatchObject({
      mediaType: 'text/markdown',
      sourceType: 'markdown',
      url: `https://git.example/${head}/docs/a.md`,
      createdAt: '2024-05-01T10:00:03.000Z',
      updatedAt: '2024-05-01T10:00:06.000Z',
      metadata: { path: 'docs/a.md', author: 'Ada', commit: head },
    });
    expect((await readOne(source, 'src/x.ts')).document).toMatchObject({
      title: 'src/x.ts',
      metadata: { language: 'typescript' },
    });
  });

  it('name the latest commits that changed them with a few others', async () => {
    write('a.md', 'a');
    write('b.md', 'b');
    const first = commit('one');
    write('a.md', 'a2');
    commit('alone');
    for (let i = 0; i < 30; i++) write(`many/${i}.md`, `${i}`);
    write('a.md', 'a3');
    commit('many');
    const commitsOf = async (path: string) => (await readOne(open(), path)).document?.metadata.commits;
    expect(await commitsOf('a.md')).toEqual([first.slice(0, 12)]);
    expect(await commitsOf('b.md')).toEqual([first.slice(0, 12)]);
    expect(await commitsOf('many/1.md')).toBeUndefined();
    write('a.md', 'a4');
    write('many/1.md', 'changed');
    const last = commit('two');
    expect(await commitsOf('a.md')).toEqual([last.slice(0, 12), first.slice(0, 12)]);
    expect(await commitsOf('many/1.md')).toEqual([last.slice(0, 12)]);
  });

  it('are read at any ref', async () => {
    write('a.md', 'first');
    const first = commit('one');
    git('tag', 'v1');
    write('a.md', 'second');
    commit('two');
    for (const ref of [first, 'v1']) expect((await readOne(open({ ref }), 'a.md')).text).toBe('first');
    expect((await errorOf(listed(open({ ref: 'v9' })))).reason).toBe('SOURCE_NOT_FOUND');
    expect((await errorOf(listed(open({ ref: '--upload-pack=x' })))).reason).toBe('CONFIG_INVALID');
  });

  it('keep their identity when they are renamed, again after the next commit, and say where they are', async () => {
    write('old.md', LONG);
    write('other.md', 'x');
    commit('one');
    const source = open();
    const before = await listed(source);
    renameSync(join(repository, 'old.md'), join(repository, 'new.md'));
    commit('renamed');
    const after = await listed(source);
    expect([...after.keys()]).toEqual(['old.md', 'other.md']);
    expect(after.get('other.md')).toEqual(before.get('other.md'));
    expect(after.get('old.md')?.version).not.toBe(before.get('old.md')?.version);
    expect((await readOne(source, 'old.md')).document).toMatchObject({
      location: 'new.md',
      metadata: { path: 'new.md' },
    });
    write('old.md', 'Another file under the old name');
    const added = commit('taken');
    const expected = [`old.md@${added.slice(0, 12)}`, 'old.md', 'other.md'].sort();
    expect([...(await listed(source)).keys()].sort()).toEqual(expected);
    expect([...(await listed(open({ cacheFolder: join(folder, 'fresh') }))).keys()].sort()).toEqual(expected);
  });

  it('may change names among each other in one commit', async () => {
    write('a.md', LONG);
    write('b.md', LONG.replaceAll('guide', 'manual').split('\n').reverse().join('\n'));
    commit('one');
    renameSync(join(repository, 'b.md'), join(repository, 'c.md'));
    renameSync(join(repository, 'a.md'), join(repository, 'b.md'));
    commit('moved up');
    const source = open();
    await listed(source);
    const paths = await Promise.all(
      ['a.md', 'b.md'].map(async (id) => (await readOne(source, id)).document?.metadata.path),
    );
    expect(paths).toEqual(['b.md', 'c.md']);
  });

  it('are listed anew after a rewritten branch', async () => {
    write('a.md', 'a');
    commit('one');
    write('b.md', 'b');
    commit('two');
    const source = open();
    await listed(source);
    git('reset', '-q', '--hard', 'HEAD~1');
    write('c.md', 'c');
    commit('other');
    expect([...(await listed(source)).keys()]).toEqual(['a.md', 'c.md']);
  });

  it('report what is not read: vendored, locked, linked, in submodules, in LFS, too large', async () => {
    const inner = join(folder, 'inner');
    execFileSync('git', ['init', '-q', inner]);
    execFileSync(
      'git',
      ['-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-q', '--allow-empty', '-m', 'x'],
      { cwd: inner },
    );
    git('submodule', 'add', '-q', inner, 'lib/inner');
    write('vendor/x.js', 'x');
    write('dist/y.js', 'y');
    write('package-lock.json', '{}');
    write('gen.go', '// Code generated by tool. DO NOT EDIT.\n');
    write('big.md', 'x'.repeat(2_000));
    write('asset.txt', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n');
    symlinkSync('big.md', join(repository, 'link.md'));
    commit('one');
    const source = open({ maxFileBytes: 1_500 });
    const unreadable: string[] = [];
    for await (const item of source.list())
      if (isUnreadable(item)) unreadable.push(`${item.id} ${item.error.reason}`);
    expect(unreadable).toEqual(['big.md DOCUMENT_TOO_LARGE']);
    expect([...(await listed(source)).keys()]).toEqual(['asset.txt', 'gen.go']);
    expect(source.listingNotices?.()).toEqual([
      "1 lock file left out; `generated: true` in the source's configuration reads them.",
      "2 vendored files left out; `generated: true` in the source's configuration reads them.",
      '1 submodule left out ("lib/inner"): configure a source for each.',
      '1 symbolic link left out.',
    ]);
    expect((await readOne(source, 'asset.txt')).notices[0]).toMatch(/pointer of Git LFS/);
    expect((await readOne(source, 'gen.go')).notices[0]).toMatch(/generated file was left out/);
    expect((await readOne(open({ generated: true }), 'vendor/x.js')).text).toBe('x');
  });

  it('are chosen by patterns, hidden ones where a pattern names them', async () => {
    for (const path of ['docs/a.md', 'docs/b/c.md', 'notes.yaml', '.github/w.md', 'docs/[x].md'])
      write(path, path);
    commit('one');
    const chosen = async (...include: string[]) => [...(await listed(open({ include }))).keys()];
    expect(await chosen('**')).toEqual(['docs/[x].md', 'docs/a.md', 'docs/b/c.md']);
    expect(await chosen('docs/b', '*.yaml')).toEqual(['docs/b/c.md', 'notes.yaml']);
    expect(await chosen('.github/**', 'docs/[x].md')).toEqual(['.github/w.md', 'docs/[x].md']);
    expect(await chosen('nothing.md')).toEqual([]);
    expect((await errorOf(chosen('../x'))).reason).toBe('CONFIG_INVALID');
  });

  it('come whole: empty, large, with zero bytes, and 300 of them at once', async () => {
    const large = new Uint8Array(3_000_000).map((_, n) => n % 251);
    write('large.txt', large);
    write('empty.txt', '');
    for (let n = 0; n < 300; n++) write(`many/${n}.txt`, `text ${n}\n`);
    commit('one');
    const source = open();
    const items = [...(await listed(source)).values()];
    const texts = await Promise.all(
      items.map(async (item) => Buffer.from((await source.read(item)).documents[0]?.content ?? '')),
    );
    expect(items).toHaveLength(302);
    for (const [index, { id }] of items.entries()) {
      const text = texts[index];
      if (id === 'large.txt') expect(text?.equals(large)).toBe(true);
      else expect(text?.toString()).toBe(id === 'empty.txt' ? '' : `text ${/\d+/.exec(id)?.[0]}\n`);
    }
  });
});

describe('a repository that is cloned', () => {
  it('is brought up to date by the next listing', async () => {
    write('a.md', 'first');
    commit('one');
    // Git asks `ssh` for the other side; this one starts it here.
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ssh'), '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n', { mode: 0o755 });
    const source = open({
      repository: `ssh://git.example${repository}`,
      environment: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
    });
    expect((await readOne(source, 'a.md')).text).toBe('first');
    write('a.md', 'second');
    commit('two');
    rmSync(join(repository, 'a.md'));
    // A data folder may have come from anywhere: settings in it do not count.
    const [clone = ''] = readdirSync(join(folder, 'cache')).filter((name) => name.endsWith('.git'));
    appendFileSync(
      join(folder, 'cache', clone, 'config'),
      '[url "https://nowhere.invalid/"]\n\tinsteadOf = ssh://git.example/\n',
    );
    expect((await readOne(source, 'a.md')).text).toBe('second');
  });

  it.each([
    ['ext::sh -c "touch /tmp/x"', /remote helper/],
    ['http://git.example/x', /protocol "http"/],
    ['git://git.example/x', /protocol "git"/],
    ['--upload-pack=touch /tmp/x', /option/],
    ['https://me:canary@git.example/x.git', /put them into `auth`/],
  ])('%s is refused', (address, message) => {
    let thrown: unknown;
    try {
      open({ repository: address });
    } catch (error) {
      thrown = error;
    }
    expect(String(thrown)).toMatch(message);
    expect(String(thrown)).not.toContain('canary');
  });

  it('that is not there keeps what was indexed', async () => {
    expect((await errorOf(listed(open({ repository: `file://${folder}/none` })))).reason).toBe(
      'SOURCE_NOT_FOUND',
    );
    expect((await errorOf(listed(open({ repository: join(folder, 'none') })))).reason).toBe(
      'SOURCE_NOT_FOUND',
    );
    expect((await errorOf(listed(open({ repository: folder })))).reason).toBe('SOURCE_NOT_FOUND');
  });

  it('is read in place at a file address, as are linked worktrees, bare and shallow clones', async () => {
    write('docs/a.md', 'one');
    commit('one');
    write('docs/a.md', 'two');
    commit('two');
    git('branch', 'feature', 'HEAD~1');
    git('pack-refs', '--all');
    git('worktree', 'add', '-q', '../linked', 'feature');
    git('clone', '-q', '--bare', '.', '../bare.git');
    git('clone', '-q', '--depth', '1', `file://${repository}`, '../shallow');
    git('clone', '-q', '--shared', '.', '../shared');
    const textAt = async (path: string) => (await readOne(open({ repository: path }), 'docs/a.md')).text;
    for (const path of [
      `file://${repository}`,
      'repository/docs',
      'repository/.git',
      'bare.git',
      'shallow',
      'shared',
    ])
      expect([path, await textAt(path)]).toEqual([path, 'two']);
    expect(await textAt('linked')).toBe('one');
    for (const ref of ['feature', 'heads/feature', 'refs/heads/feature'])
      expect((await readOne(open({ ref }), 'docs/a.md')).text).toBe('one');
    for (const ref of ['config', 'objects', 'refs', 'refs/heads'])
      expect((await errorOf(listed(open({ ref })))).reason).toBe('SOURCE_NOT_FOUND');
    expect((await readOne(open({ repository: 'shared', ref: 'origin/HEAD' }), 'docs/a.md')).text).toBe('two');
  });

  it('is read with SHA-256 names', async () => {
    rmSync(join(repository, '.git'), { recursive: true });
    git('init', '-q', '-b', 'main', '--object-format=sha256');
    write('a.md', 'text');
    expect(commit('one')).toHaveLength(64);
    expect((await readOne(open(), 'a.md')).text).toBe('text');
  });
});

describe('a source that is kept open beside listings of others', () => {
  const LINK = 'https://git.example/{commit}/{path}';

  /** Counts the commits that a source takes. */
  const counted = () => {
    const bin = join(folder, 'bin');
    const log = join(folder, 'calls.txt');
    mkdirSync(bin, { recursive: true });
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nfor word in "$@"; do case "$word" in ls-tree) echo taken >> '${log}';; esac; done\nexec '${real}' "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(log, '');
    const count = () => readFileSync(log, 'utf8').split('taken').length - 1;
    return { count, environment: { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: folder } };
  };

  const readAll = async (source: Source, items: readonly SourceItem[]) => {
    source.expectReads?.(items);
    const read = await Promise.all(items.map((item) => source.read(item)));
    return read.map(({ documents: [document] }) => [
      document && Buffer.from(document.content).toString(),
      document?.url,
    ]);
  };

  it('takes one commit for all that is read of a listing, and another only for what is not in it', async () => {
    write('a.md', 'one');
    write('b.md', 'one');
    const first = commit('one');
    const { count, environment } = counted();
    const kept = open({ repository: `file://${repository}`, link: LINK, environment });
    const before = await listed(open());
    const all = [...before.values()];
    expect(await readAll(kept, all)).toEqual([
      ['one', `https://git.example/${first}/a.md`],
      ['one', `https://git.example/${first}/b.md`],
    ]);
    expect(count()).toBe(1);

    write('a.md', 'two');
    const second = commit('two');
    const after = await listed(open());
    const pick = (items: ReadonlyMap<string, SourceItem>, id: string) => items.get(id) as SourceItem;
    // As it was: the commit that is there serves.
    expect(await readAll(kept, [pick(after, 'b.md')])).toEqual([
      ['one', `https://git.example/${first}/b.md`],
    ]);
    expect(count()).toBe(1);
    expect(await readAll(kept, [pick(after, 'b.md'), pick(after, 'a.md')])).toEqual([
      ['one', `https://git.example/${second}/b.md`],
      ['two', `https://git.example/${second}/a.md`],
    ]);
    expect(count()).toBe(2);
    // Listed long ago: what is younger is read, once for the batch.
    expect(await readAll(kept, all)).toEqual([
      ['two', `https://git.example/${second}/a.md`],
      ['one', `https://git.example/${second}/b.md`],
    ]);
    expect(count()).toBe(3);
  });
});
