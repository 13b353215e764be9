import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeUnit, ParsedDocument } from '../../core/document.js';
import { codeMediaType, PARSED_LANGUAGES, type ParsedLanguage } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { type CodeParserOptions, createCodeParser } from './code-parser.js';

const parse = async (
  content: string | Uint8Array,
  language: ParsedLanguage | 'other' = 'typescript',
  options: CodeParserOptions = {},
): Promise<ParsedDocument> =>
  createCodeParser(options).parse({
    externalId: 'src/a.file',
    mediaType: codeMediaType(language),
    content,
    metadata: {},
    access: OPEN_ACCESS,
  });

const symbolsOf = (units: readonly CodeUnit[]): string[] =>
  units.flatMap(({ symbol, children }) => [
    ...(symbol === undefined ? [] : [symbol]),
    ...symbolsOf(children),
  ]);

const symbolsIn = async (content: string, language: ParsedLanguage): Promise<string[]> =>
  symbolsOf((await parse(content, language)).code?.units ?? []);

/** Long enough to be looked into. */
const FILLER = `${'x'.repeat(90)}`;

describe('definitions by language', () => {
  it.each<[ParsedLanguage, string, string[]]>([
    [
      'typescript',
      `export class Store<T> {\n  #size = 0;\n  /** ${FILLER} */\n  async upsert(a: T) { }\n}\nexport const open = async () => {};\ninterface Options { a: 1 }\ntype Id = string;\n`,
      ['class Store', 'field #size', 'method upsert', 'function open', 'interface Options', 'type Id'],
    ],
    ['tsx', 'export function App() {\n  return <b>{1}</b>;\n}\n', ['function App']],
    [
      'javascript',
      'module.exports.find = function () {};\nclass A {}\nconst LIMIT = 3;\n',
      ['function module.exports.find', 'class A', 'const LIMIT'],
    ],
    [
      'python',
      `@cached\ndef load(path):\n    """Reads."""\n    return path\n\nclass Index(Base):\n    # ${FILLER}\n    def search(self):\n        pass\n`,
      ['function load', 'class Index', 'function search'],
    ],
    [
      'go',
      'package a\n\nfunc (s *Server) Start() error {\n\treturn nil\n}\n\ntype Config struct {\n\tA int\n}\n\nfunc main() {}\n',
      ['method Server.Start', 'type Config', 'function main'],
    ],
    [
      'rust',
      `/// ${FILLER}\n#[derive(Debug)]\npub struct Chunk { a: i32 }\nimpl<T> Display for Chunk<T> {\n    fn fmt(&self) { /* ${FILLER} */ }\n}\n`,
      ['struct Chunk', 'impl Display for Chunk<T>', 'function fmt'],
    ],
    [
      'java',
      `package a;\n/** doc */\n@Service\npublic class Api extends B {\n  Api(int a) { }\n  public void get(int a) { /* ${FILLER} */ }\n}\n`,
      ['class Api', 'constructor Api', 'method get'],
    ],
    [
      'csharp',
      `namespace A;\n[Serializable]\npublic class Api : B {\n  public int Size { get; set; }\n  public void Get<T>(int a) { /* ${FILLER} */ }\n}\n`,
      ['class Api', 'property Size', 'method Get'],
    ],
    [
      'cpp',
      'template <class T>\nclass Box {\n int get() { return 1; }\n};\nint Box::size(int *x) {\n  return 1;\n}\n#define MAX(a) a\n',
      ['class Box', 'function Box::size', 'macro MAX'],
    ],
    [
      'c',
      'struct node { int a; };\nstatic int *find(int a) { return 0; }\n',
      ['struct node', 'function find'],
    ],
    [
      'ruby',
      `module M\n  class Job < Base\n    # ${FILLER}\n    def perform(a)\n      1\n    end\n  end\nend\n`,
      ['module M', 'class Job', 'method perform'],
    ],
    [
      'php',
      `<?php\nclass Api { /* ${FILLER} */\n public function get() {}\n}\nfunction f() {}\n`,
      ['class Api', 'method get', 'function f'],
    ],
    ['bash', '#!/bin/bash\n# says hello\nhello() {\n  echo hi\n}\n', ['function hello']],
    ['powershell', 'function Get-Item {\n param($a)\n}\n', ['function Get-Item']],
    ['css', '.card > h2 {\n color: red;\n}\n', ['rule .card > h2']],
    ['ini', '[database]\nhost=a\n', ['section database']],
  ])('%s', async (language, source, symbols) => {
    expect(await symbolsIn(source, language)).toEqual(symbols);
  });

  it('names no variables inside of functions', async () => {
    const source = `function run() {\n  const { a, b } = options;\n  const total = a + b;\n  return total; // ${FILLER}\n}\n`;
    expect(await symbolsIn(source, 'typescript')).toEqual(['function run']);
  });

  it('keeps comments, attributes and decorators with what they stand above, up to a blank line', async () => {
    const source = '// Licence.\n\n// About f.\n// More.\nfunction f() {}\n\n@dec\nclass A {}\n';
    const { text, code } = await parse(source);
    expect(code?.units.map(({ start, end }) => text.slice(start, end))).toEqual([
      '// Licence.',
      '// About f.\n// More.\nfunction f() {}',
      '@dec\nclass A {}',
    ]);
  });
});

