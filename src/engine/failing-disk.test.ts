import { truncateSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

/** What a read of the file that is tampered with gives, after so many bytes of it. */
type Read = (handle: FileHandle, sought: { buffer: Buffer; length: number; done: number }) => Promise<number>;

const LARGE = 'large.md';
/** Longer than the 256 KiB that are read at once. */
const largeText = (end: string): string => `${'The beacon is lit at dusk. '.repeat(20_000)}${end}`;

let cwd: string;
let read: Read | undefined;
let engine: Engine;

/** The machine's files, of which one is read as the test says. */
const files = {
  ...SYSTEM_RUNTIME.files,
  open: async (...place: Parameters<typeof SYSTEM_RUNTIME.files.open>) => {
    const handle = await SYSTEM_RUNTIME.files.open(...place);
    const tampered = read;
    if (tampered === undefined || !String(place[0]).endsWith(LARGE)) return handle;
    let done = 0;
    const slowly = async (buffer: Buffer, _offset: number, length: number) => {
      const bytesRead = await tampered(handle, { buffer, length, done });
      done += bytesRead;
      return { bytesRead, buffer };
    };
    return new Proxy(handle, {
      get: (target, name) => {
        const value: unknown = name === 'read' ? slowly : Reflect.get(target, name, target);
        return typeof value === 'function' && name !== 'read' ? value.bind(target) : value;
      },
    });
  },
};

/** Counts what is asked of the disk about names; the call of this number fails. */
let failing: number | undefined;
let asked = 0;
function mayFail<Args extends unknown[], T>(call: (...args: Args) => Promise<T>) {
  return async (...args: Args): Promise<T> => {
    asked += 1;
    if (asked === failing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    return call(...args);
  };
}
const { lstat, readdir, realpath, stat } = SYSTEM_RUNTIME.files;
Object.assign(files, {
  ...{ lstat: mayFail(lstat), readdir: mayFail(readdir), realpath: mayFail(realpath), stat: mayFail(stat) },
});

beforeEach(async () => {
  failing = undefined;
  cwd = temporaryFolder();
  read = undefined;
  writeFileSync(join(cwd, LARGE), largeText('The first lens is of glass.'));
  writeFileSync(join(cwd, 'small.md'), 'The keeper sleeps at noon.');
  engine = await createEngine({
    cwd,
    runtime: { ...SYSTEM_RUNTIME, files },
    config: { provider: 'libsql', sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }] },
  });
});
afterEach(() => engine.close());

const textOfLarge = async (): Promise<string | undefined> => {
  const { documents } = await engine.list();
  const large = documents.find(({ externalId }) => externalId === LARGE);
  return large && (await engine.get(large.id))?.text;
};

it('a disk that fails in the middle of a file costs that file alone, whose last revision stays until it can be read', async () => {
  await engine.index();
  writeFileSync(join(cwd, LARGE), largeText('The second lens is of quartz.'));
  writeFileSync(join(cwd, 'small.md'), 'The keeper sleeps at two.');
  read = async (handle, { buffer, length, done }) => {
    if (done > 0) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return (await handle.read(buffer, 0, length, null)).bytesRead;
  };
  const failed = await engine.index();
  expect(failed.stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 0 });
  expect(failed.stats.errors).toMatchObject([
    { item: LARGE, reason: 'DOCUMENT_UNREADABLE', message: expect.stringContaining('EIO') as string },
  ]);
  expect(await textOfLarge()).toContain('The first lens');
  read = undefined;
  expect(await engine.index()).toMatchObject({ success: true });
  expect(await textOfLarge()).toContain('The second lens');
});

it('a file that shrinks while it is read is indexed as it is, and again when it is whole', async () => {
  const whole = largeText('The third lens is of salt.');
  writeFileSync(join(cwd, LARGE), whole);
  read = async (handle, { buffer, length, done }) => {
    if (done > 0) truncateSync(join(cwd, LARGE), done);
    return (await handle.read(buffer, 0, length, null)).bytesRead;
  };
  expect(await engine.index()).toMatchObject({ success: true });
  expect(whole.startsWith((await textOfLarge()) ?? '-')).toBe(true);
  expect(await textOfLarge()).not.toContain('lens');
  read = undefined;
  writeFileSync(join(cwd, LARGE), whole);
  await engine.index();
  expect(await textOfLarge()).toBe(whole);
});

it('a disk that gives less than is asked for loses nothing', async () => {
  read = async (handle, { buffer, length }) =>
    (await handle.read(buffer, 0, Math.min(length, 100_000), null)).bytesRead;
  await engine.index();
  expect(await textOfLarge()).toBe(largeText('The first lens is of glass.'));
});

it('whatever is asked of the disk may fail: its source fails, or an item, and nothing is lost', async () => {
  await engine.index();
  asked = 0;
  await engine.index();
  const questions = asked;
  expect(questions).toBeGreaterThan(5);
  for (let number = 1; number <= questions; number++) {
    [asked, failing] = [0, number];
    const { stats } = await engine.index();
    for (const { reason } of stats.errors) expect(reason).toMatch(/^(SOURCE|DOCUMENT)_/);
    expect((await engine.list()).documents).toHaveLength(2);
  }
});
