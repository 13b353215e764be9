import { readFileSync } from 'node:fs';
import wabt from 'wabt';

const SOURCE = new URL('../../src/stores/libsql/inner-product.wat', import.meta.url);

/** `inner-product.wat` as a file of TypeScript that holds the WebAssembly module. */
export async function innerProductModule(): Promise<string> {
  const { parseWat } = await wabt();
  const parsed = parseWat('inner-product.wat', readFileSync(SOURCE, 'utf8'), { simd: true });
  const module = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
  return `// Made from inner-product.wat by \`npm run generate\`; do not edit.
/** The module in base64. */
export const INNER_PRODUCT_MODULE =
  '${module}';
`;
}
