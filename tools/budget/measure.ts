import { readFileSync } from 'node:fs';

/** Clock ticks that Linux counts processor time in, on every architecture that Node.js runs on. */
const TICKS = 100;
const LOOPS = 5;
const STEPS = 30_000_000;

/** Seconds that processes took which ended and that this one (or another) had started, with theirs; undefined where no such figure can be had. */
export function childSeconds(pid = 'self'): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may hold anything, and ends at the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return (user + system) / TICKS;
}

/** Seconds of processor time of a fixed loop, several times; the first, which is compiled meanwhile, is left out. */
export const loopSeconds = (): number[] => Array.from({ length: LOOPS + 1 }, timeLoop).slice(1);

/** The same once. */
export function timeLoop(): number {
  const before = process.cpuUsage();
  let state = 1;
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  const { user, system } = process.cpuUsage(before);
  // The result is used, so that the loop is not left out.
  return (user + system + (state === 0 ? 1 : 0)) / 1e6;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
