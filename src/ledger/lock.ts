/**
 * What a lock is for. `items`: any number of holders at a time, each of which claims the items that it writes. `whole`: one
 * holder, and none of `items` beside it. `learning`, `upgrading`, `extracting`: one holder, apart from the others.
 */
export type LockSubject = 'items' | 'whole' | 'learning' | 'upgrading' | 'extracting';

export interface LockRequest {
  readonly subject: LockSubject;
  /** What the holder is doing, for the message that others get: `ragstone index`. */
  readonly command: string;
  /** How long to wait for the present holder, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  /** Lets those go first who wait for the whole: for who asks again and again. Only with `items`. @default false */
  readonly givesWay?: boolean | undefined;
  /** The holder gives others a turn soon and again and again: they wait for it, however little they would wait. @default false */
  readonly isBrief?: boolean | undefined;
  /** Ends the waiting with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Held while an index is written. */
export interface WriterLock {
  /** Fires where the lock was lost before it was released: nothing may be written any more. Absent where that cannot be. */
  readonly lost?: AbortSignal | undefined;
  /** Others may hold it too: what is written has to be claimed. @default false */
  readonly isShared?: boolean | undefined;
  /** Where nothing is half written: lets others go first who want the whole for a moment. Absent where nobody asks for that. */
  readonly giveWay?: (() => Promise<void>) | undefined;
  release(): void | Promise<void>;
}
