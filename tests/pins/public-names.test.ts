import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Entry points of the package, by what a program imports. */
const ENTRIES = {
  ragstone: '../../src/index.ts',
  'ragstone/backlog': '../../src/compat/backlog/index.ts',
  'ragstone/client': '../../src/faces/client/index.ts',
  'ragstone/knowledge-store': '../../src/compat/knowledge-store/index.ts',
  'ragstone/mcp': '../../src/faces/mcp/index.ts',
  'ragstone/service': '../../src/faces/service/index.ts',
  'ragstone/testing': '../../src/testing/index.ts',
};

/** What an entry exports, sorted; types are marked. It may do nothing but export by name. */
function exportedNames(file: string): string[] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const source = ts.createSourceFile(basename(path), readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const names = source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) throw new Error(`${file} does more than export.`);
    const { exportClause, isTypeOnly } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause))
      throw new Error(`${file} exports without names.`);
    return exportClause.elements.map((element) =>
      isTypeOnly || element.isTypeOnly ? `type ${element.name.text}` : element.name.text,
    );
  });
  return names.sort();
}

test('the package exports these names; each more or less is a promise made or broken', async () => {
  const page = Object.entries(ENTRIES).map(([entry, file]) =>
    [`# ${entry}`, ...exportedNames(file)].join('\n'),
  );
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot('public-names.txt');
});

/** Types that the methods of an interface name. */
function typesNamedBy(file: string, names: readonly string[]): string[] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) found.add(node.typeName.text);
    ts.forEachChild(node, visit);
  };
  for (const statement of source.statements)
    if (ts.isInterfaceDeclaration(statement) && names.includes(statement.name.text))
      statement.members.forEach(visit);
  return [...found];
}

test('what the methods of an engine take and give can be named', () => {
  const exported = new Set(exportedNames(ENTRIES.ragstone).map((name) => name.replace(/^type /, '')));
  const ofPlatform = new Set(['Promise', 'AsyncIterable', 'AbortSignal', 'Pick']);
  const named = typesNamedBy('../../src/operations/engine.ts', ['EngineView', 'Engine']);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !exported.has(name) && !ofPlatform.has(name))).toEqual([]);
});

test('what is not marked as a type can be imported', async () => {
  const names = exportedNames(ENTRIES.ragstone).filter((name) => !name.startsWith('type '));
  expect(Object.keys(await import('../../src/index.js')).sort()).toEqual(names);
});
