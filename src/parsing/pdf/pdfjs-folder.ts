import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A folder of PDF.js: the predefined character maps (CMaps of Adobe, packed), with which fonts of Chinese, Japanese and Korean documents are read, or the
 * decoders of JBIG2 and JPEG 2000. A build has them beside this file; a clone takes those of PDF.js.
 */
export function pdfjsFolder(name: 'cmaps' | 'wasm'): string {
  const own = fileURLToPath(new URL(`${name}/`, import.meta.url));
  if (existsSync(own)) return own;
  const packed = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
  return join(dirname(packed), `${name}/`);
}
