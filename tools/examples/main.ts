/**
 * `npm run examples:test [-- NAME...]`: examples as a stranger gets them. Ragstone is packed, its command line writes the example into a
 * new folder, npm installs it there, its servers are started from nothing, its types and tests are run, and the terminal session
 * of its README is replayed. Exit 1 where anything fails, or no test of a heading of its document passed.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopAllOnExit } from '../test-stores/start-server.js';
import { replayInstalled, testInstalled } from './check-example.js';
import { type Example, exampleNames, readExample } from './example.js';
import { installExample, PLAIN_ENVIRONMENT, packRagstone } from './places.js';
import { runShell } from './run-tests.js';
import { dataVariables, withServers } from './servers.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function testExample(example: Example, tarball: string, folder: string): Promise<readonly string[]> {
  const { name, manifest } = example;
  const started = performance.now();
  const tell = (line: string): void =>
    say(`${name}: ${line} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  await installExample(example, tarball, folder);
  tell('installed');
  const types = await runShell('npm run --silent typecheck', { folder, env: PLAIN_ENVIRONMENT });
  tell(types.code === 0 ? 'types are right' : `types:\n${types.report}`);
  const outcome = await withServers(manifest.servers, {
    say: tell,
    work: (servers) => testInstalled(example, { folder, servers, data: dataVariables(manifest.data) }),
  });
  tell(
    `${outcome.passed.length} tests passed, ${outcome.failed.length} failed, ${outcome.skipped.length} skipped`,
  );
  if (outcome.faults.length > 0) say(outcome.report);
  const replayed = await replay(example, folder);
  tell(replayed.summary);
  return [...(types.code === 0 ? [] : ['types']), ...outcome.faults, ...replayed.faults];
}

async function replay(example: Example, folder: string) {
  try {
    const commands = await replayInstalled(example, { folder, isInstalled: false });
    return { summary: `${commands} commands of the README print what it says`, faults: [] };
  } catch (error) {
    return { summary: 'the README is not what is printed', faults: [String(error)] };
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const names = exampleNames();
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  say(`There is no example ${unknown.join(', ')}. Examples: ${names.join(', ')}.`);
  process.exit(2);
}
stopAllOnExit();
const root = await mkdtemp(join(tmpdir(), 'ragstone-examples-'));
const faults: string[] = [];
try {
  const packed = join(root, 'packed');
  await mkdir(packed);
  const tarball = await packRagstone(packed);
  for (const name of positionals.length > 0 ? positionals : names) {
    const found = await testExample(readExample(name), tarball, join(root, name));
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
} finally {
  await rm(root, { recursive: true, force: true });
}
for (const fault of faults) say(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
