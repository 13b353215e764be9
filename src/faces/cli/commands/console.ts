import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { CliContext } from '../context.js';
import { doneByService } from '../refuse-on-server.js';
import { runServe, type ServeOptions, withAddressOptions } from './serve.js';

interface ConsoleOptions extends ServeOptions {
  readonly open: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone console                           serve this index and open its page in the browser
  $ ragstone console --server https://search.example.com   open the page of the service there
  $ ragstone console --no-open                 print the address alone

Where a service listens there already, its page is opened and this command ends. A page of a service with keys asks for one; it keeps
it in its tab and sends it in a header, never in an address.`;

/** `ragstone console` */
export function registerConsole(program: Command, context: CliContext): void {
  const command = program
    .command('console')
    .description('open the page of the service: search, answers, documents, runs');
  doneByService(command, ['open']);
  withAddressOptions(command)
    .option('--no-open', 'print the address and open no browser')
    .addHelpText('after', EXAMPLES)
    .action((options: ConsoleOptions) => runConsole(context, options));
}

async function runConsole(context: CliContext, options: ConsoleOptions): Promise<void> {
  const show = async (url: string): Promise<void> => {
    if (options.open) await openBrowser(url, context);
  };
  if (context.server !== undefined) return showOther(context.server, context, show);
  try {
    await runServe(context, options, (url) => void show(url));
  } catch (error) {
    const other =
      RAGError.isInstance(error) && error.reason === 'ADDRESS_IN_USE'
        ? await serviceThere(context, options)
        : undefined;
    if (other === undefined) throw error;
    await showOther(other, context, show);
  }
}

async function showOther(
  server: string,
  context: CliContext,
  show: (url: string) => Promise<void>,
): Promise<void> {
  const url = server.endsWith('/') ? server : `${server}/`;
  context.printResult({ url }, () => `The page of the service: ${url}`);
  await show(url);
}

/** The address of the service that listens where this one would; undefined for another program. */
async function serviceThere(context: CliContext, options: ServeOptions): Promise<string | undefined> {
  const { loadConfig } = await import('../../../config/load-config.js');
  const { rag } = await loadConfig(context.place);
  const host = options.host ?? rag.server.host;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${options.port ?? rag.server.port}`;
  try {
    const { headers } = await fetch(`${url}${rag.monitoring.healthCheck.endpoint}/live`, {
      signal: context.signal,
    });
    return headers.has('x-ragstone-api') ? `${url}${rag.server.basePath}` : undefined;
  } catch {
    return undefined;
  }
}

/** How each system opens an address in the user's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Resolves when the browser was asked, or the note is written that it cannot be. */
function openBrowser(url: string, context: CliContext): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const fail = (): void => context.note(`No browser could be opened. Open ${url} yourself.`);
  const opener = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  opener.once('exit', (code) => {
    if (code !== 0) fail();
  });
  opener.unref();
  return new Promise((resolve) => {
    opener.once('spawn', resolve);
    opener.once('error', () => {
      fail();
      resolve();
    });
  });
}
