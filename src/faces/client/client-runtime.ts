/** What the client takes from the machine that is not the same twice. A program may hand in its own. */
export interface ClientRuntime {
  /** Milliseconds since some moment, never fewer than before. */
  readonly elapsed: () => number;
  /** A number from 0 up to 1, and never 1. */
  readonly random: () => number;
  /** A name that nobody else makes. */
  readonly uniqueName: () => string;
  /** Calls back once, after so many milliseconds, unless the function that is returned is called before. */
  readonly setTimer: (callback: () => void, milliseconds: number) => () => void;
}

const NAME_BYTES = 16;

/** That of a browser or of Node.js. */
export const PLATFORM: ClientRuntime = {
  elapsed: () => performance.now(),
  random: () => Math.random(),
  // `crypto.randomUUID` is missing on pages that came over plain HTTP.
  uniqueName: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(NAME_BYTES)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
  setTimer: (callback, milliseconds) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
