import pc from 'picocolors';
import { ExitCode } from './errors.js';

/** Least to greatest severity. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: LogLevel;
}

type Colours = ReturnType<typeof pc.createColors>;

/**
 * What a command knows about its surroundings. Results go to stdout, everything else to stderr; with `--json` stdout is one
 * JSON document.
 */
export class CliContext {
  exitCode: number = ExitCode.ok;
  globals: GlobalOptions = {};
  readonly cwd = process.cwd();
  /** Colours for stdout; plain where it is not a terminal or `NO_COLOR` is set. */
  readonly colours: Colours;
  readonly #errorColours: Colours;
  readonly #asksForJson: boolean;

  constructor(
    args: readonly string[],
    /** Fires when the person wants to stop. */
    readonly signal: AbortSignal,
  ) {
    // Wrong usage is reported before the options are parsed.
    const end = args.indexOf('--');
    this.#asksForJson = (end < 0 ? args : args.slice(0, end)).includes('--json');
    this.colours = pc.createColors(pc.isColorSupported && process.stdout.isTTY);
    this.#errorColours = pc.createColors(pc.isColorSupported && process.stderr.isTTY);
  }

  get isJson(): boolean {
    return this.#asksForJson;
  }

  get isQuiet(): boolean {
    return this.globals.quiet ?? false;
  }

  /** Both ends of a question are a person. */
  get canAsk(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY && !this.isJson;
  }

  /** Columns that text may fill. */
  get width(): number {
    return Math.max(40, Math.min(process.stdout.columns ?? 100, 120));
  }

  /** The result for a person. */
  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** The result for a program. */
  printJson(document: unknown): void {
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }

  /** The result: `document` with `--json`, else what `render` makes of it. */
  printResult(document: unknown, render: () => string): void {
    if (this.isJson) this.printJson(document);
    else this.print(render());
  }

  /** What happens meanwhile; nothing with `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) process.stderr.write(`${this.#errorColours.dim(text)}\n`);
  }

  /** What a person should know about a result. With `--json` the document holds it too. */
  warn(text: string): void {
    if (!this.isQuiet) process.stderr.write(`${this.#errorColours.yellow('notice:')} ${text}\n`);
  }

  /** A line for whoever looks for a fault; shown from `--log-level` up. */
  log(level: LogLevel, message: string): void {
    const least = LOG_LEVELS.indexOf(this.globals.logLevel ?? 'warn');
    if (LOG_LEVELS.indexOf(level) >= least) process.stderr.write(`${level}: ${message}\n`);
  }

  printError(message: string, reason: string): void {
    const label = reason === 'USAGE' ? 'error' : `error ${reason}`;
    process.stderr.write(`${this.#errorColours.red(`${label}:`)} ${message}\n`);
  }
}
