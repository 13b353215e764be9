import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import type { VectorStore } from '../../src/index.js';
import { testVectorStore } from '../../src/testing/index.js';

const page = readFileSync(new URL('../../docs/own-parts.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ragstone-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The store alone, without the program that uses it.
const [, storeCode = ''] =
  /```ts\n((?:(?!```)[\s\S])*createMapStore[\s\S]*?)^const store = /m.exec(page) ?? [];
const path = join(folder, 'map-store.ts');
const index = JSON.stringify(new URL('../../src/index.ts', import.meta.url).href);
writeFileSync(path, storeCode.replaceAll("'ragstone'", index));
const { createMapStore }: { readonly createMapStore: () => VectorStore } = await import(path);

testVectorStore({
  name: 'the store of docs/own-parts.md',
  runner: { describe, it },
  create: async () => ({ store: createMapStore() }),
});
