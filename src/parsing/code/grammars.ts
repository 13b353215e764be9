import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as TreeSitter from 'web-tree-sitter';
import type { ParsedLanguage } from '../../core/media-types.js';
import { readRegularFile } from '../../platform/security/regular-file.js';

/** Names of the grammar files in `@vscode/tree-sitter-wasm`. C is read as the part of C++ that it almost is. */
const GRAMMAR_FILES: Readonly<Record<ParsedLanguage, string>> = {
  bash: 'bash',
  c: 'cpp',
  cpp: 'cpp',
  csharp: 'c-sharp',
  css: 'css',
  go: 'go',
  ini: 'ini',
  java: 'java',
  javascript: 'javascript',
  php: 'php',
  powershell: 'powershell',
  python: 'python',
  ruby: 'ruby',
  rust: 'rust',
  tsx: 'tsx',
  typescript: 'typescript',
};

/**
 * Memory of the WebAssembly runtime, in pages of 64 KiB: a million characters of dense code take up to 200 MiB, and 10 KB that read in many ways all
 * there is, of which more is only slower.
 */
const MEMORY = { initial: 512, maximum: 4_096 };

/** What the types of Node lack of it. */
declare const WebAssembly: { readonly Memory: new (pages: typeof MEMORY) => object };

let runtime: Promise<typeof TreeSitter> | undefined;
const languages = new Map<string, Promise<TreeSitter.Language>>();

/** A parser for a language, to be deleted after use. Loads the WebAssembly runtime and the grammar once a process. */
export async function parserFor(language: ParsedLanguage): Promise<TreeSitter.Parser> {
  runtime ??= loadRuntime();
  const treeSitter = await runtime;
  const file = GRAMMAR_FILES[language];
  const grammar = languages.get(file) ?? loadGrammar(file, treeSitter);
  languages.set(file, grammar);
  return new treeSitter.Parser().setLanguage(await grammar);
}

async function loadRuntime(): Promise<typeof TreeSitter> {
  const treeSitter = await import('web-tree-sitter');
  await treeSitter.Parser.init({ wasmMemory: new WebAssembly.Memory(MEMORY) });
  return treeSitter;
}

async function loadGrammar(file: string, { Language }: typeof TreeSitter): Promise<TreeSitter.Language> {
  const path = createRequire(import.meta.url).resolve(
    `@vscode/tree-sitter-wasm/wasm/tree-sitter-${file}.wasm`,
  );
  const code = await readRegularFile(path);
  return withoutOptimising(() => Language.load(code));
}

/**
 * Has V8 keep the code of a WebAssembly module as its first compiler makes it. The lexer of a grammar is one function of up to a megabyte, hot after a few
 * lines; optimising that of PowerShell takes 4 s of processor in a thread that the end of the process waits for, and speeds up no grammar. The flags are the
 * process's; modules keep what was set when they were compiled, and "no tier-up" concerns those alone that were compiled without dynamic tiering.
 */
async function withoutOptimising<Module>(compile: () => Promise<Module>): Promise<Module> {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return await compile();
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
