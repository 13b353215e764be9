import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.js';
import type { ServerUnderTest } from './servers.js';

/** A server that runs. */
export interface RunningServer {
  readonly url: string;
  readonly version: string;
  /** Its first process and the folder of its data; absent where it was running already. */
  readonly process?: { readonly pid: number; readonly folder: string };
  stop(): Promise<void>;
}

/** A first start installs the server; measured: 6 to 64 seconds. */
const START_TIMEOUT_MS = 5 * 60_000;
const START_ATTEMPTS = 3;
const ANSWER_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Elasticsearch and OpenSearch take the port this much above their own for their nodes. */
const SECOND_PORT = 100;

/** Start scripts of servers of our own. */
const OWN_SCRIPTS = fileURLToPath(new URL('.', import.meta.url));

/** Process groups that are not stopped yet; killed should this process be ended. */
const runningGroups = new Set<number>();

/**
 * Starts a server from nothing in a new folder on a free port. A registry may hiccup, a port may be taken meanwhile, and a
 * script does not mend an installation that was broken off, so each further attempt installs into a new folder. Throws an
 * `Error` with the end of what the script said last.
 */
export async function startServer(
  server: ServerUnderTest,
  { scripts, say }: { readonly scripts: string; readonly say: (line: string) => void },
): Promise<RunningServer> {
  const script = join(server.isOwn === true ? OWN_SCRIPTS : scripts, server.folder, 'start.sh');
  if (!existsSync(script))
    throw new Error(
      `${script} is missing: name the folder of the start scripts by RAGSTONE_SERVERS, or a running server by ${server.variable} (compose.stores.yaml starts them).`,
    );
  for (let attempt = 1; ; attempt++) {
    const installs = attempt === 1 ? undefined : await mkdtemp(join(tmpdir(), 'ragstone-servers-'));
    if (installs !== undefined) await chmod(installs, 0o755);
    try {
      const running = await tryToStart(server, script, installs);
      return installs === undefined ? running : removing(running, installs);
    } catch (error) {
      if (installs !== undefined) await rm(installs, { recursive: true, force: true });
      if (attempt === START_ATTEMPTS) throw error;
      say(`attempt ${attempt} of ${START_ATTEMPTS}: ${messageOf(error)}`);
    }
  }
}

const removing = (running: RunningServer, folder: string): RunningServer => ({
  ...running,
  stop: async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  },
});

async function tryToStart(
  server: ServerUnderTest,
  script: string,
  installs: string | undefined,
): Promise<RunningServer> {
  const workFolder = await mkdtemp(join(tmpdir(), 'ragstone-server-'));
  // PostgreSQL runs as another user, who must be able to enter.
  await chmod(workFolder, 0o755);
  const port = await freePort();
  const folder = join(workFolder, 'data');
  const { child, output } = await runScript([script, ...server.startArguments(folder, port)], {
    cwd: workFolder,
    env: installs === undefined ? {} : { SERVERS_HOME: installs },
  });
  const pid = Number(/ready pid=(\d+)/.exec(output)?.[1]);
  const stop = async (): Promise<void> => {
    await stopServer(pid, child);
    await rm(workFolder, { recursive: true, force: true });
  };
  const url = server.urlOf(port);
  try {
    if (!Number.isInteger(pid)) throw new Error('It did not tell that it is ready.');
    return { url, version: await answeredVersion(server, url), process: { pid, folder }, stop };
  } catch (error) {
    await stop();
    throw new Error(`${script} started nothing:\n${output.slice(-2_000)}`, { cause: error });
  }
}

/** The version that the server tells once it answers; a script may give up waiting before. */
async function answeredVersion(server: ServerUnderTest, url: string): Promise<string> {
  for (const end = Date.now() + ANSWER_TIMEOUT_MS; ; await sleep(500))
    try {
      return await server.versionOf(url);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
}

/** Ends what was started, when this process is told to end. */
export function stopAllOnExit(): void {
  process.on('exit', () => {
    for (const group of runningGroups) kill(-group, 'SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143));
}

// In a process group of its own, so that whatever the script started can be ended with it.
async function runScript(
  line: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn('bash', line, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) runningGroups.add(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  // Not `close`: a server may hold the pipes for as long as it lives.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([ended, sleep(START_TIMEOUT_MS, undefined, { ref: false })]);
  await sleep(100);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { child, output };
}

async function stopServer(pid: number, child: ChildProcess): Promise<void> {
  if (Number.isInteger(pid)) {
    // SIGINT is PostgreSQL's fast way out; the others take it as well.
    kill(pid, 'SIGINT');
    for (const end = Date.now() + STOP_TIMEOUT_MS; isAlive(pid) && Date.now() < end; ) await sleep(100);
    kill(pid, 'SIGKILL');
  }
  if (child.pid === undefined) return;
  kill(-child.pid, 'SIGKILL');
  runningGroups.delete(child.pid);
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // It has ended already.
    return false;
  }
}

const isAlive = (pid: number): boolean => kill(pid, 0);

async function freePort(): Promise<number> {
  for (;;) {
    const port = await tryPort(0);
    if (port !== undefined && port + SECOND_PORT < 65_536 && (await tryPort(port + SECOND_PORT))) return port;
  }
}

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