describe('what a source file becomes', () => {
  it('has its path as title, and its language as metadata', async () => {
    expect(await parse('let a = 1;')).toMatchObject({
      title: 'src/a.file',
      metadata: { language: 'typescript' },
      warnings: [],
    });
  });

  it('reads a language without a grammar as paragraphs, without a warning for each file', async () => {
    const parsed = await parse('fun a() {}\n\nfun b() {}\n', 'other');
    expect(parsed.code).toBeUndefined();
    expect(parsed.blocks).toHaveLength(2);
    expect(parsed.warnings).toEqual([]);
  });

  it('says when most of a file is not in its language, and keeps its paragraphs', async () => {
    const parsed = await parse(')]} once upon a time ((( there was\n\n@@ no %% code at all ]]', 'java');
    expect(parsed.code).toBeUndefined();
    expect(parsed.blocks).toHaveLength(2);
    expect(parsed.warnings).toEqual([expect.stringContaining('does not follow the syntax of java')]);
  });

  it('says when a file is too long or takes too long', async () => {
    const long = 'let a = 1;\n'.repeat(20_000);
    expect((await parse(long, 'typescript', { maxLength: 1_000 })).warnings).toEqual([
      expect.stringContaining('longer than 1000 characters'),
    ]);
    const late = await parse(long, 'typescript', { maxParseMs: -1 });
    expect(late.code).toBeUndefined();
    expect(late.warnings).toEqual([expect.stringContaining('took longer')]);
  });

  it.each([
    ['here-documents that nothing closes', '<<A'.repeat(5_000)],
    ['the same on lines', '<<A\n'.repeat(1_000)],
    ['closing brackets', ')'.repeat(5_000)],
    ['labels of no case', 'a)\n'.repeat(1_000)],
    ['signs of patterns', 'a? '.repeat(5_000)],
  ])('reads no script whose syntax takes the square of its length: %s', async (_, source) => {
    const { code, warnings } = await parse(source, 'bash');
    expect(code).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('in bounded time')]);
  });

  it('reads a long script of functions, cases and here-documents', async () => {
    const one = (at: number) =>
      `f${at}() {\n  case "$1" in\n    a) echo 1 ;;\n    *) echo 2 ;;\n  esac\n  cat <<EOF\nsmile :)\nEOF\n}\n`;
    const script = Array.from({ length: 300 }, (_, at) => one(at)).join('\n');
    expect(await parse(script, 'bash')).toMatchObject({ code: { language: 'bash' }, warnings: [] });
  });

  it('looks through a few modifiers for a definition, not through any number', async () => {
    expect(await symbolsIn(`export declare abstract class A {}\n`, 'typescript')).toEqual(['class A']);
    const { text, blocks } = await parse(`${'declare '.repeat(6_250)}class A {}\n`);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.at(-1)?.end).toBe(text.trimEnd().length);
  });

  it('names a method by its receiver, of a long one by its end', async () => {
    const method = (receiver: string): string =>
      `package a\n\nfunc (${receiver}) Get() int {\n\treturn 1\n}\n`;
    expect(await symbolsIn(method('s *Store[K, V]'), 'go')).toEqual(['method Store.Get']);
    expect(await symbolsIn(method(`s ${'A'.repeat(1_000)},`), 'go')).toEqual(['method Get']);
  });

  it('survives code nested without end', async () => {
    const parsed = await parse(`let a = ${'['.repeat(20_000)}${']'.repeat(20_000)};\nlet b = 1;`);
    expect(parsed.text).toHaveLength(40_020);
    expect(parsed.blocks.length).toBeGreaterThan(0);
  });
});

/** Real code in pieces that are put together in any order. */
const OWN_LINES = readFileSync(new URL('./code-parser.ts', import.meta.url), 'utf8').split('\n');
const shuffled = fc
  .array(fc.constantFrom(...OWN_LINES, '}', '{', '/*', '"', '日本', '  ', '', '\t// x', '`'), {
    maxLength: 60,
  })
  .map((lines) => lines.join('\n'));

describe('for any text', () => {
  const source = fc.oneof(shuffled, fc.string({ unit: 'binary' }), fc.string());

  it('units nest, come in order, and leave out white space only', async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.constantFrom(...PARSED_LANGUAGES), async (content, language) => {
        if (content.includes('\0')) return;
        const { text, code, blocks } = await parse(content, language);
        checkOrder(text, code?.units ?? blocks, { start: 0, end: text.length });
        expect(uncovered(text, code?.units ?? blocks)).toBe('');
      }),
      { numRuns: 150 },
    );
  });

  it('random bytes are refused or read, never a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await parse(bytes, 'rust').then(
          ({ blocks }) => expect(Array.isArray(blocks)).toBe(true),
          (error: unknown) => expect(error).toMatchObject({ code: 'E003' }),
        );
      }),
    );
  });
});

interface Range {
  readonly start: number;
  readonly end: number;
  readonly children?: readonly CodeUnit[];
}

function checkOrder(text: string, units: readonly Range[], within: Range): void {
  let at = within.start;
  for (const unit of units) {
    expect(unit.start).toBeGreaterThanOrEqual(at);
    expect(unit.end).toBeGreaterThan(unit.start);
    expect(unit.end).toBeLessThanOrEqual(within.end);
    checkOrder(text, unit.children ?? [], unit);
    at = unit.end;
  }
}

function uncovered(text: string, units: readonly Range[]): string {
  let rest = '';
  let at = 0;
  for (const unit of units) {
    rest += text.slice(at, unit.start);
    at = unit.end;
  }
  return (rest + text.slice(at)).trim();
}
