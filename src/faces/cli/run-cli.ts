import { CommanderError } from 'commander';
import { CliContext, type CliSurroundings } from './context.js';
import { describeChain } from './error-chain.js';
import { ExitCode, exitCodeOf, toErrorDocument } from './errors.js';
import { buildProgram } from './program.js';
import type { OutputStream } from './terminal.js';

/** Where a command runs, and what ends it. */
export interface CliOptions extends CliSurroundings {
  /** Asks the command to end. @default SIGINT, SIGTERM and the end of `npx` */
  readonly signal?: AbortSignal;
}

/** Runs one command line and resolves with its exit code; see `ExitCode`. Never rejects. */
export async function runCli(
  args: readonly string[],
  { signal, ...surroundings }: CliOptions = {},
): Promise<number> {
  const interrupts: Interrupts =
    signal === undefined
      ? watchInterrupts(() => context.isFinishing)
      : { signal, stop: (): void => undefined };
  const context = new CliContext(args, interrupts.signal, surroundings);
  hearStreams(context);
  try {
    const code = await codeOf(args, context);
    await writtenOut(context);
    return code === ExitCode.ok && context.hasLostOutput ? ExitCode.failed : code;
  } finally {
    interrupts.stop();
  }
}

/** Tells when the person wants to stop. */
interface Interrupts {
  readonly signal: AbortSignal;
  stop(): void;
}

/** A command that has not ended so long after it was asked to is waiting for something that never comes. Milliseconds. */
const GRACE_MS = 1_800;
/** How often it is looked whether `npx` is still there. */
const PARENT_INTERVAL_MS = 1_000;

/**
 * The first Ctrl-C (or SIGTERM) asks the work to end cleanly; a second, or a while without an end, ends the process at once. What was
 * being written is mended by the next run, as after any other death. The end of `npx`, which started this, counts as SIGTERM: it tells its
 * shell of the signal, and the shell does not pass it on.
 *
 * @param isFinishing whether the command has work of others to finish, however long that takes.
 */
function watchInterrupts(isFinishing: () => boolean): Interrupts {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) end(signal);
    controller.abort(new Error('interrupted'));
    setTimeout(() => {
      if (!isFinishing()) end(signal);
    }, GRACE_MS).unref();
  };
  const stop = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    clearInterval(watch);
  };
  // By the signal itself: `process.exit` waits for threads, and one of them may be in a read that never returns.
  const end = (signal: NodeJS.Signals): void => {
    stop();
    process.kill(process.pid, signal);
  };
  const parent = process.ppid;
  const watch = isOfNpx(process.env)
    ? setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(watch);
        onSignal('SIGTERM');
      }, PARENT_INTERVAL_MS).unref()
    : undefined;
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: controller.signal, stop };
}

/** `npx ragstone ...` and nothing that it starts in turn: who leaves a service behind on purpose has it go on. */
const isOfNpx = ({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: NodeJS.ProcessEnv): boolean => event === 'npx' && /^["']?ragstone["']?$/.test(script);

async function codeOf(args: readonly string[], context: CliContext): Promise<number> {
  const { signal } = context;
  try {
    await runCommand(args, context);
    return signal.aborted && !context.isStopExpected ? ExitCode.interrupted : context.exitCode;
  } catch (error) {
    // The text of `--help` or `--version`.
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.ok;
    reportFailure(context, error);
    return signal.aborted ? ExitCode.interrupted : exitCodeOf(error);
  }
}

/** Whether what the process wrote has arrived is known behind the last write. */
async function writtenOut({ out, side }: CliContext): Promise<void> {
  for (const { stream } of [out, side]) {
    if (isOwn(stream)) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
}

const isOwn = (stream: OutputStream): boolean => 'fd' in stream && (stream.fd === 1 || stream.fd === 2);

/** A person who is there is asked whether a folder is trusted; then the command runs again. */
async function runCommand(args: readonly string[], context: CliContext): Promise<void> {
  const parse = () => buildProgram(context).parseAsync([...args], { from: 'user' });
  try {
    await parse();
  } catch (error) {
    const { trustOnRequest } = await import('./trust-on-request.js');
    if (!(await trustOnRequest(error, context))) throw withQuestionHint(error, args);
    await parse();
  }
}

/** Commands that take a query, and what stands before it. */
const QUERY_COMMANDS: Readonly<Record<string, string>> = { search: '', ask: '', try: 'FOLDER ' };

/** Who begins with a question is told which commands take one; a query that looks like an option, where it goes. */
function withQuestionHint(error: unknown, args: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error;
  const first = args.find((arg) => !arg.startsWith('-')) ?? '';
  const hinted = (hint: string) =>
    new CommanderError(error.exitCode, error.code, `${error.message}. ${hint}`);
  const before = QUERY_COMMANDS[first];
  const [, option] = /^error: unknown option '(.+)'$/.exec(error.message) ?? [];
  if (before !== undefined && option !== undefined)
    return hinted(
      `A query that begins with "-" goes behind "--", and options before that: ragstone ${first} ${before}-- '${option}'`,
    );
  if (error.message !== `error: unknown command '${first}'`) return error;
  return hinted(
    'A question comes after a command: "ragstone ask ..." answers it, "ragstone search ..." shows passages.',
  );
}

function reportFailure(context: CliContext, error: unknown): void {
  // Without a command, commander prints the help and has nothing to add.
  if (error instanceof CommanderError && error.code === 'commander.help' && !context.isJson) return;
  const document = toErrorDocument(error);
  if (error instanceof Error && !(error instanceof CommanderError))
    context.log('debug', describeChain(error));
  if (context.isJson) context.printJson({ error: document });
  else context.printError(document.message, document.reason);
}

const heard = new WeakSet<OutputStream>();

/**
 * `ragstone search ... | head` closes the pipe early; that is no failure. What else the process's own streams say (a disk that is full) is told once. A stream
 * that was handed in is for its owner.
 */
function hearStreams(context: CliContext): void {
  const { out, side } = context;
  for (const { stream } of [out, side]) {
    // It may say so after the command has ended, so once and for good.
    if (heard.has(stream)) continue;
    heard.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!isOwn(stream) || error.code === 'EPIPE' || context.hasLostOutput) return;
      context.hasLostOutput = true;
      process.exitCode = ExitCode.failed;
      if (stream === out.stream)
        context.printError(`The output could not be written: ${error.message}.`, 'USAGE');
    });
  }
}
