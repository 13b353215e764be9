// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of a configuration, not of a template.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  documentOf,
  type ErrorDocument,
  finished,
  type Outcome,
  runRagstone,
  startRagstone,
} from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const ragstone = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  runRagstone(args, { cwd: folder, env });

const COMMANDS = ['init', 'try', 'index', 'search', 'status', 'verify', 'eval', 'config', 'clear', 'model'];

describe('help', () => {
  test('names every command and global option, with examples', async () => {
    const { code, stdout } = await ragstone(['--help']);
    expect(code).toBe(0);
    for (const name of [
      ...COMMANDS,
      '--config',
      '--data',
      '--json',
      '--quiet',
      '--log-level',
      '--version',
      'Examples:',
    ])
      expect(stdout).toContain(name);
  });

  test.each(COMMANDS)('%s --help shows examples', async (command) => {
    const { code, stdout } = await ragstone([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\\n {2}\\$ ragstone ${command}`));
    expect(stdout).toContain('--config');
  });

  test('--version is that of the package', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    expect((await ragstone(['--version'])).stdout.trim()).toBe(
      (JSON.parse(manifest) as { version: string }).version,
    );
  });
});

describe('wrong usage', () => {
  test.each([
    [['serch', 'x'], "unknown command 'serch'", 'search'],
    [['search', 'x', '--topk', '3'], "unknown option '--topk'", '--top-k'],
    [['search', 'x', '--jsn'], "unknown option '--jsn'", '--json'],
    [['config', 'chek'], "unknown command 'chek'", 'check'],
  ])('%j ends with 2 and suggests the near one', async (args, problem, near) => {
    const { code, stdout, stderr } = await ragstone(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(problem);
    expect(stderr).toContain(`Did you mean ${near}?`);
  });

  test.each([
    [['search', '-restore'], "ragstone search -- '-restore'"],
    [['ask', 'pool', '-draft x'], "ragstone ask -- '-draft x'"],
    [['try', '.', '--restore'], "ragstone try FOLDER -- '--restore'"],
  ])('%j says where a query goes that looks like an option', async (args, hint) => {
    const { code, stderr } = await ragstone(args);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `A query that begins with "-" goes behind "--", and options before that: ${hint}`,
    );
    expect((await ragstone(['status', '-restore'])).stderr).not.toContain('behind');
  });

  test.each(['--wait', '--batch-size', '--parallel'])(
    'index %s with a folder behind it is refused, and says where the number goes',
    async (option) => {
      await mkdir(join(folder, 'docs'), { recursive: true });
      const { code, stderr } = await ragstone(['index', option, 'docs']);
      expect(code).toBe(2);
      expect(stderr).toContain("argument 'docs' is invalid");
      expect(stderr).toContain('whole number');
      expect(stderr).toContain('directly behind the option, before files, folders');
      const missing = await ragstone(['index', 'docs', option]);
      expect(missing.code).toBe(2);
      expect(missing.stderr).toContain('argument missing. Write it behind the option.');
    },
  );

  test.each([
    [['search']],
    [['search', 'x', '--top-k', '0']],
    [['search', 'x', '--top-k', 'five']],
    [['search', 'x', '--mode', 'magic']],
    [['search', 'x', '--filter', 'nothing']],
    [['search', 'x', '--since', '2026-02-30']],
    [['search', 'x', '--min-similarity', '2']],
    [['--log-level', 'loud', 'status']],
    [['try', 'nowhere', 'x']],
    [['clear']],
    [['eval', 'docs', '--answers', '--gate', 'baseline.json']],
    [['eval', 'docs', '--answers', '--mode', 'dense']],
    [['eval', 'docs', '--alpha', '0.1']],
    [['eval', 'docs', '--compare', 'current', '--gate-metric', 'map']],
    [['--config', 'nowhere.yaml', 'status']],
    [[]],
  ])('%j ends with 2', async (args) => {
    const { code, stdout, stderr } = await ragstone(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
  });

  test.each([
    [['search', '']],
    [['search', ' ', '\t']],
    [['ask', '']],
    [['ask', '', '--chat']],
    [['related', '']],
    [['explain-miss', '', 'a.md']],
    [['explain-miss', 'logs', ' ']],
    [['graph', 'entity', '']],
    [['feedback', 'add', '']],
    [['try', '', 'logs']],
    [['try', 'docs', '']],
    [['index', '']],
    [['index', 'docs', '']],
    [['trust', '']],
    [['sources', 'test', '']],
    [['deployments', 'show', '']],
    [['backup', '']],
    [['--data', '', 'index', 'docs']],
    [['--config=', 'status']],
  ])('%j, of which something is empty, is wrong usage, and nothing is done', async (args) => {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs/a.md'), '# Logs\n\nLogs are kept.\n');
    const { code, stdout, stderr } = await ragstone(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: the (argument <\w+>|option --\w+) is empty\. /);
    expect(await readdir(folder)).toEqual(['docs']);
  });

  test('an empty word between others of a question is left out', async () => {
    const { stderr } = await ragstone(['search', 'logs', '', 'kept']);
    expect(stderr).toContain('Nothing is indexed');
  });

  test.each([
    [['eval', 'docs', '--questions', 'q.jsonl', '--write-baseline', 'file/b.json']],
    [['backup', 'file/archive.tar']],
  ])('%j names the file that cannot be written, and asks for no report', async (args) => {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs/a.md'), '# Logs\n\nLogs are kept.\n');
    await writeFile(join(folder, 'file'), '');
    const gold = [{ path: 'a.md', quote: 'Logs are kept.' }];
    const question = { id: 'q', type: 'fact', question: 'Are logs kept?', gold };
    await writeFile(join(folder, 'q.jsonl'), JSON.stringify(question));
    await ragstone(['index', 'docs']);
    const { code, stderr } = await ragstone(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*ENOTDIR.*$/m);
    expect(stderr).not.toContain('report');
  });

  test.each([
    [['how do I set a timeout?'], '"ragstone ask ..." answers it'],
    [['how', 'do', 'I'], '"ragstone ask ..." answers it'],
    [['explain-miss', 'set', 'a', 'timeout', 'a.md'], 'Put text with spaces in quotes.'],
  ])('%j says where a question goes', async (args, hint) => {
    const { code, stderr } = await ragstone(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect((await ragstone(['config', 'nonsense'])).stderr).not.toContain('ragstone ask');
  });

  test('with --json the error is the one document on stdout, before or after the command', async () => {
    for (const args of [
      ['--json', 'search'],
      ['search', '--json'],
      ['clear', '--json'],
      ['status', '--json', '--config', 'nowhere.yaml'],
    ]) {
      const outcome = await ragstone(args);
      expect(outcome.code).toBe(2);
      expect(documentOf(outcome)).toMatchObject({
        error: { code: 'E005', reason: expect.any(String), message: expect.any(String), retryable: false },
      });
    }
  });
});

describe('config', () => {
  test('check accepts what is right, and lists what has no effect yet', async () => {
    await writeFile(join(folder, 'ragstone.yaml'), 'rag:\n  retrieval: { maxDistance: 0.5 }\n');
    const outcome = await ragstone(['config', 'check', '--json']);
    expect(outcome.code).toBe(0);
    expect(documentOf(outcome)).toMatchObject({
      ok: true,
      notActive: [{ setting: 'rag.retrieval.maxDistance' }],
    });
  });

  test('check refuses an unknown key with file, line, column and the near key', async () => {
    await writeFile(join(folder, 'ragstone.yaml'), 'rag:\n  retrieval:\n    topk: 5\n');
    const { code, stderr } = await ragstone(['config', 'check']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/ragstone\.yaml:3:5: Unknown key "rag\.retrieval\.topk"\. Did you mean "topK"\?/);
  });

  test('show prints values with their origin and masks secrets', async () => {
    const yaml =
      'rag:\n  retrieval: { topK: "${K:-3}" }\n  storage: { cloud: { apiKey: "${KEY}" } }\n  provider: ${P}\n';
    await writeFile(join(folder, 'ragstone.yaml'), yaml);
    const outcome = await ragstone(['config', 'show', '--json'], { KEY: 'very-secret', P: 'memory' });
    expect(outcome.stdout).not.toContain('very-secret');
    const { settings } = documentOf<{ settings: { key: string }[] }>(outcome);
    const find = (key: string) => settings.find((setting) => setting.key === key);
    expect(find('rag.retrieval.topK')).toMatchObject({ value: 3, origin: 'file' });
    expect(find('rag.provider')).toMatchObject({ value: 'memory', origin: 'environment', detail: 'P' });
    expect(find('rag.storage.cloud.apiKey')).toMatchObject({ value: '********', origin: 'environment' });
    expect(find('rag.enabled')).toMatchObject({ value: true, origin: 'default' });
  });

  test('a store whose settings are not whole ends index with 2, naming the setting', async () => {
    await writeFile(join(folder, 'ragstone.yaml'), 'rag: { provider: vertex_ai_search }\n');
    const { code, stderr } = await ragstone(['--trust', 'index', '.']);
    expect(code).toBe(2);
    expect(stderr).toContain('rag.storage.cloud.project');
    const check = await ragstone(['--trust', 'config', 'check']);
    expect(check.code).toBe(2);
    expect(check.stdout).not.toContain('valid');
    expect(check.stdout).toContain('rag.storage.cloud.project');
  });
});

describe('init', () => {
  test('writes a configuration that is valid, and never over another', async () => {
    expect((await ragstone(['init'])).code).toBe(0);
    expect((await ragstone(['config', 'check'])).code).toBe(0);
    await writeFile(join(folder, 'ragstone.yaml'), 'mine: true\n');
    expect((await ragstone(['init'])).code).toBe(2);
    expect(await readFile(join(folder, 'ragstone.yaml'), 'utf8')).toBe('mine: true\n');
    expect((await ragstone(['init', '--force'])).code).toBe(0);
  });

  test('in a project of reStructuredText and Python lets index read both', async () => {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs', 'guide.rst'), 'Guide\n=====\n\nAbout quokkas.\n');
    await writeFile(join(folder, 'main.py'), 'def feed():\n    pass\n');
    expect((await ragstone(['init'])).code).toBe(0);
    const outcome = await ragstone(['index']);
    expect(outcome.stdout).toContain('Indexed 2 documents');
    expect(outcome.code).toBe(0);
  });

  test('--lancedb adds the store and its overrides to package.json', async () => {
    await writeFile(join(folder, 'package.json'), '{\n    "name": "mine"\n}\n');
    const outcome = await ragstone(['init', '--lancedb', '--json']);
    expect(documentOf(outcome)).toMatchObject({ next: expect.arrayContaining(['npm install']) });
    const text = await readFile(join(folder, 'package.json'), 'utf8');
    expect(text).toContain('\n    "name": "mine"');
    expect(JSON.parse(text)).toMatchObject({
      dependencies: { '@lancedb/lancedb': '0.37.1', 'apache-arrow': '18.1.0' },
      overrides: { '@lancedb/lancedb': { openai: 'npm:reflect-metadata@0.2.2' } },
    });
  });
});

describe('model', () => {
  test('an added folder is listed; a folder that is no model is refused', async () => {
    const model = join(folder, 'models', 'mini');
    await mkdir(join(model, 'onnx'), { recursive: true });
    expect((await ragstone(['model', 'add', 'models/mini'])).code).toBe(2);
    for (const file of ['config.json', 'tokenizer.json', 'onnx/model.onnx'])
      await writeFile(join(model, file), '{}');
    expect((await ragstone(['model', 'add', 'models/mini'])).code).toBe(0);
    expect(documentOf(await ragstone(['model', 'list', '--json']))).toMatchObject({
      models: [
        { name: 'builtin', path: null, isUsable: true },
        { name: 'mini', path: model, isUsable: true },
      ],
    });
  });
});

describe('try, index, search, clear', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'guide'));
    await writeFile(
      join(folder, 'guide', 'retries.md'),
      '# Retries\n\nA failed request is retried three times with backoff.\n',
    );
    await writeFile(
      join(folder, 'guide', 'exit.md'),
      '# Exit codes\n\nThe process exits with zero when all is fine.\n',
    );
    await writeFile(join(folder, 'ragstone.yaml'), 'rag: { provider: libsql }\n');
  });

  test('try prints the passage with title, place, score and why; a second run re-indexes nothing', async () => {
    await writeFile(join(folder, 'guide', 'tickets.csv'), 'id,title\n1,Retries stop\n');
    const first = await ragstone(['try', 'guide', 'how often are requests retried?']);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('1 csv');
    expect(first.stdout).toMatch(/1\. Retries {2}(?:strong|possible|weak)\n {3}guide\/retries\.md:\d/);
    expect(first.stdout).toContain('why: ');
    const second = documentOf(await ragstone(['try', 'guide', 'retries', '--json']));
    expect(second).toMatchObject({
      index: { stats: { documentsProcessed: 0, documentsUnchanged: 2, embeddingsComputed: 0 } },
    });
    expect((await ragstone(['try', 'guide', 'retries'])).stderr).toContain('nothing re-indexed');
  });

  test('try takes a question without quotes', async () => {
    await writeFile(join(folder, 'a.md'), '# Timeouts\n\nSet a timeout with --wait.\n');
    const { code, stdout } = await ragstone([
      'try',
      'a.md',
      'how',
      'do',
      'I',
      'set',
      'a',
      'timeout',
      '--top-k',
      '1',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('Timeouts');
  });

  test('try says when a folder holds nothing to index', async () => {
    await mkdir(join(folder, 'empty'));
    const { code, stderr } = await ragstone(['try', 'empty', 'x']);
    expect(code).toBe(1);
    expect(stderr).toContain('INDEX_EMPTY');
  });

  test('index and search: one JSON document each, options before or after the command', async () => {
    const index = await ragstone(['--json', '--data', 'data', 'index', 'guide']);
    expect(index.code).toBe(0);
    expect(documentOf(index)).toMatchObject({ success: true, stats: { documentsProcessed: 2 } });
    const search = await ragstone(['search', 'backoff', '--top-k', '1', '--json', '--data', 'data']);
    expect(documentOf(search)).toMatchObject({
      query: 'backoff',
      results: [
        {
          metadata: { source: 'retries.md', lines: { start: expect.any(Number) } },
          explanation: { contributions: expect.any(Array) },
        },
      ],
      lanes: expect.any(Array),
      degradationLevel: 0,
    });
  });

  test('clear deletes only when told to', async () => {
    await ragstone(['index', 'guide']);
    expect((await ragstone(['clear'])).code).toBe(2);
    expect((await ragstone(['search', 'backoff', '--json'])).code).toBe(0);
    expect((await ragstone(['clear', '--yes'])).code).toBe(0);
    const after = await ragstone(['search', 'backoff', '--json']);
    expect(after.code).toBe(1);
    expect(documentOf(after)).toMatchObject({ error: { reason: 'INDEX_EMPTY' } });
  });
});

describe('Ctrl-C', () => {
  test('ends an index run cleanly with 130, and the next run finishes the work', async () => {
    await mkdir(join(folder, 'many'));
    const paragraph = (seed: number): string =>
      `Paragraph ${seed} on retries, queues and timeouts. `.repeat(40);
    for (let file = 0; file < 300; file++) {
      const sections = Array.from(
        { length: 10 },
        (_, part) => `## Part ${part}\n\n${paragraph(file * 10 + part)}\n`,
      );
      await writeFile(join(folder, 'many', `file-${file}.md`), `# File ${file}\n\n${sections.join('\n')}`);
    }
    await writeFile(join(folder, 'ragstone.yaml'), 'rag: { provider: libsql }\n');
    const child = startRagstone(['index', 'many', '--json', '--log-level', 'debug'], { cwd: folder });
    child.stderr.on('data', (text: string) => {
      if (text.includes('stage: indexing')) child.kill('SIGINT');
    });
    const interrupted = await finished(child);
    expect(interrupted.code).toBe(130);
    expect(documentOf(interrupted)).toMatchObject({
      error: { reason: 'ABORTED', message: expect.stringContaining('"ragstone index" goes on') },
    });
    const { error } = documentOf<ErrorDocument>(interrupted);
    const kept = /^Stopped\. This run is kept as far as it came: (\d+) documents? indexed;/.exec(
      error.message,
    );
    if (kept === null) expect(error.message).toContain('Nothing of this run was written yet');
    const { documents } = documentOf<{ documents: number }>(await ragstone(['status', '--json']));
    expect(documents).toBe(Number(kept?.[1] ?? 0));
    expect((await ragstone(['verify'])).code).toBe(1);
    // The folder need not be named again.
    const resumed = await ragstone(['index', '--json']);
    expect(resumed.code).toBe(0);
    const { stats } = documentOf<{ stats: Readonly<Record<string, number>> }>(resumed);
    expect((stats.documentsProcessed ?? 0) + (stats.documentsUnchanged ?? 0)).toBe(300);
    expect((await ragstone(['verify'])).code).toBe(0);
  });
});
