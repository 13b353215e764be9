import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the predefined character maps (CMaps of Adobe, packed by PDF.js), with which fonts of Chinese, Japanese and Korean documents are read. A build
 * has them beside this file; a clone takes those of PDF.js.
 */
export function characterMaps(): string {
  const own = fileURLToPath(new URL('cmaps/', import.meta.url));
  if (existsSync(own)) return own;
  const packed = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
  return join(dirname(packed), 'cmaps/');
}
