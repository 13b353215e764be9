import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { followRepository } from '../src/follow-repository.js';
import { installHooks } from '../src/hooks.js';
import { get_knowledge_store } from '../src/knowledge-store.js';
import { type ChromaServer, startChroma } from './chroma-server.js';
import { chooseBackend, temporaryFolder } from './environment.js';

const { TEST_CHROMA_PROGRAM, TEST_DATABASE_URL } = process.env;

/** A repository with two documents. */
function makeRepository(): { readonly folder: string; readonly run: (...args: readonly string[]) => string } {
  const folder = temporaryFolder();
  const run = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('init', '--quiet', '--initial-branch=main');
  run('config', 'user.name', 'An agent');
  run('config', 'user.email', 'agent@example.org');
  mkdirSync(join(folder, 'spec', 'epics', 'E001'), { recursive: true });
  writeFileSync(
    join(folder, 'spec', 'epics', 'E001', 'reqs.md'),
    '# Requirements\n\nUsers sign in with a token.\n',
  );
  writeFileSync(join(folder, 'notes.md'), 'The queue is emptied at night.\n');
  writeFileSync(join(folder, 'build.js'), 'console.log("no document");\n');
  run('add', '.');
  run('commit', '--quiet', '-m', 'first');
  return { folder, run };
}

test('the store follows commits: what changed is indexed, what is gone is deleted, what is not committed is not there', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const { folder, run } = makeRepository();
  const store = await get_knowledge_store();
  assert.deepEqual(await followRepository(store, folder), { indexed: 2, deleted: 0, unchanged: 0 });
  const [found] = await store.search('how do users sign in?', 5, { type: 'spec', epic_id: 'E001' });
  assert.equal(found?.source, 'spec/epics/E001/reqs.md');
  assert.deepEqual(await followRepository(store, folder), { indexed: 0, deleted: 0, unchanged: 2 });
  writeFileSync(join(folder, 'draft.md'), 'Not committed.\n');
  renameSync(join(folder, 'notes.md'), join(folder, 'night.md'));
  run('add', 'notes.md', 'night.md');
  run('commit', '--quiet', '-m', 'renamed');
  assert.deepEqual(await followRepository(store, folder), { indexed: 1, deleted: 1, unchanged: 1 });
  assert.equal(await store.get_by_id('notes.md'), null);
  assert.equal(await store.get_by_id('draft.md'), null);
  assert.equal((await store.get_by_id('night.md'))?.content, 'The queue is emptied at night.\n');
  await store.close();
});

test('a run that failed in the middle is finished by the next one', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const { folder, run } = makeRepository();
  for (let i = 0; i < 60; i++) writeFileSync(join(folder, `n${i}.md`), `Number ${i}.\n`);
  run('add', '.');
  run('commit', '--quiet', '-m', 'many');
  const store = await get_knowledge_store();
  let batches = 0;
  const failing = new Proxy(store, {
    get: (target, name) => {
      if (name === 'index_documents') batches += 1;
      if (name === 'index_documents' && batches > 1)
        return () => Promise.reject(new Error('The power went.'));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  await assert.rejects(followRepository(failing, folder), /power/);
  assert.deepEqual(await followRepository(store, folder), { indexed: 12, deleted: 0, unchanged: 50 });
  for (const id of ['n0.md', 'n59.md', 'notes.md']) assert.ok(await store.get_by_id(id));
  await store.close();
});

test('a commit hook keeps the store in step, and a commit goes through while the backend is down', async () => {
  const { folder, run } = makeRepository();
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'opensearch', KNOWLEDGE_STORE_URL: 'http://127.0.0.1:1' });
  mkdirSync(join(folder, '.git', 'hooks'), { recursive: true });
  await installHooks(folder);
  await installHooks(folder);
  writeFileSync(join(folder, 'one.md'), 'The first commit.\n');
  run('add', 'one.md');
  run('commit', '--quiet', '-m', 'while the backend is down');
  // The hook's own store lies in the folder of the example; this one is the test's.
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const { HOME } = await import('../src/settings.js');
  const before = process.cwd();
  writeFileSync(join(folder, 'two.md'), 'The second commit is about lanterns.\n');
  run('add', 'two.md');
  run('commit', '--quiet', '-m', 'with a backend');
  process.chdir(HOME);
  const store = await get_knowledge_store();
  try {
    assert.equal((await store.search('lanterns', 1))[0]?.doc_id, 'two.md');
    assert.ok(await store.get_by_id('one.md'));
    rmSync(join(folder, 'one.md'));
    run('commit', '--quiet', '-am', 'gone');
    assert.equal(await store.get_by_id('one.md'), null);
  } finally {
    await store.close();
    rmSync(join(HOME, '.ragstone', 'knowledge', String(process.env.KNOWLEDGE_STORE_COLLECTION)), {
      recursive: true,
      force: true,
    });
    process.chdir(before);
  }
});

test('another backend is another value of KNOWLEDGE_STORE_BACKEND, and gets every document', {
  skip: (TEST_DATABASE_URL === undefined || TEST_CHROMA_PROGRAM === undefined) && 'no servers',
}, async () => {
  const { folder } = makeRepository();
  const chroma: ChromaServer = await startChroma(TEST_CHROMA_PROGRAM ?? '');
  try {
    for (const variables of [
      { KNOWLEDGE_STORE_BACKEND: 'embedded' },
      { KNOWLEDGE_STORE_BACKEND: 'pgvector', KNOWLEDGE_STORE_URL: TEST_DATABASE_URL ?? '' },
      { KNOWLEDGE_STORE_BACKEND: 'chroma', KNOWLEDGE_STORE_URL: `http://127.0.0.1:${chroma.port}` },
    ]) {
      chooseBackend(variables);
      const store = await get_knowledge_store();
      assert.deepEqual(await followRepository(store, folder), { indexed: 2, deleted: 0, unchanged: 0 });
      assert.equal((await store.search('how do users sign in?', 1))[0]?.doc_id, 'spec/epics/E001/reqs.md');
      await store.close();
    }
  } finally {
    await chroma.stop();
  }
});
