import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import wabt from 'wabt';

const SRC = new URL('../../src/', import.meta.url);

/** A file of WebAssembly text below `src` as a file of TypeScript that holds the module in base64, as a constant of this name. */
export async function watModule(path: string, constant: string): Promise<string> {
  const { parseWat } = await wabt();
  const parsed = parseWat(basename(path), readFileSync(new URL(path, SRC), 'utf8'), { simd: true });
  const module = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
  return `// Made from ${basename(path)} by \`npm run generate\`; do not edit.
/** The module in base64. */
export const ${constant} =
  '${module}';
`;
}
