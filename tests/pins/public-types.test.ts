import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRIES = [
  'index',
  'compat/backlog/index',
  'faces/client/index',
  'compat/knowledge-store/index',
  'faces/mcp/index',
  'faces/service/index',
  'testing/index',
];

/** The declarations of one file, as a program that imports it sees them. */
interface DeclaredFile {
  readonly statements: ReadonlyMap<string, readonly ts.Statement[]>;
  /** By the name that the file gives it: whose it is, and its name there. */
  readonly imported: ReadonlyMap<string, Place>;
  readonly source: ts.SourceFile;
}
interface Place {
  readonly file: string;
  readonly name: string;
}

test('the package declares these values and types, and they name these types; where they stand does not matter', async () => {
  const reached = new Map<string, string>();
  const fileOf = declaredFiles();
  const waiting: (Place & { readonly isExported: boolean })[] = ENTRIES.flatMap((entry) => {
    const file = `${ROOT}src/${entry}.ts`;
    return [...fileOf(file).imported.keys()].map((name) => ({ file, name, isExported: true }));
  });
  // Those that are exported first, for of others only the types count.
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { file, name, isExported } = place;
    const { statements, imported, source } = fileOf(file);
    const elsewhere = imported.get(name);
    if (elsewhere !== undefined) waiting.unshift({ ...elsewhere, isExported });
    const declared = (statements.get(name) ?? []).filter((statement) => isExported || isType(statement));
    if (declared.length === 0 || reached.has(`${name} ${file}`)) continue;
    reached.set(`${name} ${file}`, declared.map((statement) => textOf(statement, source)).join('\n'));
    for (const statement of declared)
      waiting.unshift(...basesOf(statement, file).map((one) => ({ ...one, isExported: true })));
    for (const statement of declared)
      waiting.push(...namesIn(statement, file).map((one) => ({ ...one, isExported: false })));
  }
  await expect(`${[...reached.values()].sort().join('\n\n')}\n`).toMatchFileSnapshot('./public-types.txt');
});

const isType = (statement: ts.Statement): boolean =>
  ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);

const textOf = (statement: ts.Statement, source: ts.SourceFile): string =>
  statement.getText(source).replace(/^(?:export |declare )+/, '');

/** What a class inherits from. */
const basesOf = (statement: ts.Statement, file: string): Place[] =>
  ts.isClassDeclaration(statement)
    ? (statement.heritageClauses ?? [])
        .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
        .flatMap(({ types }) => types.map(({ expression }) => ({ file, name: expression.getText() })))
    : [];

/** What a declaration names: identifiers of its file, and of others by `import('./x.js').Name`. */
function namesIn(statement: ts.Statement, file: string): Place[] {
  const found: Place[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push({ file, name: node.text });
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const other = ts.isStringLiteral(node.argument.literal) ? node.argument.literal.text : '';
      if (other.startsWith('.') && node.qualifier !== undefined)
        found.push({ file: sourceOf(other, file), name: node.qualifier.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return found;
}

const sourceOf = (specifier: string, from: string): string =>
  join(dirname(from), specifier).replace(/\.js$/, '.ts');

function declaredFiles(): (file: string) => DeclaredFile {
  const files = new Map<string, DeclaredFile>();
  return (file) => {
    const known = files.get(file) ?? readDeclared(file);
    files.set(file, known);
    return known;
  };
}

function readDeclared(file: string): DeclaredFile {
  // File by file, so that no program has to be checked: what is inferred, above all of schemas, is `any` here and stands in settings.txt and routes.txt.
  const { outputText } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { removeComments: true },
  });
  const source = ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest, true);
  const statements = new Map<string, ts.Statement[]>();
  const imported = new Map<string, Place>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      for (const [name, place] of bindingsOf(statement, file)) imported.set(name, place);
    else
      for (const name of namesOf(statement))
        statements.set(name, [...(statements.get(name) ?? []), statement]);
  }
  return { statements, imported, source };
}

function bindingsOf(statement: ts.ImportDeclaration | ts.ExportDeclaration, file: string): [string, Place][] {
  const { moduleSpecifier } = statement;
  const specifier =
    moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  const bindings = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : statement.exportClause;
  if (!specifier.startsWith('.') || bindings === undefined) return [];
  if (!ts.isNamedImports(bindings) && !ts.isNamedExports(bindings)) return [];
  return bindings.elements.map(({ name, propertyName }) => [
    name.text,
    { file: sourceOf(specifier, file), name: (propertyName ?? name).text },
  ]);
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { readonly name?: ts.Node };
  return name === undefined ? [] : [name.getText()];
}
