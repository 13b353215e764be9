import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { createEngine, ERROR_TABLE, type IndexResult } from '../../src/index.js';
import {
  type ErrorDocument,
  type Outcome,
  ragstoneJson,
  runRagstone,
  startRagstone,
} from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

// Every entry of docs/troubleshooting.md: what is seen, and that the step it names ends it.

const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');

const AUDIT = {
  'docs/audit.md': '# Audit\n\nAudit logs are kept for 30 days, in the region of the customer.\n',
};
/** No text in any encoding: bytes that are no UTF-8 are read as what they suggest, control characters as nothing. */
const BROKEN = new Uint8Array(200).fill(1);

type Run = (...args: string[]) => Promise<Outcome>;

const inFolder =
  (cwd: string, env?: Readonly<Record<string, string>>): Run =>
  (...args) =>
    runRagstone(args, { cwd, ...(env === undefined ? {} : { env }) });

const pages = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`docs/${i}.md`, `# Page ${i}\n\nMarmalade ${i}.\n`]),
  );

async function indexed(
  files: Readonly<Record<string, string>> = AUDIT,
): Promise<{ readonly cwd: string; readonly run: Run }> {
  const cwd = temporaryFolder(files);
  const run = inFolder(cwd);
  expect((await run('index', 'docs')).code).toBe(0);
  return { cwd, run };
}

