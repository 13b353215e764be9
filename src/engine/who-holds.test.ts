import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { Embedder } from '../embedding/embedder.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { createEngine } from './create-engine.js';

test('who finds the index held by a push is told of a push, and of no command that nobody gave', async () => {
  let goOn = (): void => undefined;
  let hasBegun = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const embedder = createHashEmbedder({ dimensions: 8 });
  const waiting: Embedder = {
    ...embedder,
    countTokens: (text) => embedder.countTokens(text),
    doEmbed: async (...asked) => {
      hasBegun();
      await held;
      return embedder.doEmbed(...asked);
    },
    close: () => embedder.close(),
  };
  const cwd = temporaryFolder();
  const open = async () => {
    const engine = await createEngine({ cwd, embedder: waiting, config: { provider: 'libsql' } });
    onTestFinished(() => engine.close());
    return engine;
  };
  const [one, other] = [await open(), await open()];
  const push = one.push([{ id: 'a', text: 'The quokka.' }]);
  await begun;
  await expect(other.push([{ id: 'b', text: 'The wombat.' }])).rejects.toMatchObject({
    reason: 'INDEX_LOCKED',
    message: expect.stringMatching(/is being written by process \d+ on \S+ \(a push of documents, since /),
  });
  goOn();
  await push;
});
