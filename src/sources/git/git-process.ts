import { spawn } from 'node:child_process';
import { simpleGit } from 'simple-git';
import { messageOf, RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { maskUrlCredentials } from '../../core/mask-url.js';
import { ALLOWED_PROTOCOLS } from './git-address.js';

/** A sign-in for one server. */
export interface GitAuth {
  /** `https://git.example.com` */
  readonly origin: string;
  readonly username: string;
  readonly token: string;
}

/** How Git is called for one source. */
export interface GitContext {
  /** Name of the source, for messages. */
  readonly source: string;
  /** Folder that Git is started in: one of ours, so that it finds no repository by itself. */
  readonly folder: string;
  /** Variables of Git for this repository, over everything else: see `readingVariables`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of the process: `PATH`, `HOME`, agents. Variables of Git's own are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sent to its server alone; never part of a command line, of a file, or of a message. */
  readonly auth?: GitAuth | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A call that says nothing for so long has hung, in milliseconds. */
const SILENCE_MS = 120_000;

/** Runs Git to its end and gives its output. */
export async function runGit(context: GitContext, args: readonly string[], action: string): Promise<string> {
  throwIfAborted(context.signal);
  try {
    const environment = gitEnvironment(context);
    const git = simpleGit({
      baseDir: context.folder,
      timeout: { block: SILENCE_MS },
      ...(context.signal === undefined ? {} : { abort: context.signal }),
      allowEnvironment: Object.keys(environment).filter((name) => name.startsWith('GIT_')),
      // The library refuses every environment that sets these; ours switches them off. See `SETTINGS`.
      unsafe: {
        allowUnsafeConfigEnvCount: true,
        allowUnsafeFsMonitor: true,
        allowUnsafeHooksPath: true,
        allowUnsafeSshCommand: true,
        allowUnsafeAskPass: true,
      },
    });
    return await git.env(environment).raw([...args]);
  } catch (error) {
    throwIfAborted(context.signal);
    throw gitError(error, context.source, action);
  }
}

/** Runs Git and gives the parts of its output between zero characters as they come, as bytes: names need not be text. */
export async function* streamGit(
  context: GitContext,
  args: readonly string[],
  action: string,
): AsyncGenerator<Buffer> {
  throwIfAborted(context.signal);
  const child = spawnGit(context, args);
  const ended = endOf(child);
  ended.catch(() => undefined);
  try {
    yield* partsOf(child.stdout);
    await ended;
  } catch (error) {
    throwIfAborted(context.signal);
    throw gitError(error, context.source, action);
  } finally {
    child.kill();
  }
}

async function* partsOf(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const piece of output) {
    let start = 0;
    for (let end = piece.indexOf(0); end >= 0; end = piece.indexOf(0, start)) {
      const part = piece.subarray(start, end);
      yield rest.length === 0 ? part : Buffer.concat([...rest, part]);
      rest = [];
      start = end + 1;
    }
    if (start < piece.length) rest.push(piece.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** A Git process with pipes. */
export const spawnGit = (context: GitContext, args: readonly string[]) =>
  spawn('git', [...args], {
    cwd: context.folder,
    env: gitEnvironment(context),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: context.signal,
  });

function endOf(child: ReturnType<typeof spawnGit>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      said = (said + text).slice(-4_096);
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(said))));
  });
}

/**
 * Settings that win over those of this person and this machine, which count where a server is asked: nothing may run beside the
 * transfer, and nothing may ask a person for a password. Settings of a repository never count: see `ForeignRepository`.
 */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'ssh -o BatchMode=yes'],
  ['core.askPass', ''],
  ['fetch.recurseSubmodules', 'false'],
  // It names files of objects by text of its own, which need not lie beside it.
  ['core.multiPackIndex', 'false'],
];

function gitEnvironment({ environment, variables, auth }: GitContext): Record<string, string> {
  const settings = [...SETTINGS];
  if (auth !== undefined) {
    const header = Buffer.from(`${auth.username}:${auth.token}`).toString('base64');
    settings.push([`http.${auth.origin}/.extraHeader`, `Authorization: Basic ${header}`]);
  }
  const ours = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  // GIT_DIR and its like belong to whatever called us, a hook for instance.
  const inherited = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !UNWANTED.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(ours),
    LC_ALL: 'C',
    ...variables,
  };
}

