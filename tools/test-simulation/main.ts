/**
 * `npm run test:simulation`: puts known bugs back, one at a time, and expects the simulator to find each. Says in how many of the
 * gate's worlds it does, and their seeds. `npm run test:simulation -- PART` puts back those alone whose name holds the part.
 *
 * Nothing is written: the text of a source file is replaced while it is loaded.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { KNOWN_BUGS, type KnownBug } from './known-bugs.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEST = 'tests/simulation/simulation.proof.test.ts';
/** How it says in how many worlds. */
const COUNT = 'worlds are wrong';

/** What the simulator says of a bug: in how many worlds it shows, and how; undefined where it does not find it. */
async function findingOf(bug: KnownBug): Promise<string | undefined> {
  const path = join(ROOT, bug.path);
  if (readFileSync(path, 'utf8').split(bug.text).length !== 2)
    throw new Error(`${bug.path} does not hold this once: ${bug.text}`);
  const vitest = await createVitest(
    'test',
    {
      root: ROOT,
      config: false,
      watch: false,
      include: [TEST],
      reporters: [{}],
      maxWorkers: 1,
      testTimeout: 300_000,
      env: { RAGSTONE_SIMULATE: 'all' },
    },
    {
      plugins: [
        {
          name: 'known-bug',
          enforce: 'pre',
          transform: (code, id) => (id === path ? code.replace(bug.text, () => bug.replacement) : undefined),
        },
      ],
    },
  );
  try {
    const { testModules } = await vitest.start([TEST]);
    const failed = testModules.flatMap((module) => [...module.children.allTests('failed')]);
    const messages = failed.flatMap((test) => test.result().errors ?? []).map(({ message }) => message);
    return messages.find((message) => message.includes(COUNT));
  } finally {
    await vitest.close();
  }
}

/** Worlds that are told of each bug. */
const SHOWN = 3;

const wanted = process.argv[2] ?? '';
let isMissed = false;
for (const bug of KNOWN_BUGS.filter(({ name }) => name.includes(wanted))) {
  const finding = await findingOf(bug);
  isMissed ||= finding === undefined && bug.isMissed !== true;
  const [count = 'MISSED', ...worlds] = finding?.split('\n') ?? [];
  const shown = worlds.filter((line) => /^\d/.test(line)).slice(0, SHOWN);
  process.stdout.write(
    `${bug.name}\n  ${count}\n${shown.map((line) => `    ${line.slice(0, 160)}\n`).join('')}`,
  );
}
process.exitCode = isMissed ? 1 : 0;
