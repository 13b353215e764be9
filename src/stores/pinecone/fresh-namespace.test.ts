import { expect, it } from 'vitest';
import { FreshNamespace } from './fresh-namespace.js';
import type { PineconeConnection } from './pinecone-connection.js';

const CALL = { action: 'test', isIdempotent: true };

/** A namespace whose writes are numbered at once and seen by the third query after them. */
function lagging() {
  const asked: string[] = [];
  let [written, seen, sinceWrite] = [0, 0, 0];
  const index = {
    query: async () => {
      asked.push('probe');
      sinceWrite++;
      if (sinceWrite >= 3) seen = written;
    },
  };
  const connection = {
    data: async (_place: unknown, _call: unknown, run: (index: unknown) => Promise<unknown>) => {
      const value = await run(index);
      const headers = new Headers({ 'x-pinecone-max-indexed-lsn': String(seen) });
      if (value === 'written') headers.set('x-pinecone-request-lsn', String(written));
      return { value, headers };
    },
  };
  const write = async (): Promise<string> => {
    asked.push('write');
    written++;
    sinceWrite = 0;
    return 'written';
  };
  return {
    asked,
    connection: connection as unknown as PineconeConnection,
    write,
    isSeen: () => seen === written,
  };
}

it('a read waits until the service shows what was written before it, and a second one does not wait again', async () => {
  const { asked, connection, write, isSeen } = lagging();
  const place = { host: 'h', namespace: 'n' };
  const namespace = new FreshNamespace(connection, place, { dimensions: 4, eventualMs: 60_000 });
  await namespace.write(CALL, write);
  expect(await namespace.read(CALL, async () => isSeen())).toBe(true);
  expect(asked).toEqual(['write', 'probe', 'probe', 'probe']);
  await namespace.read(CALL, async () => isSeen());
  expect(asked).toHaveLength(4);
});

it('a service that never shows a write is STORE_TIMEOUT', async () => {
  const { connection, write } = lagging();
  const place = { host: 'h', namespace: 'n' };
  const namespace = new FreshNamespace(connection, place, { dimensions: 4, eventualMs: 1 });
  await namespace.write(CALL, write);
  await expect(namespace.read(CALL, async () => 'read')).rejects.toMatchObject({ reason: 'STORE_TIMEOUT' });
});
