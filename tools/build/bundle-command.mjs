// `bundle-command.mjs FOLDER` bundles the command line into a build: hundreds of modules become few files, which load in a fraction of
// the time. What is imported by `import()` stays a file of its own, and loads when it is needed. The library keeps its modules.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const DIST = resolve(process.argv[2]);
const OUT = join(DIST, 'cli');
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
  'string-width',
  'yaml',
  'zod',
]);
const LICENCES = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause']);

const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

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
const STAND_INS = ['extraction/louvain', 'mcp/sdk', 'monitoring/logs/packages', 'service/packages'];

/** What is installed with Ragstone stays outside of them. */
const installedPackages = {
  name: 'installed-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'entry-point' && packageOf(path) in dependencies ? { path, external: true } : undefined,
    );
  },
};

/** A module that looks for files beside itself (workers, models) finds them where the library's module has them. */
const moduleAddresses = {
  name: 'module-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = relative(OUT, join(DIST, relative(SOURCE, path))).replaceAll(sep, '/');
      const address = `new URL(${JSON.stringify(place.replace(/\.ts$/, '.js'))}, import.meta.url).href`;
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};

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

const { metafile } = await build({
  ...SETTINGS,
  // The second is for tests, which run commands in their own process.
  entryPoints: [join(SOURCE, 'cli/main.ts'), join(SOURCE, 'cli/run-cli.ts')],
  outdir: OUT,
  splitting: true,
  sourcemap: true,
  plugins: [externalPackages, moduleAddresses],
});
await writeFile(join(OUT, 'LICENSES.md'), await licencesOf(Object.keys(metafile.inputs)));

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

/** The licences of what was bundled; they ask to be passed on with it. */
async function licencesOf(inputs) {
  const folders = new Set(inputs.flatMap((input) => folderOfPackage(input) ?? []));
  const notices = await Promise.all([...folders].sort().map(noticeOf));
  return `Packages that are part of the files of this folder, and their licences.\n\n${notices.join('\n')}`;
}

function folderOfPackage(input) {
  const at = input.lastIndexOf('node_modules/');
  if (at === -1) return undefined;
  const start = at + 'node_modules/'.length;
  return join(ROOT, input.slice(0, start) + packageOf(input.slice(start)));
}

async function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!LICENCES.has(license))
    throw new Error(`${name}: the licence ${license} does not allow to bundle it unseen`);
  const files = await readdir(folder);
  const file = files.find((candidate) => /^licen[cs]e/i.test(candidate));
  // A few packages state their licence and ship no text of it.
  const text = file === undefined ? statedLicence(author) : await readFile(join(folder, file), 'utf8');
  return `## ${name} ${version} (${license})\n\n${text}`;
}

function statedLicence(author) {
  const by = typeof author === 'object' ? author.name : author;
  return `The package has no licence text of its own. Its author: ${by ?? 'not stated'}.\n`;
}
