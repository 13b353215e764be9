import { AsyncLocalStorage } from 'node:async_hooks';

const noted = new AsyncLocalStorage<Set<string>>();

/**
 * Does work and tells by which stores it was answered in place of the one that is asked first, in words. Work inside of work notes for
 * both.
 */
export async function withStandIns<Result>(
  work: (standIns: () => readonly string[]) => Promise<Result>,
): Promise<Result> {
  const outer = noted.getStore();
  const notes = new Set<string>();
  try {
    return await noted.run(notes, () => work(() => [...notes]));
  } finally {
    for (const note of notes) outer?.add(note);
  }
}

/** Says that another store answered. */
export const noteStandIn = (note: string): void => void noted.getStore()?.add(note);
