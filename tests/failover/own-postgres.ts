import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const SCRIPT = fileURLToPath(new URL('../../../shared/servers/pgvector/start.sh', import.meta.url));
const ATTEMPTS = 30;

/** Whether there is a script that starts a server. */
export const hasPostgres = existsSync(SCRIPT);

/** A PostgreSQL server of this test's own, which it may kill and start again with what it held. */
export class OwnPostgres {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  #pid = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async start(): Promise<OwnPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-own-postgres-'));
    // It runs as another user.
    await chmod(folder, 0o755);
    const server = new OwnPostgres(join(folder, 'data'), await freePort());
    await server.restart();
    return server;
  }

  /** Ends it at once, as a crash does. */
  kill(): void {
    process.kill(this.#pid, 'SIGKILL');
  }

  async restart(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const output = await run([SCRIPT, this.#folder, String(this.#port)]);
      this.#pid = Number(/ready pid=(\d+)/.exec(output)?.[1] ?? 0);
      if (this.#pid > 0 && (await this.#answers())) return;
      // What it started before still ends.
      if (attempt === ATTEMPTS) throw new Error(`PostgreSQL does not start:\n${output}`);
      await sleep(500);
    }
  }

  async stop(): Promise<void> {
    if (this.#pid > 0) this.kill();
    await sleep(200);
    await rm(join(this.#folder, '..'), { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function run(line: readonly string[]): Promise<string> {
  // It is no child that ends with this process's group.
  const child: ChildProcess = spawn('bash', line, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => setTimeout(() => resolve(output), 100));
  });
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
