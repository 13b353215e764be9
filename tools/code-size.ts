// `npx tsx tools/code-size.ts`: the code of the project in tokens of the compiler, by folder. Comments, white space and formatting weigh nothing,
// and a moved line as much as before. Test files are left out, test doubles are not.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['src', 'tools', 'bench', 'tests/fakes'];

const filesBelow = (folder: string): string[] => {
  try {
    return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path}`,
    );
  } catch {
    return [];
  }
};

function tokensOf(file: string): number {
  const scanner = ts.createScanner(
    ts.ScriptTarget.Latest,
    true,
    ts.LanguageVariant.Standard,
    readFileSync(`${ROOT}${file}`, 'utf8'),
  );
  let tokens = 0;
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) tokens += 1;
  return tokens;
}

const counts = FOLDERS.flatMap(filesBelow)
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.endsWith('.test.ts'))
  .map((file) => ({ folder: file.split('/')[0] ?? '', tokens: tokensOf(file) }));
for (const folder of [...new Set(counts.map((count) => count.folder)), 'all']) {
  const of = counts.filter((count) => folder === 'all' || count.folder === folder);
  const tokens = of.reduce((sum, count) => sum + count.tokens, 0);
  console.log(
    `${folder.padEnd(6)} ${String(of.length).padStart(5)} files ${tokens.toLocaleString('en').padStart(10)} tokens`,
  );
}
