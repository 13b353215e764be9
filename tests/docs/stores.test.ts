import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.js';
import { BUILT_PROVIDERS } from '../../src/config/schema/storage.js';

const page = readFileSync(new URL('../../docs/stores.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml);

test.each(examples)('the configuration %j of docs/stores.md is accepted', async (yaml) => {
  const { rag } = await loadConfig({ config: parse(yaml) as never, env: { PINECONE_API_KEY: 'key' } });
  expect(page).toContain(`\`${rag.provider}\``);
});

test('every store that can be chosen is in the table and has a line of configuration', () => {
  const configured = examples.map((yaml) => (parse(yaml) as { rag: { provider: string } }).rag.provider);
  for (const provider of BUILT_PROVIDERS) {
    expect(page).toMatch(new RegExp(`^\\| .*\`${provider}\``, 'm'));
    if (provider !== 'faiss') expect(configured).toContain(provider);
  }
});
