import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime, sleep, timeoutSignal } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { openRegularFile, readRegularText } from '../../platform/security/regular-file.js';
import {
  claimFolder,
  isAlive,
  isServerOf,
  readClaim,
  releaseClaim,
  renewClaim,
  type ServerClaim,
  serverArguments,
} from './local-server-claim.js';

export interface LocalChromaOptions {
  /** Folder of the database; made where it is missing. */
  readonly path: string;
  /** Port on 127.0.0.1. @default a free one */
  readonly port?: number;
  /** The `chroma` executable. @default every `chroma` in PATH, until one answers: that of the npm package does not run everywhere */
  readonly command?: string;
  /** Longest wait until the server answers, in milliseconds. @default 60_000 */
  readonly startTimeoutMs?: number;
  /** How often a server that ended by itself is started again. @default 3 */
  readonly restarts?: number;
}

/** A Chroma server on this machine. */
export interface LocalChroma {
  readonly host: string;
  readonly port: number;
  /** Stops the server where this process started it, or took it over. Quiet when repeated. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const PROGRAM = 'chroma';
const POLL_MS = 100;
const STOP_TIMEOUT_MS = 10_000;
const LOG_CHARACTERS = 1_000;

/**
 * Starts the Chroma server (`chroma run`) on a folder, for this machine only, and starts it again should it end by itself. A
 * server that another process runs on the same folder is used instead, and left running; one that a killed process left
 * behind is taken over.
 *
 * Throws `PACKAGE_MISSING` where the executable is not installed, `STORE_UNAVAILABLE` where the server ends while starting,
 * `STORE_TIMEOUT` where it does not answer in time.
 */
export async function startLocalChroma(options: LocalChromaOptions): Promise<LocalChroma> {
  const folder = resolve(options.path);
  makePrivateFolder(folder);
  const deadline = runtime().now() + (options.startTimeoutMs ?? 60_000);
  for (;;) {
    const claim: ServerClaim = { owner: process.pid, port: options.port ?? (await freePort()) };
    if (await claimFolder(folder, claim)) return startClaimed(folder, claim, options);
    const running = await joinRunning(folder, deadline);
    if (running !== undefined) return running;
  }
}

/** The server that somebody else claims to run; undefined where the claim was stale and is now gone. */
async function joinRunning(folder: string, deadline: number): Promise<LocalChroma | undefined> {
  for (;;) {
    const claim = await readClaim(folder);
    const [hasOwner, hasServer] = [isAlive(claim?.owner), isAlive(claim?.server)];
    if (claim === undefined || !(hasOwner || hasServer)) {
      await releaseClaim(folder);
      return undefined;
    }
    const { port, server } = claim;
    // While it is being started, the claim names no server yet.
    if (server !== undefined && hasServer && !(await isServerOf(folder, claim)))
      throw foreignClaim(folder, server);
    if (server !== undefined && hasServer && (await answers(port))) {
      if (hasOwner) return { host: HOST, port, close: async () => undefined };
      await renewClaim(folder, { ...claim, owner: process.pid });
      return { host: HOST, port, close: () => stopOrphan(folder, server) };
    }
    if (runtime().now() > deadline) throw startTimeout(folder);
    await sleep(POLL_MS);
  }
}

async function startClaimed(
  folder: string,
  claim: ServerClaim,
  options: LocalChromaOptions,
): Promise<LocalChroma> {
  const server = new SupervisedServer(folder, claim, options);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

class SupervisedServer implements LocalChroma {
  readonly host = HOST;
  readonly port: number;
  readonly #folder: string;
  readonly #options: LocalChromaOptions;
  #child: ChildProcess | undefined;
  /** The executable that was started last. */
  #command: string;
  #restartsLeft: number;
  #isClosing = false;
  readonly #killAtExit = (): void => {
    this.#child?.kill();
  };

  constructor(folder: string, { port }: ServerClaim, options: LocalChromaOptions) {
    this.#folder = folder;
    this.port = port;
    this.#options = options;
    this.#command = options.command ?? PROGRAM;
    this.#restartsLeft = options.restarts ?? 3;
  }

  async start(): Promise<void> {
    process.once('exit', this.#killAtExit);
    const { command } = this.#options;
    const [first = PROGRAM, ...others] =
      command === undefined ? programsOf(PROGRAM, process.env.PATH) : [command];
    let failure = await this.#startBy(first);
    for (const other of others) if (failure !== undefined) failure = await this.#startBy(other);
    if (failure !== undefined) throw failure;
  }

  /** What the executable ended with while starting; undefined where it answers. */
  async #startBy(command: string): Promise<RAGError | undefined> {
    this.#command = command;
    const child = await this.#spawn();
    const deadline = runtime().now() + (this.#options.startTimeoutMs ?? 60_000);
    while (!(await answers(this.port))) {
      if (hasEnded(child)) return this.#endedEarly();
      if (runtime().now() > deadline) throw startTimeout(this.#folder);
      await sleep(POLL_MS);
    }
    // Another program on the port would have answered as well.
    if (hasEnded(child)) return this.#endedEarly();
    child.once('exit', () => void this.#restart());
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    process.off('exit', this.#killAtExit);
    const child = this.#child;
    if (child?.pid !== undefined && !hasEnded(child)) await stopProcess(child.pid, () => hasEnded(child));
    await releaseClaim(this.#folder);
  }

  async #spawn(): Promise<ChildProcess> {
    const { handle: log } = await openRegularFile(join(this.#folder, 'ragstone-server.log'), {
      flags: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
      mode: PRIVATE_FILE,
    });
    try {
      const command = this.#command;
      const child = spawn(command, serverArguments(this.#folder, this.port), {
        // A file, not a pipe: the server outlives this process if that is killed, and must not fail at its next line.
        stdio: ['ignore', log.fd, log.fd],
        // A group of its own, so that Ctrl-C ends it through `close` and not before.
        detached: true,
        env: { ...process.env, ANONYMIZED_TELEMETRY: 'False' },
      });
      await new Promise<void>((started, failed) => {
        child.once('spawn', started);
        child.once('error', (error) => {
          failed(notInstalled(command, error));
        });
      });
      child.unref();
      this.#child = child;
      const server = child.pid === undefined ? {} : { server: child.pid };
      await renewClaim(this.#folder, { owner: process.pid, port: this.port, ...server });
      return child;
    } finally {
      await log.close();
    }
  }

  // Until the server answers again, calls fail with STORE_UNAVAILABLE, which says to try again.
  async #restart(): Promise<void> {
    if (this.#isClosing || this.#restartsLeft === 0) return;
    this.#restartsLeft--;
    try {
      const child = await this.#spawn();
      child.once('exit', () => void this.#restart());
    } catch {
      // The executable is gone; the next call says that nothing answers.
      this.#restartsLeft = 0;
    }
  }

  async #endedEarly(): Promise<RAGError> {
    const log = await readRegularText(join(this.#folder, 'ragstone-server.log')).catch(() => '');
    return new RAGError(
      'STORE_UNAVAILABLE',
      `The local Chroma server on ${this.#folder} (${JSON.stringify(this.#command)}) ended while starting. Where that program cannot run here, \`pip install chromadb==1.5.9\` brings one, or choose another store. The end of its log (ragstone-server.log there): ${log.trim().slice(-LOG_CHARACTERS)}`,
    );
  }
}

/** Every executable of a name in the folders of PATH, in their order. */
function programsOf(name: string, path = ''): string[] {
  const files = path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, name)]));
  return [...new Set(files)].filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function stopOrphan(folder: string, pid: number): Promise<void> {
  await stopProcess(pid, () => !isAlive(pid));
  await releaseClaim(folder);
}

/** Asks a process to end, and ends it where it does not. */
async function stopProcess(pid: number, hasStopped: () => boolean): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (hasStopped()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (systemErrorCode(error) === 'ESRCH') return;
      throw error;
    }
    const deadline = runtime().now() + STOP_TIMEOUT_MS;
    while (!hasStopped() && runtime().now() < deadline) await sleep(POLL_MS);
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function answers(port: number): Promise<boolean> {
  try {
    const signal = timeoutSignal(2_000);
    const response = await fetch(`http://${HOST}:${port}/api/v2/heartbeat`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => {
        found(port);
      });
    });
  });
}

const foreignClaim = (folder: string, server: number): RAGError =>
  new RAGError(
    'STORE_UNAVAILABLE',
    `ragstone-server.json in ${folder} names process ${server}, which is no Chroma server on that folder. If no server runs there, remove the file and try again.`,
  );

const startTimeout = (folder: string): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `The local Chroma server on ${folder} does not answer. See ragstone-server.log there; if no server runs, remove ragstone-server.json there and try again.`,
  );

const notInstalled = (command: string, cause: unknown): RAGError =>
  new RAGError(
    'PACKAGE_MISSING',
    `The Chroma server (${JSON.stringify(command)}) is not installed or cannot be run. Install it with \`pip install chromadb==1.5.9\`, set host and port of a server that runs, or choose another store.`,
    { cause },
  );
