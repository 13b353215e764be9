import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** For threads that read documents: neither secrets of the environment nor flags of the process are any business of theirs. */
export const WITHOUT_SECRETS: WorkerOptions = { execArgv: [], env: {} };

/**
 * Starts a thread of ours on a built module. From source, in tests and tools, it starts with a line that registers a loader of
 * TypeScript first.
 *
 * @param module the address of the built module, `new URL('./a-worker.js', import.meta.url)`
 */
export function startWorker(module: URL, options: WorkerOptions = {}): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  return new Worker(isSource ? sourceEntry(module) : module, { ...options, eval: isSource });
}

function sourceEntry(module: URL): string {
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href;
  const source = module.href.replace(/\.js$/, '.ts');
  return `import('${loader}').then(({ register }) => { register(); return import('${source}'); })`;
}
