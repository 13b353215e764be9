/**
 * `npx tsx tools/definitions/measure.ts [FOLDER...]`: how often the search for an exported name finds its definition first. Without
 * folders: in three packages, fetched by their registries' clients and checked. Source, tests and documentation of a
 * repository are indexed together. Names are drawn with a seed, at most 100 of each.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { glob } from 'tinyglobby';
import { seededRandom } from '../../src/evaluation/random.js';
import type { Engine } from '../../src/index.js';
import type { DocPackage } from '../questions/doc-sets.js';
import { extractFiles, fetchArchive } from '../questions/packages.js';
import { withEngine } from '../scores/with-engine.js';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ragstone-definitions', import.meta.url));

const PACKAGES: readonly DocPackage[] = [
  {
    registry: 'npm',
    name: 'rxjs',
    version: '7.8.2',
    integrity:
      'sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==',
    licence: 'Apache-2.0',
    files: ['src/**', 'README.md'],
  },
  {
    registry: 'npm',
    name: 'zod',
    version: '4.1.12',
    integrity:
      'sha512-JInaHOamG8pt5+Ey8kGmdcAcg3OL9reK8ltczgHTAwNhMys/6ThXHityHxVV2p3fkw/c+MAvBHFVYHFZDmjMCQ==',
    licence: 'MIT',
    files: ['src/**', 'README.md'],
  },
  {
    registry: 'pypi',
    name: 'flask',
    version: '3.1.2',
    integrity: 'sha256-v2VsFcgBkO1iitCM39Oqo1vrCHhV4vSUkQqjd0zE/Yc=',
    licence: 'BSD-3-Clause',
    files: ['src/**', 'tests/**', 'docs/**', 'README.md'],
  },
];

const NAMES_PER_FOLDER = 100;
const INDEXED = ['src', 'tests', 'docs', 'README.md'];

/** Lines that export a definition, with its name. Python has no `export`: what is at the margin and not private is. */
const EXPORTS: Readonly<Record<string, RegExp>> = {
  ts: /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm,
  py: /^(?:async )?(?:def|class) ([A-Za-z]\w*)/gm,
};

const isTest = (path: string): boolean => /(?:^|\/)tests?\//.test(path) || /\.test\.ts$/.test(path);

/** Exported names of a folder's source, tests aside, some of them. */
async function exportedNames(folder: string): Promise<string[]> {
  const paths = await glob(['src/**/*.{ts,py}'], { cwd: folder });
  const names = new Set<string>();
  for (const path of paths.filter((path) => !isTest(path)).sort()) {
    const text = await readFile(join(folder, path), 'utf8');
    for (const [, name = ''] of text.matchAll(EXPORTS[path.endsWith('.py') ? 'py' : 'ts'] ?? /$^/g))
      names.add(name);
  }
  const random = seededRandom(1);
  const drawn = [...names].map((name) => ({ name, order: random() })).sort((a, b) => a.order - b.order);
  return drawn.slice(0, NAMES_PER_FOLDER).map(({ name }) => name);
}

/** The place in the list of the first passage that holds an exported definition of the name; 0 where none of ten does. */
async function placeOf(engine: Engine, name: string): Promise<{ place: number; first: string }> {
  const { results } = await engine.search({ text: name, topK: 10 });
  const holds = ({ content, metadata }: (typeof results)[number]): boolean =>
    !isTest(metadata.source) &&
    Object.values(EXPORTS).some((pattern) =>
      [...content.matchAll(pattern)].some(([, found]) => found === name),
    );
  const [first] = results;
  return {
    place: results.findIndex(holds) + 1,
    first: first === undefined ? 'nothing' : `${first.metadata.source}:${first.metadata.lines.start}`,
  };
}

const isWord = (name: string): boolean => /^[A-Za-z]?[a-z]+$/.test(name);

/** A package's files in the cache. */
async function fetched(pack: DocPackage): Promise<string> {
  const folder = join(CACHE, pack.name);
  await extractFiles(pack, await fetchArchive(pack, join(CACHE, 'archives')), folder);
  return folder;
}

const given = process.argv.slice(2);
for (const folder of given.length > 0 ? given : await Promise.all(PACKAGES.map(fetched))) {
  const names = await exportedNames(folder);
  const paths = INDEXED.map((path) => join(folder, path)).filter((path) => existsSync(path));
  const found = await withEngine({ paths }, {}, async (engine) => {
    const places = [];
    for (const name of names) places.push({ name, ...(await placeOf(engine, name)) });
    return places;
  });
  const share = (of: typeof found): string =>
    `${of.filter(({ place }) => place === 1).length} of ${of.length}`;
  console.log(
    `${basename(folder)}: first ${share(found)}; plain words ${share(found.filter(({ name }) => isWord(name)))}; in ten ${found.filter(({ place }) => place > 0).length}`,
  );
  for (const { name, place, first } of found)
    if (place !== 1) console.log(`  ${name}: ${place || 'not in ten'}, first ${first}`);
}
