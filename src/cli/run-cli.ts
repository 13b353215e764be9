import { CommanderError } from 'commander';
import { CliContext } from './context.js';
import { ExitCode, exitCodeOf, toErrorDocument } from './errors.js';
import { watchInterrupts } from './interrupts.js';
import { buildProgram } from './program.js';

/** Runs one command line and resolves with its exit code; see `ExitCode`. Never rejects. */
export async function runCli(args: readonly string[]): Promise<number> {
  const interrupts = watchInterrupts();
  const context = new CliContext(args, interrupts.signal);
  ignoreClosedPipe();
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return interrupts.signal.aborted ? ExitCode.interrupted : context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.ok;
    if (interrupts.signal.aborted) {
      reportFailure(context, error);
      return ExitCode.interrupted;
    }
    reportFailure(context, error);
    return exitCodeOf(error);
  } finally {
    interrupts.stop();
  }
}

function reportFailure(context: CliContext, error: unknown): void {
  // Without a command, commander prints the help and has nothing to add.
  if (error instanceof CommanderError && error.code === 'commander.help' && !context.isJson) return;
  const document = toErrorDocument(error);
  if (error instanceof Error && !(error instanceof CommanderError)) context.log('debug', stackOf(error));
  if (context.isJson) context.printJson({ error: document });
  else context.printError(document.message, document.reason);
}

function stackOf(error: Error): string {
  const { cause } = error;
  return `${error.stack ?? error.message}${cause instanceof Error ? `\ncaused by: ${stackOf(cause)}` : ''}`;
}

/** `ragstone search ... | head` closes the pipe early; that is no failure. */
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
