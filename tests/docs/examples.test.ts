import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { documentMap, headingsOf, mapFaults } from '../../tools/examples/document-map.js';
import { EXAMPLES, exampleNames, readExample, testTitles } from '../../tools/examples/example.js';
import { transcriptOf } from '../../tools/examples/transcript.js';
import { deadLinks, linksOf, ROOT, readPage } from './samples.js';

/** The documents themselves are no part of the repository. */
const DOCUMENTS = join(ROOT, '../shared/seeds');

const documentOf = (title: string): string =>
  readdirSync(DOCUMENTS)
    .map((file) => readFileSync(join(DOCUMENTS, file), 'utf8'))
    .find((text) => text.includes(`# ${title}\n`)) ?? '';

const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe.each(exampleNames())('the example %s', (name) => {
  const example = readExample(name);
  const { manifest, readme } = example;

  test('says for every heading of its document which test shows it, or why none does', () => {
    const titles = testTitles(example);
    expect(mapFaults(documentMap(readme), { headings: manifest.headings, titles })).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test.skipIf(!existsSync(DOCUMENTS))(
    'has the headings of its document (where the documents stand beside the checkout)',
    () => {
      expect(manifest.headings).toEqual(headingsOf(documentOf(manifest.document)));
    },
  );

  test.skipIf(!existsSync(DOCUMENTS) || manifest.printed.length === 0)(
    'has what its document prints to the letter (where the documents stand beside the checkout)',
    () => {
      const document = documentOf(manifest.document);
      for (const file of manifest.printed)
        expect(document).toContain(`\n${readFileSync(join(example.folder, file), 'utf8')}\`\`\`\n`);
    },
  );

  test('names exact versions, those that are tested here', () => {
    const { dependencies, devDependencies } = example.packageJson;
    const known: Readonly<Record<string, string>> = {
      ...packageJson.dependencies,
      ...packageJson.devDependencies,
      ragstone: packageJson.version,
    };
    const named = { ...dependencies, ...devDependencies };
    expect(named).toEqual(
      Object.fromEntries(Object.keys(named).map((dependency) => [dependency, known[dependency]])),
    );
  });

  test('shows a terminal session, and links that lead somewhere', () => {
    expect(transcriptOf(readme).length).toBeGreaterThan(2);
    const page = `examples/${name}/README.md`;
    expect(deadLinks(page)).toEqual([]);
    // `ragstone init --example` writes the folder alone.
    expect(linksOf(page).filter((path) => !path.startsWith(`examples/${name}/`))).toEqual([]);
  });

  test('is in the list of examples', () => {
    expect(linksOf('examples/README.md')).toContain(`examples/${name}/README.md`);
  });
});

test('the list of examples leads somewhere', () => {
  expect(deadLinks('examples/README.md')).toEqual([]);
  expect(readPage('examples/README.md')).toContain('ragstone init --example');
  expect(existsSync(EXAMPLES)).toBe(true);
});

test('examples are checked against every entry of the package', () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: { paths: Readonly<Record<string, readonly string[]>> } };
  };
  const entries = Object.keys(packageJson.exports).filter((entry) => !entry.endsWith('.json'));
  const names = entries.map((entry) => entry.replace('.', 'ragstone'));
  expect(Object.keys(config.compilerOptions.paths).sort()).toEqual(names.sort());
});
