import { type ErrorReason, RAGError } from '../../core/errors.js';

/** Lance gives no error codes; these are the phrases of its messages (lance 10, object_store, Rust's `std::io`). */
const REASONS: readonly (readonly [RegExp, ErrorReason, string])[] = [
  [
    /no space left|os error 28\b|StorageFull|quota exceeded|os error 122|file too large|os error 27\b/i,
    'STORE_FULL',
    'The disk is full. Free some space and run the same command again; what was written before is intact.',
  ],
  [
    /read-only file system|os error 30\b|permission denied|os error 13\b|operation not permitted|os error 1\b/i,
    'STORE_READ_ONLY',
    'The folder may not be written. Give this user write permission, or choose another folder with --data.',
  ],
  [
    /not found|no such file|corrupt|magic|invalid (file|manifest|footer|metadata)|truncat|unexpected eof|failed to fill|protobuf|decode|range .*(larger|out of|beyond)|file size is|out of bounds|panic/i,
    'STORE_DAMAGED',
    'A file of the store is missing or damaged. Rebuild it with `ragstone index --force`.',
  ],
];

const CONFLICT = /conflict|concurrent|too many retries|retries exhausted/i;

/** Whether a commit lost against another writer's and may be tried again. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(messageOf(error));

/** Whether a file that an old version needed is gone, as after another process cleaned up. */
export const isMissingFile = (error: unknown): boolean => /not found|no such file/i.test(messageOf(error));

/** An error of the driver as one of ours: what failed, on which collection, and what to do. */
export function storeError(error: unknown, action: string): RAGError {
  if (RAGError.isInstance(error)) return error;
  const message = messageOf(error);
  for (const [pattern, reason, advice] of REASONS)
    if (pattern.test(message))
      return new RAGError(reason, `LanceDB could not ${action}. ${advice}`, { cause: error });
  return new RAGError('STORE_UNAVAILABLE', `LanceDB could not ${action}; the cause has its message.`, {
    cause: error,
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
