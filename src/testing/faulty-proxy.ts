import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What becomes of activeQueries: `pass`; `silent` takes bytes and answers nothing, as a half-dead server does; `mute` hands
 * requests on and loses every answer, so that what was asked is done and nobody hears of it; `slow` delays each answer;
 * `frozen` keeps all bytes for later, as a server that was stopped and will go on; `cut` ends every connection, new ones too.
 */
export type ProxyMode = 'pass' | 'silent' | 'mute' | 'slow' | 'frozen' | 'cut';

/** Where the real server listens. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy between a store and its server that misbehaves on demand, for tests. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #lossy = new Set<Socket>();
  #mode: ProxyMode = 'pass';
  /** Ends the wait of what is frozen. */
  #thaw: (() => void) | undefined;
  #frozen: Promise<void> = Promise.resolve();
  /** How late each answer of a slow server is, in milliseconds. */
  delayMs: number;
  /** Connections taken so far. */
  connections = 0;

  private constructor(target: ProxyTarget, delayMs: number) {
    this.delayMs = delayMs;
    this.#server = createServer((client) => this.#serve(client, target));
  }

  /** Listens on a free port of this machine. */
  static async start(
    target: ProxyTarget,
    { delayMs = 300 }: { delayMs?: number | undefined } = {},
  ): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target, delayMs);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    // A listening TCP server has an address of this kind.
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Changes the mode for connections there are and those to come. Those that lost bytes end: what follows would be read as something else.
   */
  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode === 'cut') this.cutAll();
    for (const socket of this.#lossy) socket.destroy();
    this.#lossy.clear();
    const thaw = mode === 'frozen' ? undefined : this.#thaw;
    if (thaw !== undefined) this.#thaw = undefined;
    thaw?.();
  }

  /** Ends every connection once; the mode stays. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutAll();
    await closed;
  }

  #serve(client: Socket, target: ProxyTarget): void {
    this.connections++;
    if (this.#mode === 'cut') {
      client.destroy();
      return;
    }
    const server = connect(target.port, target.host);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      // One after the other, whatever the mode was when they came.
      let last = Promise.resolve();
      from.on('data', (bytes) => {
        const ready = this.#forward(from, to === client);
        last = last.then(async () => {
          if ((await ready) && !to.destroyed) to.write(bytes);
        });
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        this.#lossy.delete(from);
        void last.then(() => to.destroy());
      });
    }
  }

  /** When bytes go on; false where they do not. */
  async #forward(from: Socket, isAnswer: boolean): Promise<boolean> {
    if (this.#mode === 'silent' || (this.#mode === 'mute' && isAnswer)) {
      this.#lossy.add(from);
      return false;
    }
    if (this.#mode === 'slow' && isAnswer) await sleep(this.delayMs);
    if (this.#mode === 'frozen') {
      if (this.#thaw === undefined)
        this.#frozen = new Promise((resolve) => {
          this.#thaw = resolve;
        });
      await this.#frozen;
    }
    return true;
  }
}
