/**
 * A worker on a host of its own: `worker-process.ts SETTINGS`, SETTINGS being `WorkerSettings` as JSON. It reports each event, and ends
 * in good order when it is told to by a message or by SIGTERM.
 */
import { createEngine } from '../../src/engine/create-engine.js';
import { startWorkers } from '../../src/fleet/workers/start-workers.js';
import type { WorkerSettings } from './scene.js';
import { slowEmbedder } from './slow-embedder.js';

const { options, delayMs, isMortal, concurrency, graceMs } = JSON.parse(
  process.argv[2] ?? '{}',
) as WorkerSettings;
const engine = await createEngine({ ...options, embedder: slowEmbedder({ delayMs, isMortal }) });
const workers = startWorkers(engine, { concurrency, graceMs, onEvent: (event) => process.send?.(event) });

async function end(): Promise<void> {
  await workers.stop();
  await engine.close();
  process.disconnect();
}

process.on('message', () => void end());
process.on('SIGTERM', () => void end());
