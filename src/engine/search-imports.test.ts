import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SRC = dirname(dirname(fileURLToPath(import.meta.url)));
const STATIC_IMPORT = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)\.js';/gm;

/** Modules that are loaded with one, whatever is asked of it then. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const waiting = [join(SRC, entry)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(SRC, path);
    if (loaded.has(name)) continue;
    loaded.add(name);
    for (const [, module = ''] of readFileSync(path, 'utf8').matchAll(STATIC_IMPORT))
      waiting.push(join(dirname(path), `${module}.ts`));
  }
  return loaded;
}

test('a search loads nothing that only answers, runs, checks, moves and documents need', () => {
  const loaded = loadedWith('fleet/deployments/open-for-reading.ts');
  expect([...loaded]).toEqual(expect.arrayContaining(['searching/run-search.ts', 'engine/scoped-engine.ts']));
  const needless = [
    'answering/answer-question.ts',
    'context/neutralise.ts',
    'features/explain-miss/explain-miss.ts',
    'features/maintenance/verify-index.ts',
    'fleet/deployments/knowledge-deployment-service.ts',
    'fleet/deployments/move-tenant.ts',
    'indexing/run-index.ts',
    'resources/withheld-fields.ts',
    'searching/run-context.ts',
    'sources/walk-files.ts',
  ];
  expect(needless.filter((name) => !existsSync(join(SRC, name)))).toEqual([]);
  expect(needless.filter((name) => loaded.has(name))).toEqual([]);
});
