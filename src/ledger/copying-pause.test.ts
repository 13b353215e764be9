import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { beginWriting, whileNobodyWrites } from './copying-pause.js';

const copied = async (): Promise<string> => 'copied';

it('waits for a writer to end', async () => {
  const folder = temporaryFolder();
  const writing = await beginWriting(folder);
  let isCopied = false;
  const copying = whileNobodyWrites(folder, { waitMs: 10_000 }, async () => (isCopied = true));
  await sleep(30);
  expect(isCopied).toBe(false);
  writing.end();
  await copying;
  expect(isCopied).toBe(true);
});

it('is let in by a writer between two batches, which waits meanwhile', async () => {
  const folder = temporaryFolder();
  const events: string[] = [];
  const writing = await beginWriting(folder);
  const copying = whileNobodyWrites(folder, { waitMs: 10_000 }, async () => {
    events.push('copy begins');
    await sleep(100);
    events.push('copy ends');
  });
  await sleep(30);
  events.push('batch');
  await writing.giveWay();
  events.push('next batch');
  writing.end();
  await copying;
  expect(events).toEqual(['batch', 'copy begins', 'copy ends', 'next batch']);
});

it('keeps new writers out until it is done', async () => {
  const folder = temporaryFolder();
  let isWriting = false;
  await whileNobodyWrites(folder, { waitMs: 0 }, async () => {
    void beginWriting(folder).then((writing) => {
      isWriting = true;
      writing.end();
    });
    await sleep(40);
    expect(isWriting).toBe(false);
  });
  await expect.poll(() => isWriting).toBe(true);
});

it('gives up on a writer that makes no room, and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const writing = await beginWriting(folder);
  await expect(whileNobodyWrites(folder, { waitMs: 20 }, copied)).rejects.toMatchObject({
    reason: 'INDEX_LOCKED',
  });
  expect(existsSync(join(folder, 'copying.wanted'))).toBe(false);
  writing.end();
});

it('is asked for once by who was killed, not again and again', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'copying.wanted'), '');
  const writing = await beginWriting(folder);
  await writing.giveWay();
  expect(existsSync(join(folder, 'copying.wanted'))).toBe(false);
  writing.end();
});

it('ends by its signal, on either side', async () => {
  const folder = temporaryFolder();
  const writing = await beginWriting(folder);
  const controller = new AbortController();
  const copying = whileNobodyWrites(folder, { waitMs: 60_000, signal: controller.signal }, copied);
  const stopped = expect(copying).rejects.toMatchObject({ reason: 'ABORTED' });
  controller.abort();
  await stopped;
  writing.end();
  await whileNobodyWrites(folder, { waitMs: 0 }, async () => {
    await expect(beginWriting(folder, AbortSignal.abort())).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});
