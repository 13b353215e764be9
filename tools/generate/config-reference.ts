// Writes docs/configuration.md and config.schema.json from the configuration schema. Run by `npm run generate`.
import { writeFileSync } from 'node:fs';
import { configReference } from '../../src/config/config-reference.js';
import { configJsonSchema } from '../../src/config/json-schema.js';

const root = new URL('../../', import.meta.url);
writeFileSync(new URL('docs/configuration.md', root), configReference());
writeFileSync(new URL('config.schema.json', root), `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
