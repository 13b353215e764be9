import { CommanderError } from 'commander';
import { maskUrlCredentials } from '../../config/mask-url.js';
import { messageOf } from '../../core/errors.js';

/** Exit codes of every command. */
export const ExitCode = {
  ok: 0,
  /** Something failed, or drift was found. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** `eval --gate`: a change hurts retrieval. */
  gate: 3,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;

/** An error as `--json` prints it. */
export interface ErrorDocument {
  readonly code: string;
  readonly reason: string;
  readonly category: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: unknown;
}

const USAGE = { code: 'E005', reason: 'USAGE', category: 'user', retryable: false } as const;

// Told by shape: importing the error class would load the library for every usage error.
function hasReason(error: unknown): error is Error & ErrorDocument {
  return error instanceof Error && 'reason' in error && 'category' in error && 'code' in error;
}

/** Any error as a document; a stack never leaves the process. */
export function toErrorDocument(error: unknown): ErrorDocument {
  if (error instanceof CommanderError) return { ...USAGE, message: tidyMessage(error) };
  if (hasReason(error)) {
    const { code, reason, category, message, retryable, details } = error;
    const hasDetails = typeof details === 'object' && details !== null && Object.keys(details).length > 0;
    const document = { code, reason, category, message, retryable, ...(hasDetails ? { details } : {}) };
    return JSON.parse(maskUrlCredentials(JSON.stringify(document))) as ErrorDocument;
  }
  const message = messageOf(error);
  const ofSystem = systemProblemOf(error);
  if (ofSystem !== undefined) return { ...ofSystem, message };
  return {
    code: 'E004',
    reason: 'INTERNAL',
    category: 'internal',
    message: `An unexpected error: ${message} Please report it, with the output of --log-level debug.`,
    retryable: false,
  };
}

/** What a person at this machine is told of an index that cannot be used: callers of a service are not told why. */
export function problemOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && message.startsWith('The index of this tenant') ? cause.message : message;
}

/** What the system says of a file that somebody named: nothing is wrong with this program. */
function systemProblemOf(error: unknown): Omit<ErrorDocument, 'message'> | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  if (error.code === 'ENOSPC')
    return { code: 'E003', reason: 'INDEX_DISK_FULL', category: 'provider', retryable: true };
  return OF_NAMED_FILES.has(String(error.code)) ? USAGE : undefined;
}

const OF_NAMED_FILES: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENAMETOOLONG',
  'ELOOP',
]);

/** The exit code that an error ends the process with. */
export function exitCodeOf(error: unknown): number {
  const { category, reason } = toErrorDocument(error);
  if (reason === 'ABORTED') return ExitCode.interrupted;
  // The program that listens there may end: to start again can help.
  if (reason === 'ADDRESS_IN_USE') return ExitCode.failed;
  return category === 'config' || reason === 'USAGE' ? ExitCode.usage : ExitCode.failed;
}

function tidyMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'No command is given. See "ragstone --help".';
  const message = error.message.replace(/^error: /, '');
  if (error.code === 'commander.excessArguments') return `${message} Put text with spaces in quotes.`;
  return error.code === 'commander.optionMissingArgument'
    ? `${message}. Write it behind the option.`
    : message;
}
