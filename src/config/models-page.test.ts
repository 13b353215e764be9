import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { factsOf, PROVIDER_NAMES } from '../platform/providers/provider-table.js';
import { loadConfig } from './load-config.js';

const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');
const exampleSchema = z.looseObject({ rag: z.looseObject({}) });

describe('docs/models.md', () => {
  it.each(examples)('an example that the configuration takes: %s', async (text) => {
    const config = exampleSchema.parse(parse(text));
    const loaded = await loadConfig({ config, env: { OUR_OPENAI_KEY: 'k' } });
    expect(loaded.notActive).toEqual([]);
  });

  it('names every provider with its variables and its package', () => {
    expect(examples.length).toBeGreaterThan(3);
    for (const name of PROVIDER_NAMES) {
      const { keyVariables, install } = factsOf(name);
      const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``)) ?? '';
      expect(row, name).toContain(install ?? 'none');
      if (keyVariables[0] !== undefined) expect(row).toContain(keyVariables[0]);
    }
  });
});
