import { availableParallelism } from 'node:os';

/** What one takes with the built-in model and an index of 100,000 chunks. */
const BYTES_PER_PROCESS = 512 * 1024 * 1024;

/** A process a core, fewer where memory is short; none where there is one core, which they would only share. */
export function processesOfMachine(): number {
  const cores = availableParallelism();
  return cores === 1 ? 0 : Math.min(cores, Math.floor(process.availableMemory() / BYTES_PER_PROCESS));
}
