import type { TestRunner } from './vector-store/contract.js';

/** The title of the first test of a concern that fails. A suite that has no such concern is a mistake of who asks. */
export async function firstFailure(
  concern: string,
  register: (runner: TestRunner) => void,
): Promise<string | undefined> {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  const titles: string[] = [];
  register({
    describe: (title, define) => {
      titles.push(title);
      define();
      titles.pop();
    },
    it: (title, run) => {
      if (titles.at(-1) === concern) tests.push({ title, run });
    },
  });
  if (tests.length === 0) throw new Error(`The suite has no tests of "${concern}".`);
  for (const { title, run } of tests)
    try {
      await run();
    } catch {
      return title;
    }
  return undefined;
}
