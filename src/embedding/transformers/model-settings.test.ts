import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readModelSettings } from './model-settings.js';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'onnx-model-'));
});
afterAll(() => rm(parent, { recursive: true }));

const WHOLE: Readonly<Record<string, string>> = {
  'config.json': JSON.stringify({ hidden_size: 8, max_position_embeddings: 512 }),
  'tokenizer.json': '{"truncation":{"max_length":128}}',
  'tokenizer_config.json': '{"model_max_length":512}',
  'onnx/model_quantized.onnx': 'network',
};

async function modelFolder(files: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
  const folder = await mkdtemp(join(parent, 'model-'));
  for (const [name, content] of Object.entries({ ...WHOLE, ...files })) {
    if (content === undefined) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

describe('readModelSettings', () => {
  it('takes the length the model was trained with, not those of its tokenizer', async () => {
    const folder = await modelFolder({ 'sentence_bert_config.json': '{"max_seq_length":256}' });
    expect((await readModelSettings(folder)).maxInputTokens).toBe(256);
    expect((await readModelSettings(folder, { maxInputTokens: 100 })).maxInputTokens).toBe(100);
    expect((await readModelSettings(await modelFolder())).maxInputTokens).toBe(512);
  });

  it('refuses a length that the network cannot read, or none at all', async () => {
    const folder = await modelFolder();
    const tooLong = readModelSettings(folder, { maxInputTokens: 513 });
    await expect(tooLong).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('512'),
    });
    const silent = await modelFolder({ 'config.json': '{"hidden_size":8}' });
    await expect(readModelSettings(silent)).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
  });

  it.each([
    ['mean', { pooling_mode_mean_tokens: true }],
    ['cls', { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }],
    ['last-token', { pooling_mode_lasttoken: true }],
  ])('reads %s pooling', async (pooling, config) => {
    const folder = await modelFolder({ '1_Pooling/config.json': JSON.stringify(config) });
    expect((await readModelSettings(folder)).pooling).toBe(pooling);
    expect((await readModelSettings(folder, { pooling: 'cls' })).pooling).toBe('cls');
  });

  it('refuses a pooling or a layer that it does not know', async () => {
    const pooling = await modelFolder({ '1_Pooling/config.json': '{"pooling_mode_max_tokens":true}' });
    await expect(readModelSettings(pooling)).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
    const dense = await modelFolder({
      'modules.json': JSON.stringify([{ type: 'sentence_transformers.models.Dense' }]),
    });
    await expect(readModelSettings(dense)).rejects.toThrow(/Dense/);
  });

  it('prefers the quantised network, and takes another where asked or where there is no other', async () => {
    const both = await modelFolder({ 'onnx/model.onnx': 'full', 'onnx/model.onnx_data': 'weights' });
    expect((await readModelSettings(both)).onnx.dtype).toBe('q8');
    expect((await readModelSettings(both, { dtype: 'fp32' })).onnx).toEqual({
      dtype: 'fp32',
      files: [join('onnx', 'model.onnx'), join('onnx', 'model.onnx_data')],
    });
    const full = await modelFolder({ 'onnx/model_quantized.onnx': undefined, 'onnx/model.onnx': 'full' });
    expect((await readModelSettings(full)).onnx.dtype).toBe('fp32');
    await expect(readModelSettings(full, { dtype: 'q4' })).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringContaining('there is fp32'),
    });
  });

  it.each(Object.keys(WHOLE))('says that %s is missing', async (file) => {
    const folder = await modelFolder({ [file]: undefined });
    await expect(readModelSettings(folder)).rejects.toMatchObject({ reason: 'MODEL_NOT_FOUND' });
  });

  it('changes its revision with the content of network, configuration or tokenizer alone', async () => {
    const { revision } = await readModelSettings(await modelFolder());
    expect((await readModelSettings(await modelFolder())).revision).toBe(revision);
    expect((await readModelSettings(await modelFolder({ 'README.md': 'hello' }))).revision).toBe(revision);
    for (const [file, content] of [
      ['onnx/model_quantized.onnx', 'other'],
      ['config.json', '{"hidden_size":9,"max_position_embeddings":512}'],
      ['tokenizer.json', '{}'],
    ] as const) {
      expect((await readModelSettings(await modelFolder({ [file]: content }))).revision).not.toBe(revision);
    }
  });
});
