import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { createChatModelFor } from './open-chat-model.js';
import { resolveHostedModel } from './resolve-provider.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-provider-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configure = (config: RAGSettingsInput, environment: Record<string, string> = {}) =>
  loadConfig({ config, cwd: folder, env: environment });

async function fromFile(text: string, environment: Record<string, string> = {}) {
  await writeFile(join(folder, 'ragstone.yaml'), text);
  return loadConfig({ trust: true, cwd: folder, env: environment });
}

const key = 'rag.chat.model';
const REFERENCE = '$' + '{OUR_KEY}';

describe('resolveHostedModel', () => {
  it("takes the key from the provider's usual variable, or from a reference of the file", async () => {
    const usual = await configure({}, { ANTHROPIC_API_KEY: 'k1' });
    const resolved = resolveHostedModel('anthropic:claude-haiku-4-5-20251001', 'chat', {
      config: usual,
      key,
    });
    expect(resolved).toEqual({
      model: 'claude-haiku-4-5-20251001',
      connection: { provider: 'anthropic', apiKey: 'k1' },
    });
    const text = `rag:\n  chat:\n    model: openai:gpt-5\n  modelProviders:\n    openai:\n      apiKey: ${REFERENCE}\n`;
    const file = await fromFile(text, { OUR_KEY: 'k2', OPENAI_API_KEY: 'k3' });
    expect(resolveHostedModel('openai:gpt-5', 'chat', { config: file, key }).connection.apiKey).toBe('k2');
    expect(JSON.stringify(file.rag)).not.toContain('k2"');
  });

  it('refuses a key that stands in the file, without repeating it', async () => {
    const text = 'rag:\n  modelProviders:\n    openai:\n      apiKey: sk-in-the-file\n';
    const config = await fromFile(text);
    const attempt = (): unknown => resolveHostedModel('openai:gpt-5', 'chat', { config, key });
    expect(attempt).toThrow(/\$\{OPENAI_API_KEY\}/);
    expect(attempt).not.toThrow(/sk-in-the-file/);
  });

  it('asks for a variable only where its provider is used', async () => {
    const providers = `modelProviders:\n    openai:\n      apiKey: ${REFERENCE}\n`;
    await expect(fromFile(`rag:\n  ${providers}`)).resolves.toBeDefined();
    await expect(fromFile(`rag:\n  chat:\n    model: openai:gpt-5\n  ${providers}`)).rejects.toMatchObject({
      reason: 'SECRET_MISSING',
      message: expect.stringContaining('OUR_KEY'),
    });
  });

  it.each([
    ['cohere:command-r', 'chat', {}, /provider:model/],
    ['jina:jina-embeddings-v3', 'embedding', {}, /provider:model/],
    ['nonsense', 'chat', {}, /provider:model/],
    ['openai-compatible:x', 'chat', {}, /baseUrl/],
    ['azure:gpt', 'chat', { AZURE_OPENAI_API_KEY: 'k' }, /resourceName/],
    ['openai:gpt-5', 'chat', {}, /OPENAI_API_KEY/],
  ] as const)('%s for %s is refused with what to set', async (stated, role, environment, remedy) => {
    const config = await configure({}, environment);
    expect(() => resolveHostedModel(stated, role, { config, key })).toThrow(remedy);
  });

  it('needs no key for a server of the own', async () => {
    const config = await configure({});
    expect(resolveHostedModel('ollama:llama3.2', 'chat', { config, key }).connection).toEqual({
      provider: 'ollama',
      baseUrl: 'http://localhost:11434/v1',
    });
  });
});

describe('createChatModelFor', () => {
  it('is undefined where none is configured, and opens without a request where one is', async () => {
    expect(await createChatModelFor(await configure({}))).toBeUndefined();
    const model = 'anthropic:claude-haiku-4-5-20251001';
    const chatModel = await createChatModelFor(
      await configure({ chat: { model } }, { ANTHROPIC_API_KEY: 'k' }),
    );
    expect(chatModel).toMatchObject({ id: model, contextWindow: 200_000 });
    await chatModel?.close();
  });

  it('sends neither price nor window of rag.chat to another model', async () => {
    const config = await configure({
      chat: { model: 'ollama:a', contextWindow: 1000, price: { input: 9, output: 9 } },
    });
    const own = await createChatModelFor(config);
    const other = await createChatModelFor(config, { model: 'ollama:b', key: 'x' });
    expect([own?.contextWindow, other?.contextWindow]).toEqual([1000, 4096]);
    expect(own?.priceOf?.({ inputTokens: 1e6, outputTokens: 0 })).toBe(9);
    expect(other?.priceOf?.({ inputTokens: 1e6, outputTokens: 0 })).toBe(0);
  });
});
