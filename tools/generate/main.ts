// Writes what is made from something else in the repository: `npm run generate`.
// With `--check` it writes nothing and ends with 1 where a file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { configReference } from '../../src/config/config-reference.js';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { architecturePicture } from './architecture-picture.js';
import { commandReference } from './command-reference.js';

import { libraryReference } from './library-reference.js';
import { mcpPage } from './mcp-arguments.js';
import { qualitySummary } from './quality-summary.js';
import { sizingPage } from './sizing-page.js';
import { watModule } from './wat-module.js';

const { library, parts } = libraryReference();
const generated: Readonly<Record<string, string>> = {
  'docs/configuration.md': configReference(),
  'docs/images/architecture.svg': await architecturePicture(),
  'docs/commands.md': commandReference(),
  'docs/quality.md': qualitySummary(),
  'docs/sizing.md': sizingPage(),
  'docs/mcp.md': mcpPage(),
  'docs/library.md': library,
  'docs/library-parts.md': parts,
  'config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'src/embedding/encoder/kernel/encoder-kernel-module.ts': await watModule(
    'embedding/encoder/kernel/encoder-kernel.wat',
    'ENCODER_KERNEL_MODULE',
  ),
  'src/stores/libsql/inner-product-module.ts': await watModule(
    'stores/libsql/inner-product.wat',
    'INNER_PRODUCT_MODULE',
  ),
};

for (const [path, text] of Object.entries(generated)) {
  const file = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is stale: run "npm run generate".`);
    process.exitCode = 1;
  }
}