const ENTRIES: Readonly<Record<string, () => Promise<void>>> = {
  'The shell does not know the command': async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { bin, version } = JSON.parse(manifest) as { bin: { ragstone: string }; version: string };
    expect(bin.ragstone).toBe('dist/faces/cli/main.js');
    expect((await inFolder(temporaryFolder())('--version')).stdout.trim()).toBe(version);
  },

  '"Nothing is indexed" (`INDEX_EMPTY`)': async () => {
    const cwd = temporaryFolder(AUDIT);
    const run = inFolder(cwd);
    expect((await run('search', 'audit')).stderr).toMatch(/INDEX_EMPTY.*Nothing is indexed/);
    expect((await run('index', 'docs')).code).toBe(0);
    expect((await run('search', 'audit')).stdout).toContain('audit.md');
    const elsewhere = inFolder(temporaryFolder());
    expect((await elsewhere('search', 'audit', '--data', join(cwd, '.ragstone'))).stdout).toContain(
      'audit.md',
    );
  },

  '"There is no file or folder"': async () => {
    const { run } = await indexed();
    const missing = await run('index', 'dosc');
    expect(missing.code).not.toBe(0);
    expect(missing.stdout + missing.stderr).toContain('There is no file or folder');
    expect((await run('search', 'audit')).stdout).toContain('audit.md');
  },

  'A file is missing from the index': async () => {
    const { cwd, run } = await indexed();
    writeFiles(cwd, { 'docs/late.md': '# Late\n\nA page of marmalade.\n' });
    expect((await run('explain-miss', 'marmalade', 'docs/late.md')).stdout).toMatch(
      /not.indexed|not in the index/,
    );
    await run('index');
    expect((await run('search', 'marmalade')).stdout).toContain('late.md');
  },

  'A file failed': async () => {
    const cwd = temporaryFolder({ ...AUDIT, 'docs/bad.md': BROKEN });
    const run = inFolder(cwd);
    const first = await run('index', 'docs');
    expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/DOCUMENT_\w+.*bad\.md/s) });
    expect((await run('status')).stdout).toContain('bad.md');
    expect((await run('search', 'audit')).stdout).toContain('audit.md');
    writeFileSync(join(cwd, 'docs/bad.md'), '# Good\n\nMended marmalade.\n');
    expect((await run('index')).code).toBe(0);
    expect((await run('search', 'marmalade')).stdout).toContain('bad.md');
  },

  'A run was stopped': async () => {
    const cwd = temporaryFolder(pages(300));
    const run = inFolder(cwd);
    const child = startRagstone(['index', 'docs'], { cwd });
    await new Promise((resolve) => {
      child.once('close', resolve);
      setTimeout(() => child.kill('SIGKILL'), 1_000);
    });
    expect((await run('index', 'docs')).code).toBe(0);
    expect((await run('verify')).code).toBe(0);
    expect((await run('search', 'marmalade', '299')).stdout).toContain('299.md');
  },

  '"Another process is indexing" (`INDEX_LOCKED`)': async () => {
    const { cwd, run } = await indexed();
    let listed = (): void => undefined;
    let release = (): void => undefined;
    const isListing = new Promise<void>((resolve) => {
      listed = resolve;
    });
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const engine = await createEngine({
      cwd,
      sources: [
        {
          name: 'slow',
          type: 'slow',
          listing: 'complete',
          async *list() {
            listed();
            await isReleased;
            yield* [];
          },
          read: () => Promise.reject(new Error('Nothing is listed.')),
        },
      ],
    });
    const other = engine.index();
    await isListing;
    expect((await run('index')).stderr).toContain('INDEX_LOCKED');
    const waiting = run('index', '--wait', '60');
    release();
    await other;
    await engine.close();
    expect((await waiting).code).toBe(0);
  },

  'A folder was renamed or deleted, and every run names it': async () => {
    const cwd = temporaryFolder({ ...AUDIT, 'old/jam.md': '# Jam\n\nMarmalade.\n' });
    const run = inFolder(cwd);
    await run('index', 'docs', 'old');
    rmSync(join(cwd, 'old'), { recursive: true });
    expect((await run('index')).stderr).toMatch(/old.*--prune/s);
    expect((await run('search', 'marmalade')).stdout).toContain('jam.md');
    expect((await run('index', '--prune', '--yes')).code).toBe(0);
    expect((await run('search', 'marmalade')).stdout).not.toContain('jam.md');
    expect((await run('index')).stderr).not.toContain('--prune');
  },

  'A folder was empty for a moment, and its documents are gone': async () => {
    for (const [count, seen] of [
      [20, { code: 1, stdout: expect.stringContaining('SOURCE_SHRUNK') }],
      [19, { code: 0, stderr: expect.stringContaining('put the files back') }],
    ] as const) {
      const { cwd, run } = await indexed(pages(count));
      renameSync(join(cwd, 'docs'), join(cwd, 'away'));
      mkdirSync(join(cwd, 'docs'));
      expect(await run('index')).toMatchObject(seen);
      const isKept = seen.code === 1;
      expect((await run('search', 'marmalade', '7')).stdout.includes('7.md')).toBe(isKept);
      cpSync(join(cwd, 'away'), join(cwd, 'docs'), { recursive: true });
      expect((await run('index')).code).toBe(0);
      expect((await run('search', 'marmalade', '7')).stdout).toContain('7.md');
    }
  },

  'A link that was indexed by name leads elsewhere now': async () => {
    const cwd = temporaryFolder({ 'v1/jam.md': '# Jam\n\nPlums.\n', 'v2/tea.md': '# Tea\n\nGreen plums.\n' });
    const run = inFolder(cwd);
    const turn = (target: string): void => {
      rmSync(join(cwd, 'current'), { force: true });
      symlinkSync(target, join(cwd, 'current'));
    };
    const found = async () => /\w+\.md/.exec((await run('search', 'plums')).stdout)?.[0];
    turn('v1');
    await run('index', 'current');
    turn('nowhere');
    expect((await run('index')).code).toBe(0);
    expect(await found()).toBe('jam.md');
    turn('v2');
    expect((await run('index')).code).toBe(0);
    expect(await found()).toBe('tea.md');
    expect((await run('search', 'jam')).stdout).not.toContain('jam.md');
    // Named by its own path, what it leads to stays when it is turned.
    await run('index', 'v2');
    turn('v1');
    await run('index', 'current');
    expect((await run('search', 'plums')).stdout).toMatch(/jam\.md.*tea\.md|tea\.md.*jam\.md/s);
  },

  'An index was moved beside another folder of the same name': async () => {
    const move = async (beside: string) => {
      const cwd = temporaryFolder({
        'one/docs/jam.md': '# Jam\n\nPlums.\n',
        'one/docs/tea.md': '# Tea\n\nGreen.\n',
        'two/docs/jam.md': beside,
      });
      await inFolder(join(cwd, 'one'))('index', 'docs');
      renameSync(join(cwd, 'one/.ragstone'), join(cwd, 'two/.ragstone'));
      return { cwd, run: inFolder(join(cwd, 'two'), { RAGSTONE_TRUST: '' }) };
    };
    // Half of its files are there as they were.
    const same = await move('# Jam\n\nPlums.\n');
    expect((await same.run('index')).code).toBe(0);
    expect((await same.run('search', 'plums')).stdout).toMatch(/^ +docs\/jam\.md/m);
    const { cwd, run } = await move('# Jam\n\nOther plums.\n');
    const there = join(cwd, 'one/docs');
    const refused = await run('index', 'docs');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(there) });
    expect((await run('index')).stderr).toContain('INDEX_UNTRUSTED');
    await run('trust');
    expect((await run('index')).code).toBe(0);
    expect((await run('search', 'plums')).stdout).toContain(join(there, 'jam.md'));
    expect((await run('index', 'docs')).code).toBe(0);
    expect((await run('search', 'plums')).stdout).toMatch(/^ +docs\/jam\.md/m);
  },

  'A folder is "of an earlier version", and nobody knows where it lies': async () => {
    const cwd = temporaryFolder({ ...AUDIT, 'elsewhere/readme.txt': '' });
    const [run, elsewhere] = ['.', 'elsewhere'].map((folder) => {
      const inThere = inFolder(join(cwd, folder));
      return (...args: string[]) => inThere(...args, '--data', join(cwd, 'data'));
    }) as [Run, Run];
    const indexOld = async () => {
      rmSync(join(cwd, 'data'), { recursive: true, force: true });
      await inFolder(cwd)('index', 'docs');
      const ledger = new Database(join(cwd, '.ragstone/ledger.db'));
      ledger.exec("DELETE FROM source_root WHERE source = 'path:docs'");
      ledger.close();
      renameSync(join(cwd, '.ragstone'), join(cwd, 'data'));
    };
    const known = async () => (await elsewhere('status')).stdout;
    await indexOld();
    expect((await elsewhere('status')).stderr).toMatch(/earlier version.*path:docs/);
    expect((await run('index')).code).toBe(0);
    expect(await known()).toContain(`path:${join(cwd, 'docs')}`);
    expect(await known()).not.toContain('path:docs');
    // Every file is another one: it is not known again.
    await indexOld();
    writeFileSync(join(cwd, 'docs/audit.md'), '# Audit\n\nAudit logs are kept for a year.\n');
    expect((await run('index')).stdout).toContain('once more');
    expect((await run('index', 'docs')).code).toBe(0);
    expect(await known()).toMatch(/path:docs /);
    expect((await run('index', '--prune-source', 'path:docs', '--yes')).code).toBe(0);
    expect(await known()).not.toMatch(/path:docs /);
    expect((await elsewhere('search', 'audit')).stdout).toMatch(/a year/);
    expect((await elsewhere('index')).code).toBe(0);
  },

  'A document is not among the results': async () => {
    const { run } = await indexed({
      ...AUDIT,
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [
          `docs/logs-${i}.md`,
          `# Logs ${i}\n\nLogs are kept, part ${i}.\n`,
        ]),
      ),
    });
    const search = async (topK: string) => (await run('search', 'logs are kept', '--top-k', topK)).stdout;
    expect(await search('1')).not.toContain('logs-8.md');
    const { stdout } = await run('explain-miss', 'logs are kept', 'docs/logs-8.md', '--top-k', '1');
    const [, remedy = ''] = /topK: (\d+)/.exec(stdout) ?? [];
    expect(await search(remedy)).toContain('logs-8.md');
  },

  '"5 passages are left out, below the threshold of 0.7"': async () => {
    const { run } = await indexed();
    const strict = await run('search', 'audit', 'logs', '--min-similarity', '0.999');
    expect(strict.stderr).toContain('left out, below the threshold of 0.999');
    expect((await run('search', 'audit', 'logs', '--min-similarity', '0.1')).stdout).toContain('audit.md');
  },

  'A text is found that was changed or deleted': async () => {
    const { cwd, run } = await indexed({ ...AUDIT, 'docs/jam.md': '# Jam\n\nMarmalade.\n' });
    rmSync(join(cwd, 'docs/jam.md'));
    expect((await run('search', 'marmalade')).stdout).toContain('jam.md');
    expect((await run('index')).code).toBe(0);
    expect((await run('search', 'marmalade')).stdout).not.toContain('jam.md');
    expect((await run('verify')).code).toBe(0);
  },

  'Documents that access rules restrict are not found': async () => {
    const rules =
      "rag: { security: { access: { defaultLevel: 0, rules: [{ paths: ['pay.md'], level: 2, groups: [hr] }] } } }";
    const { run } = await indexed({
      ...AUDIT,
      'ragstone.yaml': rules,
      'docs/pay.md': '# Pay\n\nSalary bands rise in May.\n',
    });
    const plain = await run('search', 'salary', 'bands');
    expect(plain.stdout).not.toContain('pay.md');
    expect(plain.stderr).toMatch(/--group.*--clearance/s);
    const hr = await run('search', 'salary', 'bands', '--group', 'hr', '--clearance', '2');
    expect(hr.stdout).toContain('pay.md');
  },

  'The right passages stand too low': () => Promise.resolve(expect(page).toContain('(better-model.md)')),

  '"Not found", and the documents do say it': async () => {
    const { cwd, run } = await indexed();
    const question = ['ask', 'who was the emperor of Rome?'];
    expect((await run(...question)).stdout).toMatch(/not found/i);
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  answering: { abstainBelow: 0 }\n');
    expect((await run('ask', 'where do people keep it?')).stdout).toContain('audit.md');
  },

  'The answer is wrong': async () => {
    const { run } = await indexed();
    expect((await run('ask', 'how long are audit logs kept?')).stdout).toContain('docs/audit.md:3');
  },

  '"Unknown key"': async () => {
    const { cwd, run } = await indexed();
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  sorces: []\n');
    const wrong = await run('search', 'audit');
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ragstone\.yaml:2.*Unknown key.*sources/s),
    });
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  sources: []\n');
    expect((await run('config', 'check')).code).toBe(0);
  },

  '`CONFIG_UNTRUSTED`': async () => {
    const url = 'rag: { storage: { server: { url: "postgres://u@127.0.0.1:1/x" } }, provider: postgres }';
    const cwd = temporaryFolder({ 'ragstone.yaml': url });
    const run = inFolder(cwd, { RAGSTONE_TRUST: '' });
    expect(await run('search', 'audit')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('CONFIG_UNTRUSTED'),
    });
    expect((await run('trust')).code).toBe(0);
    expect((await run('search', 'audit')).stderr).not.toContain('CONFIG_UNTRUSTED');
    await run('trust', '--revoke');
  },

  'Another model or store is set, and the old one is used': async () => {
    const { cwd, run } = await indexed({
      ...AUDIT,
      'ragstone.yaml': 'rag: { provider: libsql }',
    });
    writeFileSync(join(cwd, 'ragstone.yaml'), 'rag: { provider: usearch }');
    expect((await run('search', 'audit')).stderr).toContain('index --force');
    expect((await run('index', '--force')).code).toBe(0);
    const after = await run('search', 'audit');
    expect(after.stdout).toContain('audit.md');
    expect(after.stderr).not.toContain('index --force');
  },

  '`INDEX_DAMAGED` or `STORE_DAMAGED`': async () => {
    const { cwd, run } = await indexed();
    writeFileSync(join(cwd, '.ragstone/ledger.db'), 'no database at all'.repeat(400));
    expect((await run('search', 'audit')).stderr).toContain('INDEX_DAMAGED');
    expect((await run('index', 'docs', '--force')).code).toBe(0);
    expect((await run('search', 'audit')).stdout).toContain('audit.md');
  },

  '`verify` reports differences': async () => {
    const { cwd, run } = await indexed();
    mkdirSync(join(cwd, 'docs/new'));
    renameSync(join(cwd, 'docs/audit.md'), join(cwd, 'docs/new/audit.md'));
    expect((await run('verify')).code).toBe(1);
    expect((await run('verify', '--repair')).code).toBe(0);
    expect((await run('verify')).code).toBe(0);
  },
};

