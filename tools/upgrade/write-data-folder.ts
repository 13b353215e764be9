// Writes a data folder as this version makes it, for tests/upgrade of later ones: npx tsx tools/upgrade/write-data-folder.ts NAME
// Run it once before a release that changes what is on the disk; a fixture that is there is never written again.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../src/index.js';

const DOCUMENTS: Readonly<Record<string, string>> = {
  'docs/oak.md':
    '---\nowner: forestry\n---\n\n# Oak\n\nThe oak stands by the northern gate. Its acorns fall in October.\n\n## Care\n\nIt is cut back every seven years.\n',
  'docs/elm.md': '# Elm\n\nThe elm stands by the mill. `pruneElm()` says when it is cut.\n',
  'docs/table.md': '# Heights\n\n| tree | height |\n| --- | --- |\n| oak | 30 m |\n| elm | 35 m |\n',
  'docs/baum.txt': 'Die Linde blüht im Juni. Ihr Holz ist weich und wird gern geschnitzt.\n',
  'docs/prune.ts': 'export function pruneElm(year: number): boolean {\n  return year % 5 === 0;\n}\n',
};

/** Questions, by what each of them asks for. */
const QUESTIONS = [
  'where does the oak stand?',
  'pruneElm',
  'how tall is the elm?',
  'Holz der Linde',
  'marmalade',
];

const [name = ''] = process.argv.slice(2);
if (!/^[\w.-]+$/.test(name))
  throw new Error('Name the fixture: tools/upgrade/write-data-folder.ts index-2026-11');
const fixture = fileURLToPath(new URL(`../../tests/fixtures/${name}`, import.meta.url));
if (existsSync(fixture)) throw new Error(`${fixture} is there already.`);
const cwd = mkdtempSync(join(tmpdir(), 'ragstone-fixture-'));
for (const [path, text] of Object.entries(DOCUMENTS)) {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const config = {
  provider: 'libsql' as const,
  sources: [{ name: 'trees', type: 'files' as const, root: 'docs' }],
};
const engine = await createEngine({ cwd, config });
await engine.index();
await engine.index({
  documents: [
    { id: 'note', text: 'A note about marmalade.' },
    { id: 'pay', text: 'Marmalade is paid in May.', access: { groups: ['hr'] } },
  ],
});
const found = [];
for (const text of QUESTIONS) {
  const { results } = await engine.search({ text });
  // The first alone: what comes after it may change from version to version.
  found.push({ text, first: results[0]?.content });
}
const { documents, chunks } = await engine.status();
await engine.close();
mkdirSync(fixture);
cpSync(join(cwd, 'docs'), join(fixture, 'docs'), { recursive: true });
// An empty log and what SQLite makes anew.
cpSync(join(cwd, '.ragstone'), join(fixture, 'data'), {
  recursive: true,
  filter: (path) => !/-(?:wal|shm)$|\.lock$/.test(path),
});
writeFileSync(
  join(fixture, 'expected.json'),
  `${JSON.stringify({ config, documents, chunks, found }, null, 2)}\n`,
);
rmSync(cwd, { recursive: true });
