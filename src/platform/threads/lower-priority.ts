import { getPriority, setPriority } from 'node:os';

/** Low enough that whatever else wants the core has nine tenths of it, and not so low that a busy machine never comes to it. */
const STEPS_DOWN = 10;
const LOWEST_PRIORITY = 19;

/** Puts this thread behind whatever else the machine has to do, where threads have a priority of their own: on Linux. Threads that it starts inherit it. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST_PRIORITY, getPriority() + STEPS_DOWN));
  } catch {
    // A container may forbid it: then it is one thread less that gives way.
  }
}
