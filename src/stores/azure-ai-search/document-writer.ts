import { RAGError, throwIfAborted } from '../../core/errors.js';
import { sleep } from '../../core/runtime.js';
import { batchesOf } from '../batches.js';
import type { AzureSearchConnection, CallOptions, IndexedDocument } from './azure-connection.js';
import { isRetryableStatus, refusalError } from './azure-errors.js';

/** Actions and bytes of one request: the service refuses more than 1,000, and more than 16 MB. */
const BATCH = { items: 1_000, size: 12_000_000 };
/** What one document may have at most, so that it fits beside the words around it. */
const MAX_DOCUMENT_BYTES = 15_900_000;
/** Pauses before what a busy service refused of a batch is sent again. */
const RETRY_PAUSES_MS = [200, 800, 3_200];

/** One action of the service's batch interface. A deletion needs the key alone. */
export interface IndexAction {
  readonly __actionType: 'upload' | 'delete';
  readonly document: IndexedDocument;
}

export interface WriteTarget {
  readonly connection: AzureSearchConnection;
  readonly index: string;
}

/**
 * Sends actions in requests of a fair size. The service answers for each by itself (status 207 where some failed): those that may
 * succeed later are sent again, and alone. Throws for any other; what was done before stays done, and a repetition does no harm.
 */
export async function writeDocuments(
  target: WriteTarget,
  actions: Iterable<IndexAction>,
  call: CallOptions,
): Promise<void> {
  for (const batch of batchesOf(actions, BATCH, sizeOf)) {
    throwIfAborted(call.signal);
    await writeBatch(target, batch, call);
  }
}

async function writeBatch(
  target: WriteTarget,
  batch: readonly IndexAction[],
  call: CallOptions,
): Promise<void> {
  let open = batch;
  for (let attempt = 0; ; attempt++) {
    const outcomes = await send(target, open, call);
    const failed: IndexAction[] = [];
    for (const action of open) {
      const outcome = outcomes.get(keyOf(action));
      if (outcome?.succeeded === true) continue;
      const { statusCode: status = 0, errorMessage: explanation = 'no outcome' } = outcome ?? {};
      if (!isRetryableStatus(status) || attempt >= RETRY_PAUSES_MS.length)
        throw failure(target, call, status, explanation);
      failed.push(action);
    }
    if (failed.length === 0) return;
    open = failed;
    await sleep(RETRY_PAUSES_MS[attempt] ?? 0, call.signal);
  }
}

interface Outcome {
  readonly succeeded: boolean;
  readonly statusCode: number;
  readonly errorMessage?: string | undefined;
}

async function send(
  { connection, index }: WriteTarget,
  actions: readonly IndexAction[],
  call: CallOptions,
): Promise<Map<string, Outcome>> {
  const { results } = await connection.call(call, (clients, options) =>
    clients
      .documents(index)
      .indexDocuments(
        clients.batchOf(actions.map(({ __actionType, document }) => ({ __actionType, ...document }))),
        options,
      ),
  );
  return new Map(results.map((result) => [result.key, result]));
}

const keyOf = ({ document }: IndexAction): string => String(document.id);

/** Of a single document a 400 says that it does not fit the index. */
function failure(
  { connection, index }: WriteTarget,
  { action }: CallOptions,
  status: number,
  explanation: string,
): RAGError {
  if (status === 400)
    return new RAGError(
      'STORE_INVALID_RECORD',
      `Azure AI Search at ${connection.address} refused a chunk: it does not fit index "${index}", which someone may have changed. The cause has its explanation.`,
      { cause: new Error(explanation.slice(0, 2_000)), details: { status } },
    );
  return refusalError(connection.address, action, { status, explanation });
}

function sizeOf({ __actionType, document }: IndexAction): number {
  if (__actionType === 'delete') return 200;
  const size = Buffer.byteLength(JSON.stringify(document), 'utf8');
  if (size > MAX_DOCUMENT_BYTES)
    throw new RAGError(
      'STORE_INVALID_RECORD',
      'A chunk takes more than 16 MB in Azure AI Search, which is all that one request may hold.',
    );
  return size;
}
