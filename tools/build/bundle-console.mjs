// `bundle-console.mjs FOLDER` bundles the page of the service into a build. Names of its files hold a hash of their content, so that
// browsers keep them for good; only `index.html` changes under its name.
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf } from './licences.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'console');
const OUT = join(resolve(process.argv[2]), 'console');

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [join(SOURCE, 'main.tsx'), join(SOURCE, 'styles/main.css')],
  outdir: OUT,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  alias: { 'ragstone/client': join(ROOT, 'src/faces/client/index.ts') },
  // Paths of the configuration are for the check of types.
  tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
});

const builtOf = (source) =>
  basename(
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `console/${source}`)[0],
  );
const page = await readFile(join(SOURCE, 'index.html'), 'utf8');
await writeFile(
  join(OUT, 'index.html'),
  page
    .replace('main.css', `console/${builtOf('styles/main.css')}`)
    .replace('main.js', `console/${builtOf('main.tsx')}`),
);
await writeFile(join(OUT, 'LICENSES.md'), await licencesOf(Object.keys(metafile.inputs)));
