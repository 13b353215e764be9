import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createFilesSource } from '../../src/sources/files/files-source.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { IS_LONG } from '../long-forms.js';

const LEAST_ROUNDS = IS_LONG ? 20_000 : 200;
const KILN = '# Kiln\n\nThe kiln burns.\n';

/** Swaps a folder for a link and back, as fast as it can. */
const SWAPPING = `
const { workerData, parentPort } = require('node:worker_threads');
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const { folder, aside, target, stop } = workerData;
const asked = new Int32Array(stop);
let swaps = 0;
while (Atomics.load(asked, 0) === 0) {
  renameSync(folder, aside);
  symlinkSync(target, folder);
  unlinkSync(folder);
  renameSync(aside, folder);
  swaps++;
}
parentPort.postMessage(swaps);
`;

test.each([false, true])(
  'a folder that is swapped for a link all the time tells nothing of where it leads (links followed: %s)',
  async (followSymlinks) => {
    const outer = temporaryFolder({
      'docs/sub/deep/a.md': KILN,
      'private/deep/a.md': '# Salaries\n\nWhat everybody earns.\n',
      'private/deep/secret.md': '# Secret\n',
    });
    const stop = new SharedArrayBuffer(4);
    const workerData = {
      folder: join(outer, 'docs/sub'),
      aside: join(outer, 'aside'),
      target: join(outer, 'private'),
      stop,
    };
    const worker = new Worker(SWAPPING, { eval: true, workerData });
    const swapped = once(worker, 'message');
    const seen = new Set<string>();
    // It has to be met as it is, too.
    for (let round = 0; round < LEAST_ROUNDS || !seen.has(KILN); round++) {
      const source = createFilesSource({ name: 'docs', root: join(outer, 'docs'), followSymlinks });
      const listed = source.list();
      for await (const { id } of listed) seen.add(id);
      const { documents } = await source
        .read({ id: 'sub/deep/a.md', version: '' })
        .catch(() => ({ documents: [] }));
      for (const { content } of documents) seen.add(Buffer.from(content as Uint8Array).toString());
    }
    Atomics.store(new Int32Array(stop), 0, 1);
    const [swaps] = (await swapped) as [number];
    expect(swaps).toBeGreaterThan(LEAST_ROUNDS / 10);
    expect([...seen].filter((text) => /Salaries|secret/.test(text))).toEqual([]);
  },
);
