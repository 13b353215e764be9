import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type Described, describeSymbol } from './describe-symbol.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Section {
  readonly title: string;
  readonly entries: readonly Described[];
}

/** Sections of the main entry point that stand on the second page: what few programs need. */
const PARTS_BEGIN = 'What a program may bring in place of a part';

const HEAD = '<!-- Generated from the comments of the source; do not edit. -->';

const INTRODUCTION = `# Library

${HEAD}

What \`import ... from 'ragstone'\` gives, in the order in which most programs need it. [Getting started](getting-started.md) has a first program.
[Parts](library-parts.md) holds the interfaces that stores, models and sources implement, and \`ragstone/testing\`;
[knowledge store](knowledge-store.md) tells of \`ragstone/knowledge-store\`, [client](client.md) of \`ragstone/client\`, which calls a service, [backlog
pipelines](backlog.md) of \`ragstone/backlog\`. Every failure is a \`RAGError\`: [errors](errors.md).

A property with \`?\` may be left out.`;

const PARTS_INTRODUCTION = `# Library: parts

${HEAD}

The interfaces behind [own parts](own-parts.md), which has a complete program for each, and the suites of \`ragstone/testing\`. What
most programs need is in [library](library.md).`;

/** The text of `docs/library.md` and `docs/library-parts.md`: what every export says of itself. */
export function libraryReference(): { readonly library: string; readonly parts: string } {
  const entries = ['src/index.ts', 'src/testing/index.ts'].map((path) => `${ROOT}${path}`);
  const program = ts.createProgram(entries, compilerOptions());
  const [main = [], testing = []] = entries.map((path) => sectionsOf(program, path));
  const at = main.findIndex(({ title }) => title === PARTS_BEGIN);
  if (at < 0) throw new Error(`src/index.ts has no section "${PARTS_BEGIN}" any more.`);
  const suites = testing.map((section) => ({ ...section, title: '`ragstone/testing`' }));
  return {
    library: page(INTRODUCTION, main.slice(0, at)),
    parts: page(PARTS_INTRODUCTION, [...main.slice(at), ...suites]),
  };
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options;
}

/** The exports of a module under its comments: `// Title: text` begins a section. */
function sectionsOf(program: ts.Program, path: string): Section[] {
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} is not there.`);
  const checker = program.getTypeChecker();
  const sections: { title: string; entries: Described[] }[] = [];
  for (const statement of source.statements) {
    const title = titleAbove(statement, source);
    if (title !== undefined || sections.length === 0) sections.push({ title: title ?? '', entries: [] });
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    for (const { name } of statement.exportClause.elements) {
      const symbol = checker.getSymbolAtLocation(name);
      if (symbol === undefined) throw new Error(`${name.text} cannot be resolved.`);
      const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      sections.at(-1)?.entries.push(describeSymbol(name.text, original, checker));
    }
  }
  return sections;
}

/** The title in the line comments right above a statement, as far as its first colon, bracket or full stop. */
function titleAbove(statement: ts.Statement, source: ts.SourceFile): string | undefined {
  const text = source.getFullText();
  const line = (ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []).find(
    ({ kind }) => kind === ts.SyntaxKind.SingleLineCommentTrivia,
  );
  if (line === undefined) return undefined;
  return /^\/\/\s*(.*?)(?:[:.]| \(|$)/.exec(text.slice(line.pos, line.end))?.[1];
}

function page(introduction: string, sections: readonly Section[]): string {
  const body = sections.flatMap(({ title, entries }) => [`## ${title}`, ...entries.map(entryText)]);
  return `${[introduction, ...body].join('\n\n')}\n`;
}

const entryText = ({ name, meaning, signature, members }: Described): string =>
  [
    `### ${name}`,
    meaning,
    signature === '' ? '' : `\`\`\`typescript\n${signature}\n\`\`\``,
    members.length === 0 ? '' : memberTable(members),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

function memberTable(members: Described['members']): string {
  const rows = members.map(
    ({ name, type, meaning }) =>
      `| \`${cell(name)}\` | ${type === '' ? '' : `\`${cell(type)}\``} | ${cell(meaning)} |`,
  );
  return ['| | type | |', '| --- | --- | --- |', ...rows].join('\n');
}

const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
