import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RAGConfigInput } from '../config/schema/index.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'ragstone-paths-')));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

async function withEngine<T>(config: RAGConfigInput, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ cwd, config });
  return work(engine).finally(() => engine.close());
}

test('two files of one name are told apart by their origin, in results, answers and failures', async () => {
  write('docs/README.md', '# Retention\n\nAudit logs are kept for 30 days.\n');
  write('src/README.md', '# Port\n\nThe gateway listens on port 8443.\n');
  writeFileSync(join(cwd, 'src', 'bad.md'), Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]));
  const sources = [{ name: 'handbook', type: 'markdown' as const, root: 'docs', paths: ['**'] }];
  await withEngine({ provider: 'libsql', sources }, async (engine) => {
    await engine.index({ sources: ['handbook'] });
    const { stats } = await engine.index({ paths: ['src'] });
    expect(stats.errors).toMatchObject([{ item: 'bad.md', path: join(cwd, 'src/bad.md') }]);
    const [found] = (await engine.search('audit logs kept')).results;
    expect(found).toMatchObject({
      metadata: { source: 'README.md' },
      origin: { source: 'handbook', path: join(cwd, 'docs/README.md') },
    });
    const answer = await engine.ask('On which port does the gateway listen?');
    expect(answer.sources[0]?.origin).toEqual({ source: 'path:src', path: join(cwd, 'src/README.md') });
    const miss = await engine.explainMiss('audit logs', 'docs/README.md');
    expect(miss.document?.path).toBe(join(cwd, 'docs/README.md'));
    await expect(engine.explainMiss('audit logs', 'README.md')).rejects.toMatchObject({ reason: 'USAGE' });
    expect((await engine.status()).failures).toMatchObject([{ path: join(cwd, 'src/bad.md') }]);
    write('src/README.md', '# Port\n\nThe gateway listens on port 9443.\n');
    const { drift } = await engine.verify();
    expect(drift).toMatchObject([
      { kind: 'source-changed', source: 'README.md', path: join(cwd, 'src/README.md') },
      { kind: 'source-unreadable', path: join(cwd, 'src/bad.md') },
    ]);
  });
});

test('a root that is one file, or a link to one, is the place of its file', async () => {
  write('notes/real.md', '# Note\n\nAbout a quokka.\n');
  symlinkSync(join(cwd, 'notes/real.md'), join(cwd, 'link.md'));
  await withEngine({ provider: 'libsql' }, async (engine) => {
    await engine.index({ paths: ['link.md'] });
    const [found] = (await engine.search('quokka')).results;
    expect(found?.origin).toEqual({ source: 'path:notes/real.md', path: join(cwd, 'notes/real.md') });
  });
});

test('of a Git repository only what is checked out has a path; what was handed in has none', async () => {
  write('repo/kept.md', '# Kept\n\nAbout a quokka.\n');
  write('repo/gone.md', '# Gone\n\nAbout a wombat.\n');
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: join(cwd, 'repo'),
      stdio: 'ignore',
    });
  };
  git('init');
  git('add', '.');
  git('commit', '-m', 'one');
  rmSync(join(cwd, 'repo/gone.md'));
  const sources = [{ name: 'code', type: 'git' as const, repository: './repo' }];
  await withEngine({ provider: 'libsql', sources }, async (engine) => {
    await engine.index();
    await engine.index([{ id: 'note', text: 'About a numbat.' }]);
    const originOf = async (query: string) => (await engine.search(query)).results[0]?.origin;
    expect(await originOf('quokka')).toEqual({ source: 'code', path: join(cwd, 'repo/kept.md') });
    expect(await originOf('wombat')).toEqual({ source: 'code' });
    expect(await originOf('numbat')).toEqual({ source: 'push:documents' });
  });
});
