import type { TestRunner } from '../vector-store/contract.js';

/** What the suite of a part is told. */
export interface PartContractOptions<Part> {
  /** Shown in the titles. */
  readonly name: string;
  /** Makes the part anew. Called once per test; the suite closes what has a `close`. */
  readonly create: () => Promise<Part>;
  readonly runner: TestRunner;
  /** Per test. @default 60_000 */
  readonly timeoutMs?: number | undefined;
}

/** Tests of a contract by their titles. */
export type PartTests<Part> = Readonly<Record<string, (part: Part) => Promise<void>>>;

/** Registers the tests, each with a part of its own. */
export function registerTests<Part extends object>(
  contract: string,
  { name, create, runner, timeoutMs = 60_000 }: PartContractOptions<Part>,
  tests: PartTests<Part>,
): void {
  runner.describe(`${contract} contract: ${name}`, () => {
    for (const [title, run] of Object.entries(tests))
      runner.it(
        title,
        async () => {
          const part = await create();
          try {
            await run(part);
          } finally {
            if (isClosable(part)) await part.close();
          }
        },
        timeoutMs,
      );
  });
}

const isClosable = (part: object): part is { close(): Promise<void> } =>
  'close' in part && typeof part.close === 'function';