describe('docs/troubleshooting.md', () => {
  test('every entry is tested here', () => {
    const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(Object.keys(ENTRIES));
  });

  test.each(Object.entries(ENTRIES))('%s', (_, entry) => entry());
});

describe('docs/troubleshooting.md, by error code', () => {
  const CASES: readonly (readonly [code: string, args: readonly string[], config: string])[] = [
    [
      'E001',
      ['index', 'docs'],
      'rag: { provider: postgres, storage: { server: { url: "postgres://u@127.0.0.1:1/x" } } }',
    ],
    ['E002', ['index', 'docs'], 'rag: { embedding: { model: "transformers:./nowhere" } }'],
    ['E004', ['search', 'audit'], ''],
    ['E005', ['search', 'audit'], 'rag: { sorces: [] }'],
  ];

  test.each(CASES)('%s', async (code, args, config) => {
    const cwd = temporaryFolder({ ...AUDIT, 'ragstone.yaml': config });
    const { document } = await ragstoneJson<ErrorDocument>(args, { cwd });
    expect(document.error.code).toBe(code);
    expect(page).toContain(`| \`${code}\` |`);
  });

  test('E003', async () => {
    const cwd = temporaryFolder({ 'docs/bad.md': BROKEN });
    const { document } = await ragstoneJson<IndexResult>(['index', 'docs'], {
      cwd,
    });
    expect(document.stats.errors.map(({ reason }) => ERROR_TABLE[reason].code)).toEqual(['E003']);
    expect(page).toContain('| `E003` |');
  });
});
