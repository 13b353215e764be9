import { type Command, InvalidArgumentError } from 'commander';
import type { ResolvedConfig } from '../../../config/resolved-config.js';
import type { Monitoring } from '../../../index.js';
import type { ServiceLog } from '../../service/start-service.js';
import type { CliContext } from '../context.js';
import { withDeployments } from '../open-engine.js';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone serve                                 for this machine alone, at http://127.0.0.1:7240
  $ ragstone keys create --tenant default          make a key; from now on every caller needs one
  $ ragstone serve --host 0.0.0.0 --port 8080      for other machines, which needs keys
  $ ragstone serve --log-level info                log each request to stderr, without what it holds

Ctrl-C stops it: requests under way are finished first. The page at / searches and shows
what the index does ("ragstone console" opens it); routes are described at /docs and /openapi.json.`;

/** `ragstone serve` */
export function registerServe(program: Command, context: CliContext): void {
  withAddressOptions(
    program.command('serve').description('serve the index over HTTP: a page, search, answers, documents'),
  )
    .addHelpText('after', EXAMPLES)
    .action((options: ServeOptions) => runServe(context, options));
}

/** Where a service listens. */
export const withAddressOptions = (command: Command): Command =>
  command
    .option('--host <host>', 'address to listen at (default: rag.server.host, 127.0.0.1)')
    .option(
      '--port <port>',
      'port to listen at, 0 for a free one (default: rag.server.port, 7240)',
      portNumber,
    );

/**
 * Serves until it is told to stop.
 *
 * @param onListening - is told the address of the service
 */
export async function runServe(
  context: CliContext,
  { host, port }: ServeOptions,
  onListening?: (url: string) => void,
): Promise<void> {
  const { loadConfig } = await import('../../../config/load-config.js');
  const { place, signal } = context;
  const config = await loadConfig(place);
  await withDeployments(
    context,
    async (deployments, monitoring) => {
      const { startService } = await import('../../service/start-service.js');
      const log = logOf(context, config, monitoring);
      const service = await startService({ deployments, config, host, port, log, monitoring });
      const { url, isOpen } = service;
      context.printResult(
        { url, needsKey: !isOpen },
        () => `Ragstone listens at ${url}. Routes: ${url}/docs`,
      );
      if (isOpen)
        context.note(
          'No key is needed: every account of this machine, and none of another, reads and writes tenant "default". "ragstone keys create" makes a key.',
        );
      if (!context.isJson) context.note('Ctrl-C stops it.');
      onListening?.(url);
      await firing(signal);
      context.isFinishing = true;
      context.note('Stopping: requests under way are finished.');
      await service.stop();
    },
    { searchProcesses: await searchProcesses(config), monitoring: { name: 'serve' } },
  );
  // It was told to stop, and did.
  context.isStopExpected = true;
}

/** To the file where there is one; with `--log-level` to standard error, too. */
function logOf({ globals, side }: CliContext, config: ResolvedConfig, { log }: Monitoring): ServiceLog {
  const level = globals.logLevel ?? config.rag.monitoring.logging.level;
  const isOnScreen = log === undefined || globals.logLevel !== undefined;
  const write = (line: string): void => {
    log?.write(line);
    if (isOnScreen) side.write(line);
  };
  return { level, write };
}

/** For an index that other processes can read. */
async function searchProcesses({ rag }: ResolvedConfig): Promise<number> {
  const { server, provider, storage } = rag;
  if (server.searchProcesses !== 'auto') return server.searchProcesses;
  if (provider === 'memory' || !storage.local.persist) return 0;
  const { processesOfMachine } = await import('../../../config/processes-of-machine.js');
  return processesOfMachine();
}

const firing = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}
