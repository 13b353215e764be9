import './embedded.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeProject } from './project.js';
import { runProgram } from './run-chef.js';

test('rag index, search, status and clear are commands of the program that mounts them', async () => {
  const { folder } = makeProject();
  const rag = (...args: string[]) => runProgram(['chef.ts', 'rag', ...args], { folder });
  assert.equal((await rag('index', '--quiet')).code, 0);
  const found = await rag('search', 'charged twice after an interrupted payment', '--json', '--top-k', '1');
  const { results } = JSON.parse(found.stdout) as { results: { metadata: { pbi_id?: string } }[] };
  assert.equal(results.length, 1);
  const status = JSON.parse((await rag('status', '--json')).stdout) as { documents: number };
  assert.equal(status.documents, 60);
  assert.equal((await rag('clear', '--yes')).code, 0);
});

test('a configuration that connects to services is not used before somebody trusts it', async () => {
  const { folder } = makeProject();
  const { code, stderr } = await runProgram(['chef.ts', 'rag', 'index'], {
    folder,
    env: { RAGSTONE_TRUST: '' },
  });
  assert.notEqual(code, 0);
  assert.match(stderr, /trust/);
});
