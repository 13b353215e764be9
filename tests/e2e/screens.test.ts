// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of a configuration, not of a template.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SearchResponse } from '../../src/index.js';
import { makeXlsx } from '../fixtures/documents/make-office.js';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const RETRIES = '# Retries\n\nA failed request is retried three times with backoff.\n';

describe('index', () => {
  it('of a name that nothing has is one line and exit code 2, and makes nothing', async () => {
    const cwd = temporaryFolder({ 'docs/retries.md': RETRIES });
    const { code, stdout, stderr } = await runRagstone(['index', 'docs', 'nope'], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: There is no file or folder nope.\n',
    });
    expect((await runRagstone(['index'], { cwd })).code).toBe(2);
    expect(existsSync(join(cwd, '.ragstone'))).toBe(false);
  });
});

describe('a run', () => {
  it('says what it skipped, by kind and number, and that a folder holds nothing to index', async () => {
    const cwd = temporaryFolder({
      'docs/retries.md': RETRIES,
      'docs/a.png': 'x',
      'docs/b.PNG': 'x',
      'docs/data.json': '{}',
      'docs/LICENSE': 'Do as you like.',
      'docs/.hidden.md': '# H',
      'images/a.png': 'x',
      'deploy/compose.yml': 'a: 1',
    });
    const { stdout } = await runRagstone(['index', 'docs'], { cwd });
    expect(stdout).toContain('Indexed 1 document in 1 new chunk (');
    expect(stdout).toContain('Skipped in docs: 2 png, 1 without extension, 1 json, 1 hidden.');
    expect(stdout).toContain('`ragstone index docs FILE.json`');
    const nothing = await runRagstone(['index', 'images'], { cwd });
    expect(nothing.stdout).toContain('Nothing was indexed: no source gave a document');
    expect(nothing.code).toBe(1);
    expect(nothing.stdout).toContain('Skipped in images: 1 png.');
    expect(nothing.stdout).not.toContain('Settings');
    const settings = await runRagstone(['index', 'deploy'], { cwd });
    expect(settings.stdout).toContain(
      'Skipped in deploy: 1 yml.\nSettings, tables, logs and subtitles are read where they are named:',
    );
    expect((await runRagstone(['index', 'deploy/compose.yml'], { cwd })).stdout).toContain(
      'Indexed 1 document',
    );
    const { document } = await ragstoneJson<{ stats: object }>(['index', 'docs'], { cwd });
    expect(document.stats).toMatchObject({
      skipped: { 'path:docs': { png: 2, json: 1, 'without extension': 1, hidden: 1 } },
    });
  });

  it('reads what a mixed folder holds, and says how the rest is read', async () => {
    const cwd = temporaryFolder({
      'docs/README': 'Run lanternctl first.\n',
      'docs/Dockerfile': 'EXPOSE 8025\n',
      'docs/Makefile': 'brew-hops:\n\t./hops\n',
      'docs/notes.org': '* Beds\nPlant the leeks.\n',
      'docs/paper.tex': '\\section{Tides}The spring tide.\n',
      'docs/eels.ipynb': JSON.stringify({ cells: [{ cell_type: 'markdown', source: 'Eels fell.' }] }),
      'docs/mail.eml': 'Subject: Switches\n\nThey come to track four.\n',
      'docs/letter.rtf': '{\\rtf1 The seal is kept.}',
      'docs/fees.xlsx': makeXlsx({
        sheets: { S: '<row><c t="inlineStr"><is><t>Mooring</t></is></c><c><f>A1</f></c></row>' },
      }),
      'docs/openapi.yaml': 'openapi: 3.0.0\npaths: { /ferry: { get: { summary: Ferries } } }\n',
      'docs/table.csv': 'a,b\n',
      'docs/server.log': 'WARN\n',
    });
    const { stdout, stderr } = await runRagstone(['index', 'docs'], { cwd });
    expect(stdout).toContain('Indexed 10 documents');
    expect(stderr).toContain('Not read in "docs": formulas: 1; in fees.xlsx.');
    expect((await runRagstone(['status'], { cwd })).stdout).toMatch(/not read[\s\S]*formulas +1/);
    const doctor = (await runRagstone(['doctor'], { cwd })).stdout;
    expect(doctor).toMatch(/Met and not read in "[^"]*docs": formulas: 1\./);
    expect(doctor).toContain('OCR is installed (eng).');
    expect(stdout).toContain("`paths: ['**', '**/*.{csv,log}']` of a source.");
    for (const [words, source] of [
      ['lanternctl', 'README'],
      ['brew-hops', 'Makefile'],
      ['leeks', 'notes.org'],
      ['eels', 'eels.ipynb'],
      ['switches', 'mail.eml'],
      ['mooring', 'fees.xlsx'],
      ['ferries', 'openapi.yaml'],
    ] as const) {
      const { document } = await ragstoneJson<SearchResponse>(['search', words, '--mode', 'lexical'], {
        cwd,
      });
      expect(document.results[0]?.metadata.source).toBe(source);
    }
  });
});