/** Variables that direct Git elsewhere, or name programs for it. */
const UNWANTED = /^(?:GIT_(?!SSL_CA).*|SSH_ASKPASS|PAGER|EDITOR|VISUAL)$/;

/** What Git says of an object that it wants and does not find. */
const MISSING_OBJECTS =
  /unable to read [0-9a-f]{40}|could not read [0-9a-f]{40}|not a tree object|missing blob|lazy fetching/i;

/** Whether a call failed because the repository lacks objects: a partial clone, or a damaged one. */
export const lacksObjects = (error: unknown): boolean =>
  RAGError.isInstance(error) && error.cause instanceof Error && MISSING_OBJECTS.test(error.cause.message);

const FAULTS: readonly (readonly [
  RegExp,
  'SOURCE_DENIED' | 'SOURCE_NOT_FOUND' | 'SOURCE_UNREADABLE',
  string,
])[] = [
  [
    /not a git repository|does not appear to be a git repository/,
    'SOURCE_NOT_FOUND',
    'There is no Git repository there: check `repository`.',
  ],
  [
    /repository .* (?:not found|does not exist)|returned error: 404/i,
    'SOURCE_NOT_FOUND',
    'There is no such repository, or the account may not see it: check `repository` and `auth`.',
  ],
  [
    /(?:failed to read object|unable to (?:open|read)|cannot open|could not open) .*: permission denied/i,
    'SOURCE_UNREADABLE',
    'A file of the repository is closed to the user that runs the index: grant read access.',
  ],
  [
    /authentication failed|could not read (?:username|password)|permission denied|returned error: 40[13]|access denied/i,
    'SOURCE_DENIED',
    'The server refused the sign-in: set `auth.token`, or give the key of ssh to this user.',
  ],
  [
    /host key verification failed/i,
    'SOURCE_DENIED',
    'The host is not known to ssh: connect to it once by hand.',
  ],
  [
    /could not resolve host|name or service not known/i,
    'SOURCE_UNREADABLE',
    'The host name is not known: check the address and the network.',
  ],
  [/transport '.*' not allowed/i, 'SOURCE_DENIED', `Only ${ALLOWED_PROTOCOLS.join(', ')} are allowed.`],
  [
    MISSING_OBJECTS,
    'SOURCE_UNREADABLE',
    'Objects are missing in the repository, as in a clone with `--filter`, and are never fetched from here: make a full clone.',
  ],
  [
    /needed a single revision|unknown revision|bad revision|not a valid object/i,
    'SOURCE_NOT_FOUND',
    'There is no such `ref`: name a branch, a tag or a commit of a branch.',
  ],
  [
    /block timeout/i,
    'SOURCE_UNREADABLE',
    'Git said nothing for two minutes: check the network, then try again.',
  ],
];

/** The line in which Git says what is wrong, without passwords in addresses; never what a server sent (`remote:`). */
function faultLine(said: string): string {
  const line = said.split('\n').findLast((text) => /^(?:fatal|error): /.test(text));
  if (line === undefined) return '';
  return ` Git says: ${maskUrlCredentials(line).trim().slice(0, MOST_SAID)}`;
}

const MOST_SAID = 300;

/** The code of the fault, what to do, and Git's own line. */
function gitError(error: unknown, source: string, action: string): RAGError {
  if (RAGError.isInstance(error)) return error;
  if (systemErrorCode(error) === 'ENOENT')
    return new RAGError(
      'PACKAGE_MISSING',
      `Source "${source}": Git is not installed, or not in PATH. Install it.`,
      {
        cause: error,
      },
    );
  const said = messageOf(error);
  const [, reason, advice] = FAULTS.find(([pattern]) => pattern.test(said)) ?? [
    undefined,
    'SOURCE_UNREADABLE' as const,
    'Mend what Git says, or run the same with git by hand.',
  ];
  return new RAGError(
    reason,
    `Source "${source}": Git could not ${action}. ${advice} What was indexed of it is kept.${faultLine(said)}`,
    {
      cause: error,
      details: { source },
    },
  );
}
