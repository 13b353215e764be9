import { beforeAll, describe, expect, test } from 'vitest';
import type { IndexStatus, SearchResponse, VerifyResult } from '../../src/index.js';
import { documentOf, type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

const DOCUMENTS = {
  'docs/marmalade.md': '# Marmalade\n\nThe marmalade queue is drained hourly.\n',
  'docs/quoted.md': `---\n"a'b": "1; drop"\nstate: "x' OR '1'='1"\n---\n# Quoted\n\nThe marmalade with odd fields.\n`,
  'docs/operators.md': '# Operators\n\nAn operator such as NEAR or AND joins terms.\n',
};

describe.each(['lancedb', 'libsql'])('queries and filters are never code (%s)', (provider) => {
  const cwd = sharedFolder({ 'ragstone.yaml': `rag: { provider: ${provider} }\n`, ...DOCUMENTS });
  beforeAll(async () => {
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  const sourcesOf = ({ document }: { document: SearchResponse }): string[] =>
    document.results.map(({ metadata }) => metadata.source);

  const filtered = (filter: string) =>
    ragstoneJson<SearchResponse>(['search', 'marmalade', '--filter', filter], { cwd });

  test.each(['', '   ', '\n\t'])('%j is refused as empty, with 2', async (query) => {
    const { code, document } = await ragstoneJson<ErrorDocument>(['search', query], { cwd });
    expect(code).toBe(2);
    expect(document.error).toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('is empty. Write what is meant'),
    });
  });

  test('a query of 100 kB is cut, and says so', async () => {
    const { code, document } = await ragstoneJson<SearchResponse>(
      ['search', `marmalade ${'queue '.repeat(17_000)}`],
      { cwd },
    );
    expect(code).toBe(0);
    expect(document.results[0]?.metadata.source).toBe('marmalade.md');
    expect(document.notices).toEqual([expect.stringMatching(/102009 characters; only the first 8192/)]);
  });

  test('only stop words: the lexical lane says why it is empty', async () => {
    const { code, document } = await ragstoneJson<SearchResponse>(['search', 'the of and'], { cwd });
    expect(code).toBe(0);
    expect(document.degradationLevel).toBe(0);
    expect(document.lanes.find(({ lane }) => lane === 'lexical')).toMatchObject({
      status: 'empty',
      reason: expect.stringContaining('nearly every text'),
    });
  });

  test.each([
    ['marmalade AND (', 'marmalade.md'],
    ['"marmalade queue', 'marmalade.md'],
    ['marmalade*:^~ NOT', 'marmalade.md'],
    ["marmalade queue'); DELETE FROM chunks;--", 'marmalade.md'],
    ['NEAR/3 operator', 'operators.md'],
  ])('the operators of %j are text', async (query, source) => {
    const { code, document } = await ragstoneJson<SearchResponse>(['search', query, '--mode', 'lexical'], {
      cwd,
    });
    expect(code).toBe(0);
    expect(document.results[0]?.metadata.source).toBe(source);
    expect(document.degradationLevel).toBe(0);
  });

  test('a query that looks like an option is a query after --', async () => {
    const outcome = await runRagstone(['search', '--json', '--', '--force marmalade queue'], { cwd });
    expect(outcome.code).toBe(0);
    expect(sourcesOf({ document: documentOf(outcome) })[0]).toBe('marmalade.md');
  });

  test.each([
    ["a'b=1; drop", ['quoted.md']],
    ["state=x' OR '1'='1", ['quoted.md']],
    ["state=y' OR '1'='1", []],
    ['a"b=1', []],
    ['a.b[0]=1', []],
    ['__proto__=1', []],
    ['constructor=1', []],
    ['a\nb=%', []],
    ['source=marmalade.md', ['marmalade.md']],
  ])('the filter %j admits exactly what it names', async (filter, expected) => {
    const outcome = await filtered(filter);
    expect(outcome.code).toBe(0);
    expect(sourcesOf(outcome)).toEqual(expected);
  });

  test.each(['$tenant=other', '=x', 'nothing'])('the filter %j is refused with 2', async (filter) => {
    const { code, document } = await ragstoneJson<ErrorDocument>(['search', 'x', '--filter', filter], {
      cwd,
    });
    expect(code).toBe(2);
    expect(document.error.reason).toBe('USAGE');
  });

  test('after all of them the index is whole', async () => {
    expect(await ragstoneJson<VerifyResult>(['verify'], { cwd })).toMatchObject({ document: { ok: true } });
    expect(await ragstoneJson<IndexStatus>(['status'], { cwd })).toMatchObject({
      document: { documents: 3 },
    });
  });
});
