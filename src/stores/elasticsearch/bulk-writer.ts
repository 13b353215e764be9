import * as z from 'zod';
import { throwIfAborted } from '../../core/errors.js';
import { sleep } from '../../core/runtime.js';
import { batchesOf } from '../batches.js';
import type { CallOptions, ServerConnection } from './server-connection.js';
import { answerError, isRetryableStatus } from './server-errors.js';

/** Documents and bytes of one request: servers refuse more than 100 MB and work best with 5 to 15. */
const BATCH = { items: 1_000, size: 8 * 1024 * 1024 };
/** Pauses before the operations that a busy server refused are sent again. */
const RETRY_PAUSES_MS = [200, 800, 3_200];

/** One operation in the words of the bulk API. */
export interface BulkOperation {
  /** `{ index: { _id } }` or `{ delete: { _id, ... } }`, as JSON. */
  readonly action: string;
  /** The document, as JSON; none for a deletion. */
  readonly document?: string;
}

const OUTCOME = z.object({ status: z.int(), error: z.unknown().optional() });
const BULK_ANSWER = z.object({
  errors: z.boolean(),
  items: z.array(z.object({ index: OUTCOME.optional(), delete: OUTCOME.optional() })),
});

export interface BulkTarget {
  readonly connection: ServerConnection;
  readonly alias: string;
}

/**
 * Runs operations in requests of a fair size and tells the status of each, in order. Operations that a busy server refused
 * are sent again. Throws for any status not in `expected`; operations before it stay done.
 */
export async function runBulk(
  target: BulkTarget,
  operations: Iterable<BulkOperation>,
  call: CallOptions & { readonly expected: ReadonlySet<number> },
): Promise<number[]> {
  const statuses: number[] = [];
  for (const batch of batchesOf(operations, BATCH, sizeOf)) {
    throwIfAborted(call.signal);
    statuses.push(...(await runBatch(target, batch, call)));
  }
  return statuses;
}

async function runBatch(
  target: BulkTarget,
  batch: readonly BulkOperation[],
  call: CallOptions & { readonly expected: ReadonlySet<number> },
): Promise<number[]> {
  const statuses = new Array<number>(batch.length).fill(0);
  let open = batch.map((operation, position) => ({ operation, position }));
  for (let attempt = 0; ; attempt++) {
    const outcomes = await send(
      target,
      open.map(({ operation }) => operation),
      call,
    );
    const isLast = attempt >= RETRY_PAUSES_MS.length;
    const refused: typeof open = [];
    for (const [i, entry] of open.entries()) {
      const { status, error } = outcomes[i] ?? { status: 0, error: undefined };
      statuses[entry.position] = status;
      if (call.expected.has(status)) continue;
      if (isLast || !isRetryableStatus(status))
        throw answerError(target.connection, call.action, { status, body: { error } });
      refused.push(entry);
    }
    if (refused.length === 0) return statuses;
    open = refused;
    await sleep(RETRY_PAUSES_MS[attempt] ?? 0);
    throwIfAborted(call.signal);
  }
}

async function send(
  { connection, alias }: BulkTarget,
  operations: readonly BulkOperation[],
  call: CallOptions,
): Promise<z.infer<typeof OUTCOME>[]> {
  const lines = operations.map(({ action, document }) =>
    document === undefined ? `${action}\n` : `${action}\n${document}\n`,
  );
  const { items } = await connection.request(
    BULK_ANSWER,
    {
      method: 'POST',
      path: `/${encodeURIComponent(alias)}/_bulk`,
      query: { require_alias: true },
      lines: lines.join(''),
    },
    call,
  );
  return items.flatMap((item) => item.index ?? item.delete ?? []);
}

// At most three bytes of UTF-8 for each UTF-16 unit; an estimate is enough.
const sizeOf = ({ action, document }: BulkOperation): number => action.length + (document?.length ?? 0);
