import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireWriterLock, readLockHolder } from './writer-lock.js';

let folder: string;
const children: ChildProcessByStdio<Writable, Readable, null>[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-lock-'));
});

afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'close');
  rmSync(folder, { recursive: true, force: true });
});

const holder = { command: 'ragstone index docs' };
const acquire = (options: { waitMs?: number; signal?: AbortSignal } = {}) =>
  acquireWriterLock({ folder, holder, ...options });

/** A child process that runs a program with `acquire` and `folder` in scope. */
function start(body: string) {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    import { acquireWriterLock } from ${JSON.stringify(new URL('./writer-lock.ts', import.meta.url).href)};
    const folder = ${JSON.stringify(folder)};
    const acquire = (waitMs) => acquireWriterLock({ folder, holder: { command: 'child' }, waitMs });
    ${body}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** A child that holds the lock until it is killed, or until its standard input ends. */
async function startHolder() {
  const child = start(`
    const lock = await acquire(0);
    console.log('held');
    process.stdin.resume().once('end', () => lock.release());`);
  await once(child.stdout, 'data');
  return child;
}

describe('the writer lock', () => {
  it('is refused while another process holds it, naming the holder and what to do', async () => {
    const child = await startHolder();
    await expect(acquire()).rejects.toMatchObject({
      reason: 'INDEX_LOCKED',
      retryable: true,
      details: { pid: child.pid, command: 'child' },
      message: expect.stringMatching(
        new RegExp(`process ${child.pid} on .* \\(child, since \\d{4}-.*Wait until it has finished`),
      ) as unknown,
    });
  });

  it('is taken over at once after kill -9, whatever name the dead holder left', async () => {
    const child = await startHolder();
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(readLockHolder(folder)?.pid).toBe(child.pid);
    const lock = await acquire();
    expect(readLockHolder(folder)).toMatchObject({ pid: process.pid, command: holder.command });
    await lock.release();
    expect(readLockHolder(folder)).toBeUndefined();
  });

  it('is free again after release, and releasing twice does nothing to the next holder', async () => {
    const first = await acquire();
    await expect(acquire()).rejects.toMatchObject({ reason: 'INDEX_LOCKED', details: { pid: process.pid } });
    await first.release();
    const second = await acquire();
    await first.release();
    expect(readLockHolder(folder)?.pid).toBe(process.pid);
    await expect(acquire()).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    await second.release();
  });

  it('is waited for', async () => {
    const child = await startHolder();
    const waiting = acquire({ waitMs: 30_000 });
    child.stdin.end();
    await (await waiting).release();
  });

  it('is waited for by who would not wait, where its holder gives others a turn soon', async () => {
    const brief = await acquireWriterLock({ folder, holder: { command: 'turns', isBrief: true } });
    let isMine = false;
    const next = acquire().then((lock) => {
      isMine = true;
      return lock;
    });
    await expect.poll(() => readLockHolder(folder)?.isBrief).toBe(true);
    expect(isMine).toBe(false);
    await brief.release();
    const lock = await next;
    await expect(acquire()).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    await lock.release();
  });

  it('stops waiting when cancelled', async () => {
    const lock = await acquire();
    const controller = new AbortController();
    const waiting = acquire({ waitMs: 60_000, signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'ABORTED' });
    await lock.release();
  });

  it('does not name a dead holder when the living one has given no name', async () => {
    const lock = await acquire();
    const dead = { pid: 2 ** 22 + 1, host: readLockHolder(folder)?.host, command: 'old', since: '2020' };
    writeFileSync(join(folder, 'writer.json'), JSON.stringify(dead));
    await expect(acquire()).rejects.toMatchObject({
      message: expect.stringContaining('not yet given its name') as unknown,
    });
    writeFileSync(join(folder, 'writer.json'), '{"pid":');
    await expect(acquire()).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    await lock.release();
  });

  it('is never held by two of many contenders, some of them killed', async () => {
    const log = join(folder, 'log');
    writeFileSync(log, '');
    // Each marks the start and the end of its turn; one in three dies while it holds the lock.
    const turn = (name: number) => `
      for (let round = 0; round < 5; round++) {
        const lock = await acquire(60_000);
        appendFileSync(${JSON.stringify(log)}, '+${name}\\n');
        await delay(Math.random() * 10);
        if (${name} % 3 === 0 && round === 3) process.kill(process.pid, 'SIGKILL');
        appendFileSync(${JSON.stringify(log)}, '-${name}\\n');
        await lock.release();
      }`;
    const contenders = Array.from({ length: 6 }, (_, name) => start(turn(name)));
    await Promise.all(contenders.map((child) => once(child, 'close')));
    appendFileSync(log, '+end');
    const marks = readFileSync(log, 'utf8').split('\n');
    expect(marks).toHaveLength(4 * 10 + 2 * 7 + 1);
    let deaths = 0;
    for (const [i, mark] of marks.entries()) {
      const next = marks[i + 1];
      if (!mark.startsWith('+') || next === undefined || next === `-${mark.slice(1)}`) continue;
      // No end mark: the holder must have been killed, and is never seen again.
      deaths++;
      expect(marks.slice(i + 1)).not.toContain(`-${mark.slice(1)}`);
    }
    expect(deaths).toBe(2);
  });
});
