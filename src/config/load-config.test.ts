// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of a configuration, not of a template.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RAGError } from '../core/errors.js';
import { MASK, Secret } from '../core/secret.js';
import { describeConfig } from './describe-config.js';
import { type LoadConfigOptions, loadConfig } from './load-config.js';
import type { ResolvedConfig } from './resolved-config.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-config-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(text: string, name = 'ragstone.yaml'): Promise<void> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const load = (options: LoadConfigOptions = {}): Promise<ResolvedConfig> =>
  loadConfig({ cwd: folder, env: {}, trust: true, ...options });

async function loadText(text: string, env: Record<string, string> = {}): Promise<ResolvedConfig> {
  await write(text);
  return load({ env });
}

async function refusal(work: Promise<unknown>): Promise<RAGError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!RAGError.isInstance(outcome)) throw new Error('the configuration was not refused', { cause: outcome });
  return outcome;
}

describe('where a configuration is found', () => {
  test('without a file the defaults hold', async () => {
    const config = await load();
    expect(config.file).toBeUndefined();
    expect(config.rag).toMatchObject({
      provider: 'auto',
      retrieval: { topK: 5 },
      embedding: { model: 'builtin' },
    });
    expect(config.dataDir).toBe(join(folder, '.ragstone'));
  });

  test('config/rag-config.yaml goes before ragstone.yaml, and its paths start beside its folder', async () => {
    await write('rag_top_k: 1\n');
    await write('rag_top_k: 2\nrag:\n  storage: { local: { path: ./db } }\n', 'config/rag-config.yaml');
    const config = await load();
    expect(config.rag.retrieval.topK).toBe(2);
    expect(config.projectRoot).toBe(folder);
    expect(config.rag.storage.local.path).toBe(join(folder, 'db'));
  });

  test('a file that is named and not there is refused', async () => {
    expect((await refusal(load({ file: 'nowhere.yaml' }))).reason).toBe('CONFIG_NOT_FOUND');
  });

  test('an object is the content of rag, or a whole file', async () => {
    expect((await load({ config: { retrieval: { topK: 3 } } })).rag.retrieval.topK).toBe(3);
    expect((await load({ config: { rag: { retrieval: { topK: 4 } } } })).rag.retrieval.topK).toBe(4);
    expect((await load({ config: { rag_top_k: 6 } })).rag.retrieval.topK).toBe(6);
  });

  test('overrides go over the file, flat keys included', async () => {
    await write('rag_top_k: 2\nrag:\n  retrieval: { minSimilarity: 0.4 }\n');
    const config = await load({ overrides: { retrieval: { topK: 9 } } });
    expect(config.rag.retrieval).toMatchObject({ topK: 9, minSimilarity: 0.4 });
    expect(config.origins.get('rag.retrieval.topK')).toEqual({ kind: 'option' });
  });
});

