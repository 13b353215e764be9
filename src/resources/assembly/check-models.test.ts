import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { type LoadConfigOptions, loadConfig } from '../../config/load-config.js';
import { checkModels } from './check-models.js';

const check = async (
  overrides: LoadConfigOptions['overrides'],
  environment: NodeJS.ProcessEnv = {},
): Promise<string[]> =>
  checkModels(
    await loadConfig({ cwd: temporaryFolder(), env: environment, ...(overrides && { overrides }) }),
  );

describe('models that a configuration names', () => {
  test('the defaults need nothing', async () => {
    expect(await check({})).toEqual([]);
  });

  test('a missing key of the language model or of the reranker is a notice: work goes on without them', async () => {
    expect(await check({ chat: { model: 'openai:gpt-5-mini' } })).toEqual([
      expect.stringContaining('OPENAI_API_KEY'),
    ]);
    expect(await check({ retrieval: { rerank: { model: 'cohere:rerank-v3.5' } } })).toEqual([
      expect.stringContaining('COHERE_API_KEY'),
    ]);
    expect(await check({ retrieval: { rerank: { model: 'llm:openai:gpt-5-mini' } } })).toEqual([
      expect.stringContaining('OPENAI_API_KEY'),
    ]);
  });

  test('with the key there is nothing to say; a reranker that is off is not looked at', async () => {
    expect(await check({ chat: { model: 'openai:gpt-5-mini' } }, { OPENAI_API_KEY: 'k' })).toEqual([]);
    expect(await check({ retrieval: { rerank: { enabled: false, model: 'cohere:x' } } })).toEqual([]);
  });

  test.each([
    ['a name without a provider', { chat: { model: 'gpt' } }, 'CONFIG_INVALID'],
    ['a provider without language models', { chat: { model: 'cohere:x' } }, 'CONFIG_INVALID'],
    ['contexts without a language model', { indexing: { contextual: { enabled: true } } }, 'CONFIG_INVALID'],
    [
      'contexts whose model has no key',
      { indexing: { contextual: { enabled: true, model: 'openai:gpt-5-mini' } } },
      'SECRET_MISSING',
    ],
    ['an embedding model without its key', { embedding: { model: 'openai:x' } }, 'SECRET_MISSING'],
  ])('%s is refused', async (_, overrides, reason) => {
    await expect(check(overrides)).rejects.toMatchObject({ reason });
  });
});
