import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { RAGError } from '../../core/errors.js';
import type { WorkQueue } from '../../ledger/queue/work-queue.js';
import { borrowed } from './own-parts.js';

/** Whether work is handed to workers. */
export const hasQueue = ({ rag, own }: ResolvedConfig): boolean =>
  own?.queue !== undefined || rag.queue.url !== undefined;

/**
 * Refuses a queue where hosts cannot write one index: what is to be done is kept in the ledger, and each worker must reach it.
 *
 * @throws RAGError `CONFIG_INVALID`
 */
export function checkQueue(config: ResolvedConfig): void {
  const why = hasQueue(config) ? whyNotShared(config) : undefined;
  if (why === undefined) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.queue hands work to other hosts, and ${why}: what is to be done is kept in a ledger that all of them reach. Set rag.ledger.type to \`postgres\` and rag.provider to a store on a server, or leave rag.queue out.`,
    { details: { key: 'rag.queue.url' } },
  );
}

/** Why hosts cannot work on what the ledger says is pending; undefined where they can. */
function whyNotShared({ rag, own }: ResolvedConfig): string | undefined {
  if (own?.ledger === undefined)
    return rag.ledger.type === 'postgres'
      ? undefined
      : `rag.ledger.type is \`${rag.ledger.type}\`, a file of this host`;
  // Batches of a server's queue are told apart by the schema of the ledger, which this one has not.
  if (own.queue === undefined) return 'the ledger was handed to createEngine';
  return own.ledger.lock === undefined
    ? 'the ledger that was handed to createEngine has no lock that hosts share'
    : undefined;
}

/**
 * Opens the queue that `rag.queue` names, or takes the one that was handed in; loads its drivers and no others.
 *
 * @throws RAGError `USAGE` where none is named, `SECRET_MISSING`, `PACKAGE_MISSING`, `CONFIG_INVALID`
 */
export async function openQueueFor(config: ResolvedConfig): Promise<WorkQueue> {
  const own = config.own?.queue;
  if (own !== undefined) return borrowed(own);
  const { queue, ledger } = config.rag;
  if (queue.url === undefined)
    throw new RAGError(
      'USAGE',
      'No queue is configured: state the address of a Redis server in rag.queue.url (docs/many-machines.md).',
    );
  await resolveSecrets(queue, ['rag', 'queue'], config);
  const { openBullmqQueue } = await import('../../ledger/queue/bullmq-queue.js');
  return openBullmqQueue({
    url: queue.url.reveal(),
    prefix: queue.prefix,
    name: `batches-${ledger.namespace}`,
    lockMs: ledger.leaseMs,
  });
}
