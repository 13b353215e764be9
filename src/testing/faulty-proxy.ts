import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What becomes of traffic: `pass`; `silent` takes bytes and answers nothing, as a half-dead server does; `mute` hands
 * requests on and loses every answer, so that what was asked is done and nobody hears of it; `slow` delays each answer;
 * `cut` ends every connection, new ones too.
 */
export type ProxyMode = 'pass' | 'silent' | 'mute' | 'slow' | 'cut';

/** Where the real server listens. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy between a store and its server that misbehaves on demand, for tests. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #delayMs: number;
  readonly #sockets = new Set<Socket>();
  #mode: ProxyMode = 'pass';
  /** Connections taken so far. */
  connections = 0;

  private constructor(target: ProxyTarget, delayMs: number) {
    this.#delayMs = delayMs;
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

  /** Changes the mode for connections there are and those to come. */
  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode === 'cut') this.cutAll();
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
      from.on('data', (bytes) => this.#forward(bytes, to, to === client));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  #forward(bytes: Buffer, to: Socket, isAnswer: boolean): void {
    if (this.#mode === 'silent' || (this.#mode === 'mute' && isAnswer)) return;
    if (this.#mode === 'slow' && isAnswer)
      setTimeout(() => {
        if (!to.destroyed) to.write(bytes);
      }, this.#delayMs);
    else to.write(bytes);
  }
}
