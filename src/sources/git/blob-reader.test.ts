import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { withRuntime } from '../../core/runtime.js';
import { TestClock } from '../../fleet/sync/test-clock.js';
import { BlobReader } from './blob-reader.js';

test('an object that is asked for while the idle process ends is read by another one', async () => {
  const folder = temporaryFolder({ 'a.txt': 'text of a', 'b.txt': 'text of b' });
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '-q');
  const [a = '', b = ''] = ['a.txt', 'b.txt'].map((file) => git('hash-object', '-w', file));
  const clock = new TestClock('2026-01-01T00:00:00Z');
  await withRuntime(clock.runtime, async () => {
    const blobs = new BlobReader({
      source: 'code',
      folder,
      variables: { GIT_DIR: join(folder, '.git') },
      environment: { PATH: process.env.PATH, HOME: folder },
    });
    const textOf = async (blob: string): Promise<string> => Buffer.from(await blobs.read(blob)).toString();
    for (let round = 0; round < 3; round++) {
      expect(await textOf(a)).toBe('text of a');
      await clock.advance(1_500, async () => undefined);
      expect(await textOf(b)).toBe('text of b');
      await clock.advance(2_000, async () => undefined);
      expect(await textOf(a)).toBe('text of a');
    }
  });
});
