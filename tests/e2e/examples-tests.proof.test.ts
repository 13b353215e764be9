import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testInstalled } from '../../tools/examples/check-example.js';
import { exampleNames, readExample } from '../../tools/examples/example.js';
import { linkExample } from '../../tools/examples/places.js';
import { temporaryFolder } from './temporary-folder.js';

test.each(exampleNames())('the example %s passes its tests', async (name) => {
  const example = readExample(name);
  const folder = join(temporaryFolder(), name);
  await linkExample(example, folder);
  const { faults, passed, report } = await testInstalled(example, { folder, servers: {} });
  expect(faults, report).toEqual([]);
  expect(passed.length).toBeGreaterThan(0);
});