it.each(['markdown', 'files'])('a source of %s whose paths name no file says what is there', async (type) => {
  const cwd = temporaryFolder({
    'docs/a.rst': 'A\n=\n',
    'docs/b.rst': 'B\n=\n',
    'main.py': 'x = 1\n',
    'ragstone.yaml': `rag: { sources: [{ name: handbook, type: ${type}, paths: ['./**/*.md'] }] }`,
  });
  const { code, stderr, stdout } = await runRagstone(['index'], { cwd });
  expect(stderr).toContain(
    '"handbook" finds nothing: its paths (./**/*.md) name none of the files there (2 rst, 1 py, 1 yaml)',
  );
  expect(stdout).not.toContain('no source code');
  expect(code).toBe(1);
});

describe('config check', () => {
  it.each([
    ['embedding: { model: nobody/has-this, fallback: error }', 'rag.embedding.model', 'nobody/has-this'],
    ['sources: [{ name: a, type: files, root: docs, paths: [../outside] }]', '', 'outside'],
    ['provider: vertex_ai_search', 'rag.storage.cloud.project', 'is needed for Vertex AI Search'],
    ['provider: azure_ai_search', 'rag.storage.server.url', 'is missing'],
  ])('does not call valid what index refuses: %s', async (settings, setting, problem) => {
    const cwd = temporaryFolder({ 'docs/a.md': RETRIES, 'ragstone.yaml': `rag:\n  ${settings}\n` });
    const { code, stdout, stderr } = await runRagstone(['config', 'check'], { cwd });
    expect(code).toBe(2);
    expect(stdout).not.toContain('is valid');
    expect(stdout + stderr).toContain(setting);
    expect(stdout + stderr).toContain(problem);
  });

  it('says that another model stands in for one that is not here', async () => {
    const cwd = temporaryFolder({ 'ragstone.yaml': 'rag: { embedding: { model: nobody/has-this } }\n' });
    const { code, stdout } = await runRagstone(['config', 'check'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('can be used, but not as written');
    expect(stdout).not.toContain('is valid');
  });

  it('names the program that a source needs', async () => {
    const cwd = temporaryFolder({
      'ragstone.yaml':
        'rag: { provider: libsql, sources: [{ name: c, type: git, repository: "https://x.invalid/y" }] }\n',
    });
    const { code, stdout } = await runRagstone(['config', 'check'], { cwd, env: { PATH: '/nowhere' } });
    expect(code).toBe(2);
    expect(stdout).toContain('rag.sources[0]: The program `git` is not in PATH.');
  });
});

describe('a variable that is not set', () => {
  const settings = (token: string) =>
    `rag:\n  provider: libsql\n  sources:\n    - {name: docs, type: files, root: docs}\n    - {name: code, type: git, repository: https://x.invalid/y, auth: {token: "${token}"}}\n`;

  it('is asked for by what opens its source alone', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': RETRIES, 'ragstone.yaml': settings('${CODE_TOKEN}') });
    for (const command of ['config show', 'sources list', 'sources test docs', 'model list', 'generations']) {
      const { code, stderr } = await runRagstone(command.split(' '), { cwd });
      expect([command, code, stderr]).toEqual([command, 0, '']);
    }
    for (const [command, expected] of [
      ['index', 2],
      ['config check', 2],
      ['sources test code', 1],
    ] as const) {
      const { code, stdout, stderr } = await runRagstone(command.split(' '), { cwd });
      expect([command, code]).toEqual([command, expected]);
      expect(stdout + stderr).toContain(
        'rag.sources[1].auth.token needs the environment variable CODE_TOKEN',
      );
    }
  });
});

it('a repository that cannot be reached says so in the words of Git', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml':
      'rag: { provider: libsql, sources: [{ name: code, type: git, repository: "https://127.0.0.1:1/x.git" }] }\n',
  });
  const { code, stdout } = await runRagstone(['sources', 'test', 'code'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/Git says: fatal: unable to access 'https:\/\/127\.0\.0\.1:1/);
});

