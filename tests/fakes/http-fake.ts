import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service in this process that is spoken to over HTTP. */
export abstract class HttpFake {
  readonly #server = createServer((incoming, response) => {
    void this.serve(incoming, response).catch(() => response.destroy());
  });

  /** @param port any that is free, where it is 0 */
  protected async listening(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    // A listening TCP server has an address of this kind.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  protected abstract serve(incoming: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** What a request holds, as text. */
export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of incoming) parts.push(part as Uint8Array);
  return Buffer.concat(parts).toString('utf8');
}
