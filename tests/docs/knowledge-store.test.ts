import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/knowledge-store.md', import.meta.url), 'utf8');
const module = new URL('../../dist/compat/knowledge-store/index.js', import.meta.url).href;
const examples = [...page.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(
  ([, code = '', output = '']) => ({ code, output }),
);

test('every program of docs/knowledge-store.md is followed by what it prints', () => {
  expect(examples).toHaveLength(page.match(/```ts\n/g)?.length ?? 0);
  expect(examples.length).toBeGreaterThan(2);
});

test.each(examples)('example %#', async ({ code, output }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-docs-'));
  try {
    const program = join(folder, 'example.mjs');
    const named = code.replace("'ragstone/knowledge-store'", JSON.stringify(module));
    writeFileSync(program, transformSync(named, { loader: 'ts' }).code);
    const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('KNOWLEDGE_STORE_'));
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      cwd: folder,
      env: Object.fromEntries(variables),
    });
    expect(stdout).toBe(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the default port and collection of the page are those of the code', async () => {
  const { KnowledgeStoreConfig, KNOWLEDGE_STORE_VARIABLES } = await import(fileURLToPath(module));
  const config = new KnowledgeStoreConfig();
  for (const [setting, variable] of Object.entries(KNOWLEDGE_STORE_VARIABLES))
    expect(page).toMatch(
      new RegExp(
        `\\| \`${String(variable)}\` \\| \`${setting}\`[^|]*\\| \`${String(config[setting] ?? 'none')}\` \\|`,
      ),
    );
});
