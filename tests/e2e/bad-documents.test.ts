import { chmodSync, existsSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { IndexResult, SearchResponse, SearchResult, VerifyResult } from '../../src/index.js';
import { finished, ragstoneJson, runRagstone, startRagstone } from './run-ragstone.js';
import { sharedFolder, temporaryFolder, writeFiles } from './temporary-folder.js';
import { UNPRIVILEGED } from './unprivileged.js';

if (UNPRIVILEGED === undefined)
  console.warn('the unreadable file is skipped: this user reads every file, and setpriv is absent');

const MEGABYTE = 1024 * 1024;
const DEPTH = 10_000;
const cwd = sharedFolder({ 'ragstone.yaml': 'rag: { provider: libsql }\n' });
const marker = join(cwd, 'MARKER');

/** Good when they are first indexed, bad at the second run. */
const SPOILED = ['binary.md', 'half-pair.md', 'huge.md', 'secret.md'];

const GOOD: Record<string, string> = Object.fromEntries(
  SPOILED.map((name) => [`docs/${name}`, `# Before\n\nThe earlier text of ${name.slice(0, -3)}.\n`]),
);

const BAD: Record<string, string | Uint8Array> = {
  'docs/binary.md': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 1, 2, 3]),
  'docs/half-pair.md': Buffer.from('\uFEFF# Caf\uD800\n', 'utf16le'),
};

const ODD: Record<string, string | Uint8Array> = {
  'docs/good.md': '# Good\n\nThe marmalade queue is drained hourly.\n',
  'docs/bom.md': '\uFEFF---\ntitle: Marked\n---\n\nA bombastic trombone.\n',
  'docs/crlf.md':
    '---\r\ntitle: Returned\r\n---\r\n# Carriage\r\n\r\nFirst part.\r\n\r\n## Two\r\n\r\nThe gondola.\r\n',
  'docs/lists.md': `# Lists\n\n${'- '.repeat(DEPTH)}the deepest pomegranate\n`,
  'docs/indented.md': `# Steps\n\n${Array.from({ length: DEPTH }, (_, i) => `${' '.repeat(2 * (i % 500))}- step${i}`).join('\n')}\n`,
  'docs/quotes.md': `# Quotes\n\n${'>'.repeat(DEPTH)} the innermost albatross\n`,
  'docs/line.md': `# Line\n\n${'word after word '.repeat(5 * 65_536)}zanzibar\n`,
  'docs/empty.md': '',
  'docs/a\nnewline.md': '# Newline\n\nA pathological name.\n',
  'docs/emoji 🦄.md': '# Emoji\n\nA unicorn as a name.\n',
  'docs/bomb.md': `---\n${yamlBomb()}---\n# Bomb\n\nThe defused kaleidoscope.\n`,
  'docs/broken.md': '---\ntitle: [never closed\nb: : :\n---\n# Broken\n\nThe mended porcelain.\n',
  'docs/script.md': `---js\n{ title: require('fs').writeFileSync(${JSON.stringify(marker)}, 'ran') }\n---\n# Script\n\nThe inert dynamite.\n`,
};

function yamlBomb(): string {
  const names = [...'abcdefghi'];
  const lines = names.map((name, level) => {
    const item = level === 0 ? 'boom' : `*${names[level - 1]}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(', ')}]\n`;
  });
  return `${lines.join('')}title: *i\n`;
}

let before: IndexResult;
let code: number | null;
let result: IndexResult;

beforeAll(async () => {
  writeFiles(cwd, GOOD);
  before = (await ragstoneJson<IndexResult>(['index', 'docs'], { cwd })).document;
  writeFiles(cwd, { ...BAD, ...ODD });
  writeFiles(cwd, { 'docs/huge.md': 'x' });
  truncateSync(join(cwd, 'docs/huge.md'), 50 * MEGABYTE);
  writeFiles(cwd, { 'docs/secret.md': '# After\n\nNobody may read this.\n' });
  chmodSync(join(cwd, 'docs/secret.md'), 0);
  symlinkSync('.', join(cwd, 'docs/loop'));
  symlinkSync('itself.md', join(cwd, 'docs/itself.md'));
  const run = await ragstoneJson<IndexResult>(['index', 'docs'], { cwd, ...UNPRIVILEGED });
  code = run.code;
  result = run.document;
});

const failureOf = (item: string) => result.stats.errors.find((error) => error.item === item);
const noticesOf = (item: string) => result.notices.filter((notice) => notice.startsWith(`${item}: `));

async function search(query: string): Promise<SearchResult | undefined> {
  const { document } = await ragstoneJson<SearchResponse>(
    ['search', query, '--mode', 'lexical', '--top-k', '1'],
    { cwd },
  );
  return document.results[0];
}

