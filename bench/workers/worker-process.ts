/** A worker with one thread for its model: `worker-process.ts SETTINGS`, SETTINGS being the options of `createEngine` as JSON. Ends with its parent. */
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { startWorkers } from '../../src/fleet/workers/start-workers.js';
import { MINILM } from '../shared/places.js';

const embedder = await createTransformersEmbedder({ model: MINILM, threads: 1 });
// The network is loaded with the first text.
await embedder.doEmbed(['A text that warms the model up.'], 'document');
const options = JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof createEngine>[0];
const engine = await createEngine({ ...options, embedder });
startWorkers(engine, { onEvent: ({ type }) => process.send?.(type) });
// Processor time since it began to wait for work, sent on request.
const idle = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(idle);
  process.send?.({ cpuMs: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit());
