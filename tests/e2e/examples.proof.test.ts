import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replayInstalled } from '../../tools/examples/check-example.js';
import { exampleNames, readExample } from '../../tools/examples/example.js';
import { linkExample } from '../../tools/examples/places.js';
import { sharedFolder } from './temporary-folder.js';

// Without their servers, beside the packages of this clone; their own tests are in `examples-tests.proof.test.ts`. `npm run examples:test` is the whole: from a tarball, with servers.
describe.each(exampleNames())('the example %s', (name) => {
  const example = readExample(name);
  const folder = join(sharedFolder(), name);

  test('prints what its README says', async () => {
    await linkExample(example, folder);
    const commands = await replayInstalled(example, { folder, isInstalled: true });
    expect(commands).toBeGreaterThan(2);
  });
});

test('every example has what an example has', () => {
  expect(exampleNames().map((name) => readExample(name).name)).toEqual(exampleNames());
});
