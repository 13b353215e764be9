import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.js';
import { CliContext } from '../../src/faces/cli/context.js';
import { buildProgram } from '../../src/faces/cli/program.js';
import { deadLinks, PAGES, ROOT, samplesIn } from './samples.js';

/** A file that a sample says the reader has. */
const READERS_OWN = {
  'my-store.ts': `import type { VectorStore } from 'ragstone'; export declare const createMyStore: () => VectorStore;`,
};

test('every program passes the strict compiler', () => {
  const programs = samplesIn('ts').map(({ place, text }, index) => ({
    place,
    name: `sample-${index}.ts`,
    text,
  }));
  // In a folder from which packages are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.samples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { ...READERS_OWN, ...Object.fromEntries(programs.map(({ name, text }) => [name, text])) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const entries = ['', '/client', '/backlog', '/knowledge-store', '/mcp', '/service', '/testing'];
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    // As they are installed.
    compilerOptions: {
      paths: Object.fromEntries(
        entries.map((name) => [`ragstone${name}`, [join(ROOT, `dist${name}/index.d.ts`)]]),
      ),
    },
    include: [],
    files: programs.map(({ name }) => name),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  const told = programs.reduce((text, { name, place }) => text.replaceAll(name, place), stdout);
  expect(told).toBe('');
  expect(programs.length).toBeGreaterThan(5);
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
