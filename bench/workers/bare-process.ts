/** The model alone, in one thread: `bare-process.ts TEXTS`, TEXTS being a file of texts as JSON. Waits for a message, and tells how many seconds, and milliseconds of the processor, it took. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { embedAll } from '../../src/embedding/embed-all.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { MINILM } from '../shared/places.js';

const texts = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as string[];
const embedder = await createTransformersEmbedder({ model: MINILM, threads: 1 });
// The network is loaded with the first text.
await embedder.doEmbed(['A text that warms the model up.'], 'document');
process.send?.('ready');
await once(process, 'message');
const start = performance.now();
const cpu = process.cpuUsage();
/** As many as a worker has in one batch. */
const AT_ONCE = 32;
for (let first = 0; first < texts.length; first += AT_ONCE)
  await embedAll(embedder, texts.slice(first, first + AT_ONCE), 'document', {});
const { user, system } = process.cpuUsage(cpu);
process.send?.({ seconds: (performance.now() - start) / 1_000, cpuMs: (user + system) / 1_000 });
process.disconnect();
