import { FAULTS, type Fault } from './fake-api.js';

/** A script of faults from a seed, about one request in three; never so many in a row that a client gives up. */
export function randomFaults(seed: number, length: number): Fault[] {
  let state = seed >>> 0;
  // Numerical Recipes' linear congruential generator: repeatable, and good enough to mix faults.
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let run = 0;
  return Array.from({ length }, () => {
    const fault =
      run < 3 && next() < 1 / 3 ? FAULTS[1 + Math.floor(next() * (FAULTS.length - 1))] : undefined;
    run = fault === undefined ? 0 : run + 1;
    return fault ?? 'none';
  });
}
