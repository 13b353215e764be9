import type { TestRunner } from '../src/testing/vector-store/contract.js';

/** A runner that can leave out what cannot run, as Vitest's and Jest's can. */
export interface SkippingRunner extends Omit<TestRunner, 'describe'> {
  readonly describe: TestRunner['describe'] & { readonly skip: TestRunner['describe'] };
}

export interface TestServer {
  /** What the tests are of, as `npm run test:stores` names it: `chroma`. */
  readonly store: string;
  /** What it has to keep. @default VectorStore contract */
  readonly contract?: string | undefined;
  /** Variable of the environment that holds the URL of a server. */
  readonly variable: string;
}

/** Registers tests that need a server, or one skipped test that says why they are not run and how they are. */
export function withTestServer(
  { describe, it }: SkippingRunner,
  { store, variable, contract = 'VectorStore contract' }: TestServer,
  register: (url: string) => void,
): void {
  const url = process.env[variable];
  if (url !== undefined) {
    register(url);
    return;
  }
  const how = `${variable} names no server; \`npm run test:stores -- ${store}\` starts one`;
  console.warn(`${store}: the ${contract} is skipped here, because ${how}.`);
  describe.skip(`${contract}: ${store}: ${how}`, () => {
    it('keeps the contract', async () => undefined);
  });
}
