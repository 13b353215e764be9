import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { RAGError, SYSTEM_RUNTIME } from '../../../index.js';
import { PROBLEM_TYPE, problemOf } from './problem.js';

/** By the codes of Node.js. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** How long a refused caller may take to read why, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Answers what is no HTTP request, or one whose body does not come: no route and no hook sees that. The connection is cut soon after, for a
 * caller that never closes its side would keep its place among the requests under way for ever.
 */
export function refuseConnection({ code }: { readonly code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const refused = new RAGError('REQUEST_INVALID', 'This is no HTTP request that the service can read.');
  const status = STATUSES[code ?? ''] ?? 400;
  const title = STATUS_CODES[status] ?? 'Error';
  const body = JSON.stringify({ ...problemOf(refused, SYSTEM_RUNTIME.uniqueName()), status, title });
  const head = [`HTTP/1.1 ${status} ${title}`, `content-type: ${PROBLEM_TYPE}`, 'connection: close'];
  socket.end([...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
  const cancel = SYSTEM_RUNTIME.setTimer(() => socket.destroy(), LINGER_MS, { isBackground: true });
  socket.once('close', cancel);
}
