import type { Readable } from 'node:stream';
import { ExitCode } from './errors.js';
import { ownCommand, withOwnCommand } from './own-command.js';
import { type Colours, type OutputStream, standardError, standardOutput, type Terminal } from './terminal.js';

/** Least to greatest severity. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: LogLevel;
}

/** Where a command runs. */
export interface CliSurroundings {
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** @default that of the process */
  readonly stdin?: InputStream;
  /** @default that of the process */
  readonly stdout?: OutputStream;
  /** @default that of the process */
  readonly stderr?: OutputStream;
}

/** What a person types or a program pipes. */
export type InputStream = Readable & { readonly isTTY?: boolean };

/**
 * What a command knows about its surroundings. Results go to stdout, everything else to stderr; with `--json` stdout is one
 * JSON document.
 */
export class CliContext {
  exitCode: number = ExitCode.ok;
  /** Requests of others are being finished: the command is not ended before. */
  isFinishing = false;
  /** To be interrupted was how the command was meant to end. */
  isStopExpected = false;
  /** What the command wrote did not arrive whole, and the reader had not closed the pipe. */
  hasLostOutput = false;
  globals: GlobalOptions = {};
  /** Address of the service that is asked; undefined for the index of this machine. */
  server: string | undefined;
  readonly cwd: string;
  /** Variables; `--trust` sets one. */
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: InputStream;
  /** Where results go. */
  readonly out: Terminal;
  /** Where everything else goes. */
  readonly side: Terminal;
  readonly #asksForJson: boolean;
  readonly #noted = new Set<string>();
  #command: string | undefined;

  constructor(
    args: readonly string[],
    /** Fires when the person wants to stop. */
    readonly signal: AbortSignal,
    { cwd, env, stdin, stdout, stderr }: CliSurroundings = {},
  ) {
    this.cwd = cwd ?? process.cwd();
    this.env = env === undefined ? process.env : { ...env };
    this.stdin = stdin ?? process.stdin;
    this.out = standardOutput(stdout);
    this.side = standardError(stderr);
    // Wrong usage is reported before the options are parsed.
    const end = args.indexOf('--');
    this.#asksForJson = (end < 0 ? args : args.slice(0, end)).includes('--json');
  }

  get isJson(): boolean {
    return this.#asksForJson;
  }

  get isQuiet(): boolean {
    return this.globals.quiet ?? false;
  }

  /** Where the configuration and its index are, as `loadConfig` takes it. */
  get place() {
    const { config: file, data: dataDir } = this.globals;
    return { cwd: this.cwd, env: this.env, file, dataDir };
  }

  /** Styles for results; plain where stdout is not a terminal or `NO_COLOR` is set. */
  get colours(): Colours {
    return this.out.colours;
  }

  /** What a person types to start Ragstone again: `ragstone`, `npx ragstone`. */
  get command(): string {
    this.#command ??= ownCommand(this.env, this.cwd);
    return this.#command;
  }

  /** A text of ours, with the commands in it as they work here. */
  own(text: string): string {
    return withOwnCommand(text, this.command);
  }

  /** Both ends of a question are a person. */
  get canAsk(): boolean {
    return this.stdin.isTTY === true && this.side.stream.isTTY === true && !this.isJson;
  }

  /** The result for a person. */
  print(text: string): void {
    this.out.writeLines(text);
  }

  /** The result for a program. */
  printJson(document: unknown): void {
    this.out.writeJson(document);
  }

  /** One of many results for a program. */
  printJsonLine(document: unknown): void {
    this.out.writeJsonLine(document);
  }

  /** The result: `document` with `--json`, else what `render` makes of it. */
  printResult<Result>(document: Result, render: (document: Result, context: CliContext) => string): void {
    if (this.isJson) this.printJson(document);
    else this.print(render(document, this));
  }

  /** What happens meanwhile; nothing with `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) this.side.writeMessage(this.side.colours.dim(this.own(text)));
  }

  /** The same, however often the command is begun. */
  noteOnce(text: string): void {
    if (this.#noted.has(text)) return;
    this.note(text);
    this.#noted.add(text);
  }

  /** What a person should know about a result. With `--json` the document holds it too. */
  warn(text: string): void {
    if (!this.isQuiet) this.side.writeMessage(`${this.side.colours.yellow('notice:')} ${this.own(text)}`);
  }

  /** The notices of a result. With `--json` the document holds them. */
  printNotices({ notices }: { readonly notices: readonly string[] }): void {
    if (!this.isJson) for (const notice of notices) this.warn(notice);
  }

  /** A line for debugging; shown from `--log-level` up. */
  log(level: LogLevel, message: string): void {
    const least = LOG_LEVELS.indexOf(this.globals.logLevel ?? 'warn');
    if (LOG_LEVELS.indexOf(level) >= least) this.side.writeMessage(`${level}: ${message}`);
  }

  printError(message: string, reason: string): void {
    const label = reason === 'USAGE' ? 'error' : `error ${reason}`;
    this.side.writeMessage(`${this.side.colours.red(`${label}:`)} ${this.own(message)}`);
  }
}
