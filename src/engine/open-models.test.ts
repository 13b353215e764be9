import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { ScriptedChatModel } from '../answering/test-answering.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { openModels } from './open-models.js';

describe('models without an index', () => {
  test('the built-in ones embed and compare, and there is no language model where none is named', async () => {
    const models = await openModels({ config: {}, cwd: temporaryFolder() });
    onTestFinished(() => models.close());
    const { model, dimensions, vectors } = await models.embed({ texts: ['cats', 'dogs', 'cats'] });
    expect([model, vectors.length, vectors[0]?.length]).toEqual(['builtin', 3, dimensions]);
    expect(vectors[2]).toEqual(vectors[0]);
    const [near = 0, far = 1] = await models.similarity('cats', ['a cat', 'the invoice']);
    expect(near).toBeGreaterThan(far);
    expect(await models.chatModel()).toBeUndefined();
  });

  test('those that are handed in are used', async () => {
    const chatModel = new ScriptedChatModel('Yes.');
    const embedder = createHashEmbedder();
    const models = await openModels({ config: {}, cwd: temporaryFolder(), chatModel, embedder });
    onTestFinished(() => models.close());
    expect((await models.embed({ texts: ['a'] })).dimensions).toBe(embedder.dimensions);
    expect((await models.chatModel())?.id).toBe(chatModel.id);
  });

  test('a configuration is refused as by an engine', async () => {
    await expect(openModels({ config: { nonsense: 1 } as never })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
    const models = await openModels({ config: {}, cwd: temporaryFolder() });
    onTestFinished(() => models.close());
    await expect(models.embed({ texts: [1] } as never)).rejects.toMatchObject({ reason: 'USAGE' });
  });
});