describe('documents that cannot be read', () => {
  test('fail the run with 1, each by itself, and everything else is indexed', () => {
    expect(before).toMatchObject({ success: true, stats: { documentsProcessed: SPOILED.length } });
    expect(code).toBe(1);
    expect(result.success).toBe(false);
    const failed = UNPRIVILEGED === undefined ? SPOILED.filter((name) => name !== 'secret.md') : SPOILED;
    expect(result.stats.errors.map(({ item }) => item).sort()).toEqual([...failed].sort());
    expect(result.stats.documentsFailed).toBe(failed.length);
    expect(result.stats.documentsDeleted).toBe(0);
    expect(result.stats.documentsProcessed).toBe(Object.keys(ODD).length + SPOILED.length - failed.length);
  });

  test.each([
    ['binary.md', 'DOCUMENT_NOT_TEXT', /not a text file.*Exclude it/],
    ['half-pair.md', 'DOCUMENT_INVALID_ENCODING', /not valid UTF-16LE.*Save the file as UTF-8/],
    ['huge.md', 'DOCUMENT_TOO_LARGE', /has 52428800 bytes.*maxFileBytes/],
  ])('%s is %s, and the message says what to do', (item, reason, message) => {
    expect(failureOf(item)).toMatchObject({ reason, message: expect.stringMatching(message) });
  });

  test.skipIf(UNPRIVILEGED === undefined)(
    'secret.md is DOCUMENT_UNREADABLE, and the message says what to do',
    () => {
      expect(failureOf('secret.md')).toMatchObject({
        reason: 'DOCUMENT_UNREADABLE',
        message: expect.stringMatching(/Permission is denied: grant read access/),
      });
    },
  );

  test.each(SPOILED.filter((name) => name !== 'secret.md' || UNPRIVILEGED !== undefined))(
    'what was indexed of %s before stays',
    async (name) => {
      const hit = await search(`earlier ${name.slice(0, -3)}`);
      expect(hit?.metadata.source).toBe(name);
      expect(hit?.content).toContain('The earlier text');
    },
  );

  test('verify names them, with 1', async () => {
    const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd, ...UNPRIVILEGED });
    expect(verified.code).toBe(1);
    const named = verified.document.drift.map(({ source }) => source);
    expect([...new Set(named)].sort()).toEqual(result.stats.errors.map(({ item }) => item).sort());
  });
});

describe('documents that are odd and whole', () => {
  test.each([
    ['good.md', 'marmalade', 'Good'],
    ['bom.md', 'bombastic trombone', 'Marked'],
    ['crlf.md', 'gondola', 'Returned'],
    ['lists.md', 'deepest pomegranate', 'Lists'],
    ['indented.md', 'step9999', 'Steps'],
    ['quotes.md', 'innermost albatross', 'Quotes'],
    ['line.md', 'zanzibar', 'Line'],
    ['a\nnewline.md', 'pathological', 'Newline'],
    ['emoji 🦄.md', 'unicorn', 'Emoji'],
    ['bomb.md', 'kaleidoscope', 'Bomb'],
    ['broken.md', 'porcelain', 'Broken'],
    ['script.md', 'inert dynamite', 'Script'],
  ])('%j is found by its words', async (source, query, title) => {
    const hit = await search(query);
    expect(hit?.metadata).toMatchObject({ source, title });
    expect(failureOf(source)).toBeUndefined();
  });

  test('a byte order mark is no part of the text, and CRLF stays in it', async () => {
    expect((await search('trombone'))?.content).not.toContain('\uFEFF');
    const gondola = await search('gondola');
    expect(gondola?.content).toMatch(/\r\n## Two\r\n\r\nThe gondola\.$/);
    expect(gondola?.metadata.lines.end).toBe(10);
  });

  test.each([
    ['bomb.md', /not valid YAML.*alias/],
    ['broken.md', /not valid YAML/],
    ['script.md', /another language was not read: YAML, TOML and JSON are/],
    ['lists.md', /nested very deep/],
    ['quotes.md', /nested very deep/],
  ])('%s is reported in a notice', (source, notice) => {
    expect(noticesOf(source)).toEqual([expect.stringMatching(notice)]);
  });

  test('front matter that is a program is never run', () => {
    expect(existsSync(marker)).toBe(false);
  });

  test('a name with a newline is one line on a terminal', async () => {
    const { stdout } = await runRagstone(['search', 'pathological', '--mode', 'lexical'], { cwd });
    expect(stdout).toContain('a newline.md:1-3');
  });
});

describe('a file that goes while the run is under way', () => {
  test('is indexed or reported, never the end of the run, and the next run is clean', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `docs/file-${i}.md`);
    const folder = temporaryFolder({
      'ragstone.yaml': 'rag: { provider: libsql }\n',
      ...Object.fromEntries(names.map((name) => [name, `# ${name}\n\n${'Words on queues. '.repeat(200)}`])),
    });
    const child = startRagstone(['index', 'docs', '--json', '--log-level', 'debug', '--parallel', '1'], {
      cwd: folder,
    });
    child.stderr.once('data', () => {
      for (const name of names.slice(50)) rmSync(join(folder, name));
    });
    const outcome = await finished(child);
    const { stats } = JSON.parse(outcome.stdout) as IndexResult;
    expect(outcome.code).toBe(stats.errors.length === 0 ? 0 : 1);
    expect(stats.errors.filter(({ reason }) => reason !== 'DOCUMENT_VANISHED')).toEqual([]);
    expect(stats.documentsProcessed).toBeGreaterThanOrEqual(50);
    const next = await ragstoneJson<IndexResult>(['index', 'docs'], { cwd: folder });
    expect(next).toMatchObject({ code: 0, document: { success: true } });
    const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd: folder });
    expect(verified).toMatchObject({ code: 0, document: { ok: true } });
  });
});
