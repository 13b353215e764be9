/** `npm run ingest`: brings the corpus into the service, each tenant with its own token. */
import { clientOf } from './client.js';
import { TENANTS } from './corpus/corpus.js';
import { generateCorpus } from './corpus/generate-corpus.js';
import { ingestDocuments } from './ingest-documents.js';
import { runCommand } from './run-command.js';

const { documents } = generateCorpus();
await runCommand(async () => {
  for (const { id } of TENANTS) {
    const own = documents.filter(({ tenantId }) => tenantId === id);
    const { indexed, failures } = await ingestDocuments(own, clientOf(id));
    console.log(`${id}: ${indexed} documents`);
    for (const failure of failures) console.error(`  ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
  }
});
