import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { waitFor } from '../../tests/wait-for.js';
import { type Runtime, SYSTEM_RUNTIME } from '../core/runtime.js';
import { keysOfVectors } from '../embedding/prune-vectors.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

const DOCUMENTS = [
  // Read in two parts.
  {
    id: 'logs.md',
    text: 'Audit logs are kept for a month, and for a year where a customer asks for it. '.repeat(5),
  },
  { id: 'kiln.md', text: 'A kiln is hot. Let it cool before you open it.' },
];

async function openIndex(
  model: string,
): Promise<{ readonly engine: Engine; readonly vectors: () => number }> {
  const cwd = temporaryFolder();
  const config = { provider: 'libsql' as const, retrieval: { rerank: { model } } };
  // Ten seconds of rest take a tenth of one.
  const runtime: Runtime = {
    ...SYSTEM_RUNTIME,
    setTimer: (callback, milliseconds, options) =>
      SYSTEM_RUNTIME.setTimer(callback, milliseconds / 100, options),
  };
  const engine = await createEngine({ config, cwd, runtime });
  onTestFinished(() => engine.close());
  return { engine, vectors: () => keysOfVectors(join(cwd, '.ragstone/cache/embeddings')).length };
}

test('what is indexed is read while nobody searches, once, and what is forgotten is read no more', async () => {
  const { engine, vectors } = await openIndex('reader');
  await engine.index({ documents: DOCUMENTS });
  await waitFor(() => expect(vectors()).toBe(3));
  expect((await engine.search('how long are logs kept?')).results[0]?.content).toContain('Audit logs');
  expect(vectors()).toBe(3);
  await engine.forget({ documents: ['kiln.md'] });
  expect(vectors()).toBe(2);
});

test('the built-in reranker keeps nothing', async () => {
  const { engine, vectors } = await openIndex('builtin');
  await engine.index({ documents: DOCUMENTS });
  await engine.search('how long are logs kept?');
  expect(vectors()).toBe(0);
});
