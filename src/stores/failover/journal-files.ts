import type { rm as removeFile, rename as renameFile } from 'node:fs/promises';
import { rename, rm } from 'node:fs/promises';
import { type SourceFiles, SYSTEM_RUNTIME } from '../../core/runtime.js';

/** What the journal reads and writes files with: functions of `node:fs/promises`, or a disk that a test makes. */
export type JournalFiles = Pick<SourceFiles, 'open' | 'stat'> & {
  readonly rename: typeof renameFile;
  readonly rm: typeof removeFile;
};

/** Those of the machine. */
export const MACHINE_FILES: JournalFiles = {
  open: SYSTEM_RUNTIME.files.open,
  stat: SYSTEM_RUNTIME.files.stat,
  rename,
  rm,
};
