import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { scannedPicture } from '../../../tests/fixtures/documents/make-scan.js';
import { installedOcr } from './installed-ocr.js';
import { TextRecogniser } from './text-recogniser.js';

const page = scannedPicture(['REPLACE THE COOLANT PUMP']);
const height = 300;
const picture = { ...page, height, grey: page.grey.subarray(0, page.width * height) };
const threads: Worker[] = [];
const keep = (thread: Worker): void => void threads.push(thread);
process.on('worker', keep);
afterEach(async () => {
  vi.restoreAllMocks();
  for (const thread of threads.splice(0)) await thread.terminate();
});

function open(): TextRecogniser {
  const ocr = installedOcr();
  if (ocr === undefined) throw new Error('OCR is not installed.');
  return new TextRecogniser(ocr);
}

async function reads(recogniser: TextRecogniser): Promise<void> {
  expect((await recogniser.recognise(picture, 30_000)).text).toContain('COOLANT PUMP');
}

test('a thread that dies in the middle fails one picture, and the next one finds another', async () => {
  const recogniser = open();
  process.once('worker', (thread) => void thread.terminate());
  await expect(recogniser.recognise(picture, 30_000)).rejects.toThrow('Tesseract ended');
  await reads(recogniser);
  const reading = recogniser.recognise(picture, 30_000);
  await threads.at(-1)?.terminate();
  await expect(reading).rejects.toThrow('Tesseract ended');
  await reads(recogniser);
  expect(threads).toHaveLength(3);
});

test('a thread that dies while it waits fails nothing', async () => {
  const recogniser = open();
  await reads(recogniser);
  // As Node.js says it of a thread without memory.
  threads[0]?.emit('error', new Error('ERR_WORKER_OUT_OF_MEMORY'));
  await threads[0]?.terminate();
  await reads(recogniser);
  expect(threads).toHaveLength(2);
});

test('a picture that Tesseract cannot open fails, nothing of it reaches stderr, and the next one is read', async () => {
  const cut = { ...picture, grey: picture.grey.subarray(0, 100) };
  const written = vi.spyOn(process.stderr, 'write');
  const recogniser = open();
  await expect(recogniser.recognise(cut, 30_000)).rejects.toThrow();
  await reads(recogniser);
  expect(written).not.toHaveBeenCalled();
});
