import { createServer } from 'node:net';
import { documentMap } from './document-map.js';
import type { Example } from './example.js';
import { PLAIN_ENVIRONMENT } from './places.js';
import { replayTranscript } from './replay-transcript.js';
import { runTests, type TestOutcome } from './run-tests.js';
import { transcriptOf } from './transcript.js';

/** Where an example is and what it has there. */
export interface InstalledExample {
  readonly folder: string;
  /** Variables that name servers to its tests. */
  readonly servers: Readonly<Record<string, string>>;
  /** Variables that name data to them. @default none */
  readonly data?: Readonly<Record<string, string>>;
}

/** Runs the tests of an example. Faults: what failed, and, with its servers, headings of which no test passed. */
export async function testInstalled(
  example: Example,
  { folder, servers, data = {} }: InstalledExample,
): Promise<TestOutcome & { readonly faults: readonly string[] }> {
  const outcome = await runTests(example, { folder, env: { ...PLAIN_ENVIRONMENT, ...servers, ...data } });
  const accepted = new Set(outcome.passed);
  // Without its servers what needs one is skipped, and the whole test says more.
  if (Object.keys(servers).length < example.manifest.servers.length)
    for (const title of outcome.skipped) accepted.add(title);
  const unproven = documentMap(example.readme).flatMap(({ heading, tests }) =>
    tests.filter((title) => !accepted.has(title)).map((title) => `${heading}: "${title}" did not pass`),
  );
  return { ...outcome, faults: [...outcome.failed.map((title) => `failed: ${title}`), ...unproven] };
}

/** Replays the terminal session of an example's README. Throws at the first difference. */
export async function replayInstalled(
  { manifest, readme }: Example,
  { folder, isInstalled }: { readonly folder: string; readonly isInstalled: boolean },
): Promise<number> {
  const steps = transcriptOf(readme).filter(({ command }) => !(isInstalled && command === 'npm install'));
  const ports = { written: manifest.port, free: await freePort() };
  await replayTranscript(steps, { folder, ports, env: PLAIN_ENVIRONMENT });
  return steps.length;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
