import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in memory, on Linux. */
const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 1024 ** 3;
const NAME = 'ragstone-tests-';

/** A folder that `TMPDIR` names is taken instead. */
const hasMemory = (): boolean => {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= LEAST_BYTES;
};

/** What a run that was killed left in memory. */
function removeLeftBehind(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(place, name), { recursive: true, force: true });
  }
}

/** Folders of a run of tests; they go with its process. */
export interface RunFolder {
  /** Where tests write: in memory where there is enough, for waiting for the disk took longer than the tests. */
  readonly temporary: string;
  /** What tests trust is none of the person's who runs them. */
  readonly state: string;
}

export function makeRunFolder(): RunFolder {
  const place = hasMemory() ? MEMORY : tmpdir();
  if (place === MEMORY) removeLeftBehind(place);
  const folder = mkdtempSync(join(place, `${NAME}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [temporary, state] = [join(folder, 'tmp'), join(folder, 'state')] as const;
  for (const one of [temporary, state]) mkdirSync(one);
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  chmodSync(temporary, 0o1777);
  return { temporary, state };
}
