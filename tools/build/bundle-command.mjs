// `bundle-command.mjs FOLDER` bundles the command line into a build: hundreds of modules become few files, which load in a fraction of
// the time. What is imported by `import()` stays a file of its own, and loads when it is needed. The library keeps its modules.
import { readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { licencesOf, packageOf } from './licences.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const DIST = resolve(process.argv[2]);
const OUT = join(DIST, 'faces/cli');
const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const NODE_MODULES = `${sep}node_modules${sep}`;

/**
 * Packages that every command loads, and the SDK that brings a server framework it does not need here: all of JavaScript that
 * reads no files. What they import is bundled with them.
 */
const BUNDLED = new Set([
  '@fastify/busboy',
  '@fastify/cors',
  '@fastify/helmet',
  '@fastify/swagger',
  '@fastify/under-pressure',
  '@modelcontextprotocol/sdk',
  'cli-table3',
  'cockatiel',
  'commander',
  'croner',
  'fastify',
  'fastify-type-provider-zod',
  'graphology',
  'graphology-communities-louvain',
  'jose',
  'markdown-it',
  'picocolors',
  'pino',
  'rate-limiter-flexible',
  'rotating-file-stream',
  'snowball-stemmers',
  'string-width',
  'yaml',
  'zod',
]);

/** Of the stemmers, which are made when they are loaded, the one that `core/analysis` asks for. */
const englishStemmer = {
  name: 'english-stemmer',
  setup({ onLoad }) {
    onLoad({ filter: /snowball-stemmers\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replace(/^ {4}var (?!english|Snowball)\w+Stemmer = [\s\S]*?\n {4}\}\(SnowballStemmer\);\n/gm, '')
        .replace(/^ {12}(?!english)\w+: \w+Stemmer,?\n/gm, '');
      if (!contents.includes('english: englishStemmer') || contents.length > text.length / 10)
        throw new Error('The stemmers are written otherwise than they were: look at them anew.');
      return { contents, loader: 'js' };
    });
  },
};

/** Every other package is found where it is installed. */
const externalPackages = {
  name: 'external-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isOurs =
        kind === 'entry-point' || importer.includes(NODE_MODULES) || BUNDLED.has(packageOf(path));
      return isOurs ? undefined : { path, external: true };
    });
  },
};

/** Modules of the library that stand for packages which nobody installs: each becomes one file that holds them. */
const STAND_INS = [
  'features/extraction/louvain',
  'faces/mcp/sdk',
  'fleet/monitoring/logs/packages',
  'faces/service/packages',
];

/** What is installed with Ragstone stays outside of them. */
const installedPackages = {
  name: 'installed-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'entry-point' && packageOf(path) in dependencies ? { path, external: true } : undefined,
    );
  },
};

/** A module that looks for files beside itself (models) finds them where the library's module has them; threads are bundled as well. */
const moduleAddresses = {
  name: 'module-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = relative(OUT, join(DIST, relative(SOURCE, path))).replaceAll(sep, '/');
      const address = `new URL(${JSON.stringify(place.replace(/\.ts$/, '.js'))}, import.meta.url).href`;
      const text = await readFile(path, 'utf8');
      return {
        contents: libraryParts(text.replace(/(?<!-worker\.js', )import\.meta\.url/g, address)),
        loader: 'ts',
      };
    });
  },
};

const PARTS = 'library-parts:';
const partsImported = /(?<=const \{([\w\s:,]+)\} = await import\(')(?:\.\.\/)+index\.js(?='\))/g;

/** What a command takes of the library in place of all of it. */
const libraryParts = (text) =>
  text.replace(
    partsImported,
    (_, names) =>
      PARTS +
      names
        .split(',')
        .map((name) => name.split(':')[0].trim())
        .join(),
  );

const libraryModules = {
  name: 'library-modules',
  async setup({ onResolve, onLoad }) {
    const index = await readFile(join(SOURCE, 'index.ts'), 'utf8');
    const modules = new Map(
      [...index.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm)].flatMap(([, names, from]) =>
        names.split(',').map((name) => [name.trim(), from.replace(/\.js$/, '.ts')]),
      ),
    );
    onResolve({ filter: new RegExp(`^${PARTS}`) }, ({ path }) => ({ path, namespace: PARTS }));
    onLoad({ filter: /./, namespace: PARTS }, ({ path }) => ({
      contents: path
        .slice(PARTS.length)
        .split(',')
        .map((name) => `export { ${name} } from ${JSON.stringify(modules.get(name))};`)
        .join('\n'),
      resolveDir: SOURCE,
      loader: 'ts',
    }));
  },
};

