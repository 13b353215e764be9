import * as z from 'zod';

/** Checks that are made once are not worth compiling. Called before what makes schemas is imported. */
export function compileNoChecks(): void {
  z.config({ jitless: true });
}
