import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that wait for the answers before them; one more closes it. */
const MOST_WAITING = 32;

/**
 * Begins a request when the answers before it on its connection were read (pipelining; RFC 9112, 9.3.2): answers that nobody reads would pile up, and
 * none of a connection that is closed would ever end. For an application and those inside of it, before any other hook.
 */
export function takeTurns(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    // An answer gets the socket when those before it are with the system.
    if (reply.raw.socket === null && !socket.destroyed) {
      const count = (waiting.get(socket) ?? 0) + 1;
      waiting.set(socket, count);
      if (count > MOST_WAITING) socket.destroy();
      else {
        await once(reply.raw, 'socket');
        waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      }
    }
    // Nobody waits for it: no hook and no route sees it.
    if (socket.destroyed) reply.hijack();
  });
}