describe('what is refused, and where', () => {
  test.each([
    ['an unknown key', 'rag:\n  retrieval:\n    topk: 5\n', 3, 5, 'Did you mean "topK"?'],
    ['an unknown key at the root', 'rga:\n  enabled: true\n', 1, 1, 'Did you mean "rag"?'],
    ['a key one level too high', 'provider: lancedb\n', 1, 1, 'Did you mean "rag.provider"?'],
    [
      'an unknown key of a source',
      'rag:\n  sources:\n    - name: a\n      type: markdown\n      paths: [x]\n      exlude: [y]\n',
      6,
      7,
      'Did you mean "exclude"?',
    ],
    [
      'an unknown key below a name of a list',
      'rag:\n  modelProviders: { openai: { apiKy: x } }\n',
      2,
      31,
      'Did you mean "apiKey"?',
    ],
    [
      'a text for a number',
      'rag:\n  retrieval:\n    topK: "5"\n',
      3,
      11,
      'must be a number, not the text "5"',
    ],
    ['a list for a text', 'rag:\n  embedding:\n    model: [a]\n', 3, 12, 'must be a text, not a list'],
    [
      'a fraction for a whole number',
      'rag: { retrieval: { topK: 1.5 } }\n',
      1,
      27,
      'must be a whole number, not 1.5',
    ],
    [
      'a number out of range',
      'rag: { retrieval: { minSimilarity: 2 } }\n',
      1,
      36,
      'must be at most 1, not 2',
    ],
    ['an unknown name', 'rag:\n  provider: lancdb\n', 2, 13, 'Did you mean "lancedb"?'],
    [
      'an unknown source type',
      'rag:\n  sources: [{ name: a, type: markdwn }]\n',
      2,
      30,
      'Did you mean "markdown"?',
    ],
    [
      'a source without paths',
      'rag:\n  sources:\n    - name: a\n      type: markdown\n',
      3,
      7,
      'paths is missing',
    ],
    [
      'two sources of one name',
      'rag:\n  sources:\n    - { name: a, type: markdown, paths: [x] }\n    - { name: a, type: markdown, paths: [y] }\n',
      4,
      15,
      'names must differ',
    ],
    ['a key that stands twice', 'rag:\n  enabled: true\n  enabled: false\n', 3, 3, 'stands twice'],
    ['a tab', 'rag:\n\tenabled: true\n', 2, 1, 'tab'],
    ['broken YAML', 'rag: [1\n', 2, 1, 'Not valid YAML'],
    [
      'a bare reference between braces',
      `rag:\n  storage: { server: { url: \${STORE_URL} } }\n`,
      2,
      30,
      'needs quotes',
    ],
    ['several documents', 'rag: {}\n---\nrag: {}\n', 2, 1, 'several YAML documents'],
    ['a list', '- rag\n', 1, 1, 'block of settings'],
    ['an alias of itself', 'rag: &a\n  sources: [*a]\n', 2, 13, 'levels deep'],
    ['a reference that is not closed', 'rag:\n  provider: "${A:-x"\n', 2, 13, 'lacks its closing brace'],
    ['two spellings of one setting', 'rag_top_k: 1\nrag: { retrieval: { topK: 2 } }\n', 1, 1, 'same setting'],
    [
      'sizes that contradict each other',
      'rag:\n  chunking: { minSize: 9, maxSize: 5 }\n',
      2,
      13,
      'minSize (9)',
    ],
  ])('%s', async (_, text, line, column, message) => {
    const error = await refusal(loadText(text));
    expect(error.reason).toBe('CONFIG_INVALID');
    expect(error.message).toContain(message);
    expect(error.message).toContain(`ragstone.yaml:${line}:${column}: `);
    expect(error.details).toMatchObject({ line, column });
  });

  test('an alias bomb', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]`,
    );
    const error = await refusal(loadText(['l0: &l0 [x]', ...levels].join('\n')));
    expect(error.message).toContain('aliases');
  });

  test('all problems at once, in the order of the file', async () => {
    const error = await refusal(loadText('rag:\n  provder: a\n  retrieval:\n    topK: x\n'));
    expect(error.details.problems).toHaveLength(2);
    expect(error.message.split('\n')[0]).toContain(':2:3:');
  });

  test('a file that is not UTF-8', async () => {
    await writeFile(join(folder, 'ragstone.yaml'), new Uint8Array([0x72, 0xff, 0xfe]));
    expect((await refusal(load())).message).toContain('is not UTF-8');
  });
});

describe('variables', () => {
  test('a text of the environment becomes the truth value or number that is wanted', async () => {
    const text = 'rag:\n  enabled: ${ON}\n  retrieval: { topK: "${K:-7}", minSimilarity: "${MIN}" }\n';
    const { rag, origins } = await loadText(text, { ON: 'FALSE', MIN: '.25' });
    expect(rag.enabled).toBe(false);
    expect(rag.retrieval).toMatchObject({ topK: 7, minSimilarity: 0.25 });
    expect(origins.get('rag.enabled')).toEqual({ kind: 'environment', variables: ['ON'] });
    expect(origins.get('rag.retrieval.topK')).toMatchObject({ kind: 'file', defaulted: ['K'] });
  });

  test('a text of the environment that is no number is refused', async () => {
    const error = await refusal(loadText('rag:\n  retrieval:\n    topK: ${K}\n', { K: 'many' }));
    expect(error.message).toContain(':3:11: rag.retrieval.topK must be a number, not what K holds');
  });

  test('a value cannot become YAML', async () => {
    const { rag } = await loadText('rag:\n  embedding: { model: "${M}" }\n', {
      M: 'x }\n  provider: memory # ${HOME}',
    });
    expect(rag.embedding.model).toBe('x }\n  provider: memory # ${HOME}');
    expect(rag.provider).toBe('auto');
  });

  test('one text with commas is a list, braces kept whole', async () => {
    const text = 'rag:\n  sources:\n    - { name: a, type: markdown, paths: "${P}" }\n';
    const { rag } = await loadText(text, { P: 'docs/{a,b}/*.md, README.md' });
    expect(rag.sources[0]).toMatchObject({ paths: ['docs/{a,b}/*.md', 'README.md'] });
  });

  test('one that is not set stops where its value is used, naming variable, key and place', async () => {
    const error = await refusal(loadText('rag:\n  embedding:\n    model: ${MODEL}\n'));
    expect(error.reason).toBe('SECRET_MISSING');
    expect(error.message).toMatch(/ragstone\.yaml:3:12: rag\.embedding\.model needs .* MODEL/);
  });

  test('one that is not set is no matter in a disabled source or an unused hosted store', async () => {
    const text = [
      'rag:',
      '  provider: memory',
      '  storage: { cloud: { type: pinecone, apiKey: "${NO_KEY:?ask the admin}" } }',
      '  sources:',
      '    - { name: a, type: markdown, enabled: "${ON:-false}", paths: "${NO_PATHS}" }',
    ].join('\n');
    expect((await loadText(text)).rag.sources).toHaveLength(1);
    const { unset } = await loadText(text, { ON: 'true' });
    expect(unset?.get(0)?.message).toContain('NO_PATHS');
    const chosen = await refusal(loadText(text.replace('memory', 'pinecone')));
    expect(chosen.message).toContain('ask the admin');
  });
});

describe('a variable of the service that is not set', () => {
  test('stops the service alone, of which nothing is left that a command could take for its settings', async () => {
    const text = [
      'rag:',
      '  server:',
      '    host: 0.0.0.0',
      '    jwt: { issuer: "https://id.example/", audience: a, jwksUrl: "${JWKS_URL}", algorithms: [RS256] }',
    ].join('\n');
    const { rag, unset } = await loadText(text);
    expect(unset?.get('server')).toMatchObject({
      reason: 'SECRET_MISSING',
      message: expect.stringContaining('JWKS_URL'),
    });
    expect(rag.server.host).toBe('127.0.0.1');
  });
});

describe('values', () => {
  test('weights are shares, or percentages', async () => {
    const weightsOf = async (semantic: number, keyword: number) =>
      (await load({ config: { retrieval: { hybrid: { weights: { semantic, keyword } } } } })).rag.retrieval
        .hybrid;
    expect(await weightsOf(70, 30)).toEqual({ weights: { semantic: 0.7, keyword: 0.3 } });
    expect(await weightsOf(0.7, 0.3)).toEqual({ weights: { semantic: 0.7, keyword: 0.3 } });
    expect((await refusal(weightsOf(0, 0))).message).toContain('must not both be 0');
  });

  test("'\\n' in splitOn is a newline, however it is quoted", async () => {
    const { rag } = await loadText(`rag:\n  chunking:\n    splitOn: ['\\n\\n', "\\n", '\\t', ', ']\n`);
    expect(rag.chunking.splitOn).toEqual(['\n\n', '\n', '\t', ', ']);
  });

  test('rag_embedding_model and rag_top_k, at the root of a file', async () => {
    const { rag, origins } = await loadText('rag_embedding_model: all-MiniLM-L6-v2\nrag_top_k: 7\n');
    expect(rag.embedding.model).toBe('all-MiniLM-L6-v2');
    expect(rag.retrieval.topK).toBe(7);
    expect(origins.get('rag.retrieval.topK')).toMatchObject({ kind: 'file', position: { line: 2 } });
  });

  test('a section whose settings are all commented out is not there', async () => {
    expect((await loadText('rag:\n  retrieval:\n  # topK: 3\n')).rag.retrieval.topK).toBe(5);
  });
});

describe('secrets', () => {
  const text =
    'rag:\n  storage:\n    cloud: { type: pinecone, apiKey: "${KEY}", environment: "https://me:pw@host/x" }\n';

  test('are masked wherever they would be printed', async () => {
    const config = await loadText(text, { KEY: 'very-secret' });
    const key = config.rag.storage.cloud?.apiKey;
    expect(key).toBeInstanceOf(Secret);
    expect(key?.reveal()).toBe('very-secret');
    for (const printed of [JSON.stringify(config.rag), inspect(config.rag, { depth: 9 }), String(key)])
      expect(printed).not.toContain('very-secret');
  });

  test('are masked in config show, with their origin', async () => {
    const { settings } = describeConfig(await loadText(text, { KEY: 'very-secret' }));
    const byKey = new Map(settings.map((setting) => [setting.key, setting]));
    expect(byKey.get('rag.storage.cloud.apiKey')).toEqual({
      key: 'rag.storage.cloud.apiKey',
      value: MASK,
      origin: 'environment',
      detail: 'KEY',
    });
    expect(byKey.get('rag.storage.cloud.environment')?.value).toBe(`https://${MASK}@host/x`);
    expect(byKey.get('rag.retrieval.topK')).toEqual({
      key: 'rag.retrieval.topK',
      value: 5,
      origin: 'default',
    });
    expect(byKey.get('rag.storage.cloud.type')?.origin).toBe('file');
  });

  test('are not in the error that refuses them', async () => {
    const error = await refusal(loadText('rag:\n  storage: { cloud: { apiKey: 12345678 } }\n'));
    expect(error.message).toContain('apiKey must be a text');
    expect(error.message).not.toContain('12345678');
  });
});

