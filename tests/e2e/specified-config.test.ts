import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IndexResult, SearchResponse } from '../../src/index.js';
import { documentOf, type ErrorDocument, ragstoneJson, spawnRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

const SEEDS = new URL('../../../shared/seeds/', import.meta.url);
const FIXTURES = new URL('../fixtures/pbi/run-1/', import.meta.url);

/** The configuration of the specification, as it stands there. */
function seedYaml(): string | undefined {
  if (!existsSync(SEEDS)) return undefined;
  const name = readdirSync(SEEDS).find((file) => file.startsWith('000_'));
  const text = name === undefined ? '' : readFileSync(new URL(name, SEEDS), 'utf8');
  return /### 5\.1 [^\n]*\n+```yaml\n([\s\S]*?)```/.exec(text)?.[1];
}

const yaml = seedYaml();
if (yaml === undefined) console.warn("the seed's configuration is skipped: shared/seeds is absent");

describe.skipIf(yaml === undefined)('the configuration of the specification, unchanged', () => {
  const cwd = sharedFolder({
    'config/rag-config.yaml': yaml ?? '',
    'docs/retries.md':
      '---\ntitle: On retries\ntags: [queues]\n---\n# Retries\n\nA failed request is retried.\n',
    'docs/CHANGELOG.md': '# Not this one\n',
    'README.md': '# Read me\n\nHow to begin.\n',
    ...Object.fromEntries(
      readdirSync(FIXTURES).map((name) => [`output/run-1/${name}`, readFileSync(new URL(name, FIXTURES))]),
    ),
  });

  test('config check accepts it and lists what is not active', async () => {
    const { code, document } = await ragstoneJson<{
      ok: boolean;
      notActive: { setting: string }[];
    }>(['config', 'check'], { cwd, env: { RAG_PROVIDER: 'libsql' } });
    expect(code).toBe(0);
    expect(document.ok).toBe(true);
    const settings = document.notActive.map(({ setting }) => setting);
    expect(settings.sort()).toEqual([
      'rag.retrieval.maxDistance',
      // Both are disabled.
      'rag.sources[2]',
      'rag.sources[3]',
      'rag.storage.cloud',
      // The variable chose another one.
      'rag.storage.local.type',
    ]);
  });

  test('its local Chroma is not installed: index ends with 2 and says what to install', async () => {
    // Only Node itself is found.
    const env = { PATH: dirname(process.execPath) };
    const check = await spawnRagstone(['config', 'check', '--json'], { cwd, env });
    expect(check.code).toBe(2);
    expect(documentOf(check)).toMatchObject({
      ok: false,
      missing: expect.arrayContaining([
        { setting: 'rag.provider', problem: expect.stringContaining('`chroma` is not in PATH'), stops: true },
      ]),
    });
    const indexed = await spawnRagstone(['index', '--json'], { cwd, env });
    expect(indexed.code).toBe(2);
    expect(documentOf<ErrorDocument>(indexed).error).toMatchObject({
      reason: 'PACKAGE_MISSING',
      message: expect.stringContaining('chroma'),
    });
  });

  test.each(['lancedb', 'libsql'])(
    'with RAG_PROVIDER=%s index and search run; the built-in reranker stands in for the missing one',
    async (provider) => {
      const options = { cwd, env: { RAG_PROVIDER: provider } };
      const data = ['--data', `data-${provider}`];
      const env = { ...options.env, VECTOR_DB_PATH: `./db-${provider}` };
      const indexed = await ragstoneJson<IndexResult>(['index', ...data], { cwd, env });
      expect(indexed).toMatchObject({ code: 0, document: { success: true, stats: { errors: [] } } });
      const search = async (query: string, ...args: string[]) =>
        (
          await ragstoneJson<SearchResponse>(['search', query, '--min-similarity', '0', ...args, ...data], {
            cwd,
            env,
          })
        ).document;
      const pbis = await search('resume an interrupted upload');
      expect(pbis.degradationLevel).toBe(0);
      expect(pbis.notices).toContainEqual(expect.stringContaining('The built-in reranker took its place.'));
      expect(pbis.results[0]?.metadata).toMatchObject({ sourceType: 'pbi', category: 'historical' });
      const item =
        'Uploads continue after a lost connection. An engineer in the field must not begin an upload anew.';
      const linked = await ragstoneJson<SearchResponse>(['search', item, ...data], { cwd, env });
      expect(linked.document.results[0]?.content).toContain('Resume interrupted uploads');
      expect(linked.document.results[0]?.score).toBeGreaterThan(0.7);
      const documents = await search(
        'retried request',
        '--source-type',
        'documentation',
        '--filter',
        'tags=queues',
      );
      expect(documents.results.map(({ metadata }) => metadata.source)).toEqual(['docs/retries.md']);
      expect(documents.results[0]?.metadata).toMatchObject({ title: 'On retries', category: 'reference' });
    },
  );
});