/** Entries of threads. */
const THREADS = readdirSync(SOURCE, { recursive: true })
  .filter((path) => path.endsWith('-worker.ts') && !path.endsWith('start-worker.ts'))
  .map((path) => join(SOURCE, path));

/** @type {import('esbuild').BuildOptions} */
const SETTINGS = {
  absWorkingDir: ROOT,
  bundle: true,
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcesContent: false,
  metafile: true,
  // What a CommonJS package in the bundle asks Node.js for.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

/** Modules that are split where they are shared, so that each is loaded once. */
async function buildParts(entryPoints, outdir) {
  const { metafile } = await build({
    ...SETTINGS,
    entryPoints,
    entryNames: '[name]',
    outdir,
    splitting: true,
    plugins: [libraryModules, externalPackages, moduleAddresses, englishStemmer],
  });
  for (const { entryPoint } of Object.values(metafile.outputs))
    if (metafile.inputs[entryPoint]?.format === 'cjs')
      throw new Error(
        `${entryPoint} is CommonJS: \`import()\` of it has no names in a bundle. Import it statically, or leave it outside.`,
      );
  return metafile;
}

/** What a search over the built-in store imports by `import()`: loaded as one file, for each of two hundred takes a third of a millisecond. */
const OF_A_SEARCH = [
  'src/config/trust/check-trust.ts',
  'src/config/trust/risks.ts',
  'src/config/yaml-file.ts',
  'src/embedding/disk-embedding-cache.ts',
  'src/embedding/static/reader/reader-threads.ts',
  'src/embedding/static/static-embedder.ts',
  'src/embedding/static/word-rarity.ts',
  'src/faces/cli/render/passages.ts',
  'src/fleet/deployments/open-for-reading.ts',
  'src/reranking/builtin/builtin-reranker.ts',
  'src/reranking/reader/reader-reranker.ts',
  'src/stores/libsql/libsql-store.ts',
];

/** Names of parts, of an entry and of all that it imports statically. */
function partsBehind(entry, { outputs }) {
  const parts = new Set();
  const see = (output) => {
    if (outputs[output] === undefined || parts.has(basename(output))) return;
    parts.add(basename(output));
    for (const { path, kind } of outputs[output].imports) if (kind === 'import-statement') see(path);
  };
  const found = Object.keys(outputs).find((output) => outputs[output].entryPoint === entry);
  if (found === undefined) throw new Error(`Nothing imports ${entry} by \`import()\` any more.`);
  see(found);
  return parts;
}

// The second is for tests, which run commands in their own process.
const COMMANDS = ['main', 'run-cli'];
const parts = join(OUT, '.parts');
const metafile = await buildParts(
  COMMANDS.map((name) => join(SOURCE, `faces/cli/${name}.ts`)),
  parts,
);
const ofCommand = partsBehind('src/faces/cli/main.ts', metafile);
for (const [output, { inputs }] of Object.entries(metafile.outputs))
  if (ofCommand.has(basename(output)) && Object.keys(inputs).some((file) => file.includes('/zod/')))
    throw new Error(
      'Every command would load Zod: an option is made of plain data (`src/operations/fields.ts`).',
    );
const ofChecks = partsBehind('src/faces/cli/uncompiled-checks.ts', metafile);
const ofSearch = new Set(OF_A_SEARCH.flatMap((entry) => [...partsBehind(entry, metafile)]));
const isWithin = (names) => (id) => names.has(basename(id)) && basename(id) !== 'main.js';
const bundle = await rolldown({
  input: Object.fromEntries(COMMANDS.map((name) => [name, join(parts, `${name}.js`)])),
  platform: 'node',
  treeshake: false,
  external: /^[^./]/,
});
await bundle.write({
  dir: OUT,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  codeSplitting: {
    groups: [
      { name: 'command', test: isWithin(ofCommand), priority: 1 },
      // Apart from what makes schemas, which asks it how.
      { name: 'checks', test: isWithin(ofChecks), priority: 1 },
      { name: 'search', test: isWithin(ofSearch) },
    ],
  },
});
await rm(parts, { recursive: true });
// A thread loads its own modules alone.
const ofThreads = await buildParts(THREADS, OUT);
const inputs = new Set([...Object.keys(metafile.inputs), ...Object.keys(ofThreads.inputs)]);
await writeFile(join(OUT, 'LICENSES.md'), await licencesOf([...inputs]));

for (const name of STAND_INS) {
  const outfile = join(DIST, `${name}.js`);
  const { metafile } = await build({
    ...SETTINGS,
    entryPoints: [join(SOURCE, `${name}.ts`)],
    outfile,
    plugins: [installedPackages],
  });
  await writeFile(join(dirname(outfile), 'LICENSES.md'), await licencesOf(Object.keys(metafile.inputs)));
}