const SEED = new URL('../../../shared/seeds/000_06e1568db576365f.txt', import.meta.url);

describe.skipIf(!existsSync(SEED))(
  'the YAML of the specification, unchanged (skipped where it is not there)',
  () => {
    const seed = existsSync(SEED) ? readFileSync(SEED, 'utf8') : '';
    const yaml = /```yaml\n(# config\/rag-config\.yaml\n[\s\S]*?)```/.exec(seed)?.[1] ?? '';

    beforeEach(() => write(yaml, 'config/rag-config.yaml'));

    test('is accepted, with what it says in force', async () => {
      const { rag, projectRoot } = await load();
      expect(projectRoot).toBe(folder);
      expect(rag).toMatchObject({
        provider: 'chroma',
        embedding: {
          model: 'all-MiniLM-L6-v2',
          dimensions: 384,
          batchSize: 32,
          device: 'cpu',
          fallback: 'builtin',
        },
        storage: { local: { path: join(folder, 'vector-db'), collection: 'backlog_chef' } },
        chunking: { strategy: 'semantic', unit: 'characters', minSize: 100, maxSize: 500, overlap: 50 },
        retrieval: { topK: 5, minSimilarity: 0.7, rerank: { enabled: true, topK: 3 } },
      });
      expect(rag.chunking.splitOn).toEqual(['\n\n', '\n', '. ', ', ']);
      expect(rag.sources.map(({ name, enabled }) => [name, enabled])).toEqual([
        ['pipeline_outputs', true],
        ['project_docs', true],
        ['confluence_kb', false],
        ['azure_devops', false],
      ]);
      expect(rag.sources[2]).toMatchObject({ spaceKeys: ['TECH', 'ARCH'] });
    });

    test('its settings without effect are listed', async () => {
      const { notActive } = await load({ env: { RAG_PROVIDER: 'lancedb' } });
      const settings = notActive.map(({ setting }) => setting);
      expect(settings).toEqual(
        expect.arrayContaining([
          'rag.retrieval.maxDistance',
          'rag.storage.cloud',
          'rag.sources[2]',
          'rag.sources[3]',
        ]),
      );
      expect(settings).not.toContain('rag.provider');
      expect(settings.filter((setting) => /watch|autoIndex|Schedule/.test(setting))).toEqual([]);
    });

    test('no source of it is without effect, with every source on', async () => {
      const env = {
        CONFLUENCE_ENABLED: 'true',
        CONFLUENCE_URL: 'u',
        CONFLUENCE_USER: 'u',
        CONFLUENCE_TOKEN: 't',
        AZURE_ENABLED: 'true',
        AZURE_ORG: 'o',
        AZURE_PROJECT: 'p',
        AZURE_PAT: 't',
      };
      const { notActive } = await load({ env });
      expect(
        notActive.map(({ setting }) => setting).filter((name) => name.startsWith('rag.sources')),
      ).toEqual([]);
    });

    test('an enabled source without its secrets is refused where it is opened', async () => {
      const { unset } = await load({ env: { CONFLUENCE_ENABLED: 'true' } });
      expect([...(unset?.values() ?? [])]).toEqual([
        expect.objectContaining({
          reason: 'SECRET_MISSING',
          message: expect.stringContaining('CONFLUENCE_TOKEN'),
        }),
      ]);
    });
  },
);
