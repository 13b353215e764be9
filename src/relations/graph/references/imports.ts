import { posix } from 'node:path';
import type { GraphReference } from '../graph.js';
import { moduleName, resolvePath, withoutExtension } from '../names.js';

const SCRIPT = /\.[cm]?[jt]sx?$/i;
const PYTHON = /\.pyi?$/i;

const SCRIPT_IMPORT =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s{0,20}(["'])(\.{1,2}\/[^"'\n]{0,500}|\.{1,2})\1/g;
const PYTHON_FROM = /^[ \t]{0,40}from[ \t]+(\.{0,8})([\w.]{0,300})[ \t]+import[ \t]+\(?([\w, \t]{0,500})/gm;
const PYTHON_IMPORT = /^[ \t]{0,40}import[ \t]+([\w., \t]{1,500})/gm;

/** Whether a path is that of a file whose imports are read, so that other files may load it. */
export const isModule = (path: string): boolean => SCRIPT.test(path) || PYTHON.test(path);

/** Files of the same source that a JavaScript, TypeScript or Python file loads. What comes from packages is left out, or leads to nothing. */
export function importsOf(
  text: string,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const loaded = SCRIPT.test(path)
    ? scriptImports(text, path)
    : PYTHON.test(path)
      ? pythonImports(text, path)
      : [];
  return loaded.map((target) => ({ kind: 'import', target: moduleName(source, target) }));
}

function scriptImports(text: string, path: string): string[] {
  return Array.from(text.matchAll(SCRIPT_IMPORT), ([, , target = '']) => resolvePath(path, target)).flatMap(
    // `./store` may be a file without its extension, `./store.js` is written for `store.ts`.
    (resolved) => (resolved === undefined ? [] : [...new Set([withoutScript(resolved), resolved])]),
  );
}

const withoutScript = (path: string): string => (SCRIPT.test(path) ? withoutExtension(path) : path);

function pythonImports(text: string, path: string): string[] {
  const folder = posix.dirname(path);
  const from = Array.from(text.matchAll(PYTHON_FROM)).flatMap(([, dots = '', module = '', names = '']) => {
    const base = dots === '' ? '' : posix.join(folder, '../'.repeat(dots.length - 1));
    const loaded = posix.join(base, module.replaceAll('.', '/'));
    const members = names
      .split(',')
      .map((name) => name.trim().split(/\s/)[0] ?? '')
      .filter((name) => name !== '');
    return [loaded, ...members.map((name) => posix.join(loaded, name))];
  });
  const whole = Array.from(text.matchAll(PYTHON_IMPORT)).flatMap(([, modules = '']) =>
    modules.split(',').map((module) => (module.trim().split(/\s/)[0] ?? '').replaceAll('.', '/')),
  );
  return [...from, ...whole].filter((module) => module !== '' && module !== '.' && !module.startsWith('..'));
}
