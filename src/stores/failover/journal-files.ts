import type * as NodeFiles from 'node:fs/promises';
import { open, rename, rm, stat } from 'node:fs/promises';

/** What the journal reads and writes files with: functions of `node:fs/promises`, or a disk that a test makes. */
export type JournalFiles = Pick<typeof NodeFiles, 'open' | 'rename' | 'rm' | 'stat'>;

/** Those of the machine. */
export const MACHINE_FILES: JournalFiles = { open, rename, rm, stat };
