import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { factsOf, PROVIDER_NAMES, splitModelName } from './provider-table.js';

const { devDependencies } = z
  .object({ devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));

describe('PROVIDERS', () => {
  it('tells to install what the package was tested with', () => {
    for (const name of PROVIDER_NAMES) {
      const { install } = factsOf(name);
      if (install === undefined) continue;
      const at = install.lastIndexOf('@');
      expect(devDependencies[install.slice(0, at)], name).toBe(install.slice(at + 1));
    }
  });

  it.each([
    ['openai:gpt-5', { provider: 'openai', model: 'gpt-5' }],
    ['ollama:qwen3:8b', { provider: 'ollama', model: 'qwen3:8b' }],
    ['openai:', undefined],
    ['transformers:x', undefined],
    ['C:\\models\\x', undefined],
    ['constructor:x', undefined],
    ['gpt-5', undefined],
  ])('%s', (stated, expected) => {
    expect(splitModelName(stated)).toEqual(expected);
  });
});
