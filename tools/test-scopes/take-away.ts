import { inject } from 'vitest';

/** Before each test file of `npm run test:scopes`: which check is taken away. */
Object.assign(globalThis, inject('ragstoneTakenAway'));

declare module 'vitest' {
  export interface ProvidedContext {
    ragstoneTakenAway: { ragstoneTakenAway: string };
  }
}
