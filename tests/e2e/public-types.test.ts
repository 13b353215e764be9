import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

const { dependencies, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]));

/** Packages whose types a consumer's compiler looks for when it reads a declaration file and all that it refers to. */
function packagesOf(entry: string): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(file, 'utf8'));
    for (const { fileName } of [...importedFiles, ...typeReferenceDirectives]) {
      if (fileName.startsWith('.')) visit(join(dirname(file), fileName.replace(/\.js$/, '.d.ts')));
      else if (!fileName.startsWith('node:'))
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(fileName)?.[0] ?? fileName);
    }
  };
  visit(join(ROOT, entry));
  return packages;
}

/** Packages that importers of an entry have: the service is a plugin of Fastify. */
const BROUGHT: Readonly<Record<string, readonly string[]>> = {
  './dist/faces/service/index.d.ts': ['fastify'],
};

test.each(entries)('%s can be compiled without an optional package', (entry) => {
  const missing = [...packagesOf(entry)].filter((name) => !(name in dependencies));
  expect(missing).toEqual(BROUGHT[entry] ?? []);
});

test('there is an entry to look at, and it refers to some package', () => {
  expect(entries).toHaveLength(7);
  expect([...packagesOf('dist/index.d.ts')]).toContain('zod');
});

test.each([
  ['dist/index.d.ts', 'Engine'],
  ['dist/index.d.ts', 'EngineView'],
  ['dist/faces/client/index.d.ts', 'RagstoneClient'],
])('%s: an editor shows what each method of %s does', (entry, name) => {
  const file = join(ROOT, entry);
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = checker.getExportsOfModule(module as ts.Symbol).find((one) => one.name === name);
  const type = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol as ts.Symbol));
  const isCalled = (method: ts.Symbol): boolean =>
    checker.getTypeOfSymbol(method).getCallSignatures().length > 0 && !method.name.startsWith('__#');
  const methods = type.getProperties().filter(isCalled);
  expect(methods.length).toBeGreaterThan(20);
  const silent = methods.filter((method) => method.getDocumentationComment(checker).length === 0);
  expect(silent.map((method) => method.name)).toEqual([]);
});
