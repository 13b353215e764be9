import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, so that a test can cut the line. */
export interface Relay {
  /** The server's address by way of the relay. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port || 5432)];
  const sockets = new Set<Socket>();
  const join = (near: Socket): void => {
    const far = connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  let server: Server | undefined;
  const listen = (at: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const opened = createServer(join);
      opened.once('error', reject);
      opened.listen(at, '127.0.0.1', () => {
        server = opened;
        const address = opened.address();
        resolve(typeof address === 'object' && address !== null ? address.port : at);
      });
    });
  const own = await listen(0);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return {
    url: url.href,
    cut: () =>
      new Promise((resolve) => {
        if (server === undefined) return resolve();
        server.close(() => resolve());
        server = undefined;
        for (const socket of sockets) socket.destroy();
      }),
    mend: async () => {
      await listen(own);
    },
  };
}
