import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replayInstalled, testInstalled } from '../../tools/examples/check-example.js';
import { exampleNames, readExample } from '../../tools/examples/example.js';
import { linkExample } from '../../tools/examples/places.js';
import { sharedFolder } from './temporary-folder.js';

// Without their servers, beside the packages of this clone. `npm run examples:test` is the whole: from a tarball, with servers.
describe.each(exampleNames())('the example %s', (name) => {
  const example = readExample(name);
  const folder = join(sharedFolder(), name);

  test('passes its tests', async () => {
    await linkExample(example, folder);
    const { faults, passed, report } = await testInstalled(example, { folder, servers: {} });
    expect(faults, report).toEqual([]);
    expect(passed.length).toBeGreaterThan(0);
  }, 180_000);

  test('prints what its README says', async () => {
    const commands = await replayInstalled(example, { folder, isInstalled: true });
    expect(commands).toBeGreaterThan(2);
  }, 180_000);
});

test('every example has what an example has', () => {
  expect(exampleNames().map((name) => readExample(name).name)).toEqual(exampleNames());
});
