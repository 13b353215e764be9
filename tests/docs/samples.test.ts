import { join } from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CliContext } from '../../src/cli/context.js';
import { buildProgram } from '../../src/cli/program.js';
import { loadConfig } from '../../src/config/load-config.js';
import { deadLinks, PAGES, ROOT, samplesIn } from './samples.js';

/** A file that a sample says the reader has. */
const READERS_OWN = {
  'my-store.ts': `import type { VectorStore } from 'ragstone'; export declare const createMyStore: () => VectorStore;`,
};

describe('programs', () => {
  const programs = samplesIn('ts');
  const files = new Map([
    ...Object.entries(READERS_OWN),
    ...programs.map(({ text }, index) => [`sample-${index}.ts`, text] as const),
  ]);
  const folder = join(ROOT, 'tests', 'docs');
  const inMemory = (path: string) =>
    path.startsWith(folder) ? files.get(path.slice(folder.length + 1)) : undefined;

  test('every one passes the strict compiler', () => {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
    options.paths = {
      ragstone: [join(ROOT, 'src/index.ts')],
      'ragstone/client': [join(ROOT, 'src/client/index.ts')],
      'ragstone/backlog': [join(ROOT, 'src/backlog/index.ts')],
      'ragstone/knowledge-store': [join(ROOT, 'src/knowledge-store/index.ts')],
      'ragstone/mcp': [join(ROOT, 'src/mcp/index.ts')],
      'ragstone/service': [join(ROOT, 'src/service/index.ts')],
      'ragstone/testing': [join(ROOT, 'src/testing/index.ts')],
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (path) => inMemory(path) !== undefined || fileExists(path);
    host.readFile = (path) => inMemory(path) ?? readFile(path);
    host.getSourceFile = (path, languageVersion, ...rest) => {
      const text = inMemory(path);
      return text === undefined
        ? getSourceFile(path, languageVersion, ...rest)
        : ts.createSourceFile(path, text, languageVersion);
    };
    const names = programs.map((_, index) => join(folder, `sample-${index}.ts`));
    const program = ts.createProgram(names, options, host);
    const faults = names.flatMap((name, index) => {
      const source = program.getSourceFile(name);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) =>
          `${programs[index]?.place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
    expect(faults).toEqual([]);
    expect(programs.length).toBeGreaterThan(5);
  });
});

describe('configurations', () => {
  const configurations = samplesIn('yaml').filter(({ text }) => /^rag:/m.test(text));

  test.each(configurations)('$place is accepted', async ({ text }) => {
    const env = Object.fromEntries(
      [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'.repeat(40)]),
    );
    await expect(loadConfig({ config: parse(text) as never, env })).resolves.toBeDefined();
  });
});

describe('commands', () => {
  const program = buildProgram(new CliContext([], new AbortController().signal));
  const lines = samplesIn('sh', 'console').flatMap(({ place, text }) =>
    text
      .replaceAll(/\s+#.*$/gm, '')
      .split('\n')
      .flatMap((line) => {
        const words = /\bragstone ((?:[a-z-]+)\b.*)$/.exec(line)?.[1];
        return words === undefined || line.includes('npm install ragstone') ? [] : [{ place, words }];
      }),
  );

  test('there are many', () => {
    expect(lines.length).toBeGreaterThan(20);
  });

  test.each(lines)('$place: ragstone $words', ({ words }) => {
    const tokens = words.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const command = commandOf(program, tokens);
    const known = [...program.options, ...command.options].map(({ long }) => long);
    expect(command === program).toBe(tokens[0]?.startsWith('--') ?? false);
    for (const token of tokens) if (token.startsWith('--')) expect(known).toContain(token.split('=')[0]);
  });

  /** The command that the first words name, subcommands included. */
  function commandOf(parent: Command, [name, ...rest]: readonly string[]): Command {
    const found = parent.commands.find((command) => command.name() === name);
    return found === undefined ? parent : commandOf(found, rest);
  }
});

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  expect(deadLinks(page)).toEqual([]);
});
