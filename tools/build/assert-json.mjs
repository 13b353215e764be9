// Reads one JSON document from stdin and fails unless every expression over `doc` is true.
import { readFileSync } from 'node:fs';

const doc = JSON.parse(readFileSync(0, 'utf8'));
for (const expression of process.argv.slice(2)) {
  if (new Function('doc', `return ${expression}`)(doc) !== true) {
    console.error(`not true: ${expression}\n${JSON.stringify(doc, null, 2).slice(0, 2000)}`);
    process.exit(1);
  }
}