describe('next steps', () => {
  it('name the command as it works where it was called from', async () => {
    const cwd = temporaryFolder({ 'docs/retries.md': RETRIES });
    const through = { cwd, env: { npm_command: 'exec', npm_config_user_agent: 'npm/11.0.0 node/v24' } };
    expect((await runRagstone(['search', 'x'], through)).stderr).toContain(
      'Run `npx ragstone index FOLDER` first',
    );
    expect((await runRagstone(['index', 'docs'], through)).stderr).toContain('Next: npx ragstone search');
    expect((await runRagstone(['index', '--help'], through)).stdout).toContain(
      '$ npx ragstone index docs README.md',
    );
  });
});

describe('the index of a project', () => {
  it('is found from the folders below it, whatever the command', async () => {
    const cwd = temporaryFolder({ 'docs/guides/retries.md': RETRIES, 'docs/b.md': '# B\n\nOther.\n' });
    await runRagstone(['index', 'docs'], { cwd });
    const below = join(cwd, 'docs/guides');
    const found = await ragstoneJson<{ results: readonly unknown[] }>(['search', 'backoff'], { cwd: below });
    expect(found.document.results).not.toEqual([]);
    const index = await runRagstone(['index'], { cwd: below });
    expect(index.stderr).toContain(`This is the index of ${cwd}.`);
    expect(index.stdout).toContain('2 documents');
    expect((await runRagstone(['verify'], { cwd: below })).code).toBe(0);
    expect(existsSync(join(below, '.ragstone'))).toBe(false);
  });

  it('is called empty where every file failed, and what was tried is said to be elsewhere', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': 'no\0text\0\0' });
    const { code, stdout, stderr } = await runRagstone(['index', 'docs'], { cwd });
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('1 failure; nothing was indexed:')]);
    const asked = await runRagstone(['ask', 'is it broken?'], { cwd });
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('holds no document')]);
    const other = temporaryFolder({ 'docs/a.md': '# Logs\n\nLogs are kept for 30 days.' });
    await runRagstone(['try', 'docs', 'how long are logs kept?'], { cwd: other });
    expect((await runRagstone(['ask', 'logs'], { cwd: other })).stderr).toContain(
      '`ragstone try` keeps what it read',
    );
  });

  it('is named where nothing is indexed in it', async () => {
    const cwd = temporaryFolder({ 'ragstone.yaml': 'rag: { provider: libsql }\n' });
    mkdirSync(join(cwd, 'docs'));
    for (const command of ['search x', 'ask x', 'status', 'verify', 'explain-miss x y']) {
      const { code, stderr } = await runRagstone(command.split(' '), { cwd: join(cwd, 'docs') });
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toContain(`Nothing is indexed in ${join(cwd, '.ragstone')} yet`);
    }
  });
});
