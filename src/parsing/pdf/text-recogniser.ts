import { join } from 'node:path';
import type { Worker as Thread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import type { Worker } from 'tesseract.js';
import { runtime } from '../../core/runtime.js';
import { readRegularFile } from '../../platform/security/regular-file.js';
import type { DrawnPicture } from './draw-page.js';
import type { OcrPart } from './installed-ocr.js';

/** What was recognised, and how sure Tesseract is of it, 0 to 100. */
export interface RecognisedText {
  readonly text: string;
  readonly confidence: number;
}

/** Thrown where a picture took longer than it may. */
export class TooLong extends Error {}

/** Until it is ready, in milliseconds. */
const MAX_START_MS = 60_000;

interface RunningTesseract {
  readonly worker: Worker;
  readonly thread: Thread;
}

/**
 * Tesseract in a thread of its own, which is started by the first picture, kept, and ended by one that it fails on or takes too long for.
 * A thread that dies, in the middle or while it waits, fails no more than the picture that it has.
 */
export class TextRecogniser {
  readonly #part: OcrPart;
  #running: Promise<RunningTesseract> | undefined;

  constructor(part: OcrPart) {
    this.#part = part;
  }

  /** @throws `TooLong` where it takes longer than `maxMs`, another Error where Tesseract fails or ends; the next picture finds a new thread */
  async recognise(picture: DrawnPicture, maxMs: number): Promise<RecognisedText> {
    this.#running ??= this.#start();
    const { worker, thread } = await this.#running;
    const { data } = await within(thread, maxMs, () => worker.recognize(portableGreymap(picture)));
    return { text: data.text, confidence: data.confidence };
  }

  #start(): Promise<RunningTesseract> {
    const forget = (): void => {
      if (this.#running === running) this.#running = undefined;
    };
    const running = start(this.#part);
    running.then(({ thread }) => thread.once('exit', forget), forget);
    return running;
  }
}

/** The picture as a file: PGM (Netpbm), which needs no compression. */
const portableGreymap = ({ width, height, grey }: DrawnPicture): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey]);

/** With the data of all languages, of files alone; nothing is downloaded and nothing written. */
async function start({ languages: [first, ...others] }: OcrPart): Promise<RunningTesseract> {
  if (first === undefined) throw new Error('No data of a language is installed.');
  const { createWorker, OEM } = (await import('tesseract.js')).default;
  // Its thread is started before it is ready, and is said by Node.js alone.
  const begun = new Promise<Thread>((resolve) => process.once('worker', resolve));
  const starting = new Promise<Worker>((resolve, reject) => {
    const options = {
      ...{ langPath: first.folder, cacheMethod: 'none', gzip: true },
      // Without it an error that a promise carries too is thrown where nobody catches it.
      errorHandler: (error: unknown) => reject(new Error(String(error))),
    };
    createWorker(first.code, OEM.LSTM_ONLY, options).then(resolve, reject);
  });
  const thread = await Promise.race([begun, starting.then(() => begun)]);
  // While it waits nobody listens, and an error that nobody hears would end the parsing thread.
  thread.on('error', () => undefined);
  // Tesseract and Leptonica say of each line that they cannot read that they cannot, on streams that are the user's.
  for (const stream of [thread.stdout, thread.stderr]) stream.unpipe().resume();
  const worker = await within(thread, MAX_START_MS, () => starting);
  if (others.length === 0) return { worker, thread };
  await within(thread, MAX_START_MS, async () => {
    for (const { code, folder } of others)
      await worker.FS('writeFile', [
        `${code}.traineddata`,
        gunzipSync(await readRegularFile(join(folder, `${code}.traineddata.gz`))),
      ]);
    // In the form of its configuration files.
    const config = `tessedit_load_sublangs ${others.map(({ code }) => code).join('+')}`;
    await worker.reinitialize(first.code, OEM.LSTM_ONLY, config);
  });
  return { worker, thread };
}

/** Work of a thread, which is ended where it takes too long or fails. Its promises stay open where its thread ends. */
async function within<T>(thread: Thread, maxMs: number, work: () => Promise<T>): Promise<T> {
  let forget: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const fail = (cause?: unknown): void => reject(new Error('Tesseract ended.', { cause }));
    const stop = runtime().setTimer(() => reject(new TooLong('Tesseract took too long.')), maxMs);
    thread.once('exit', fail).once('error', fail);
    forget = () => {
      stop();
      thread.off('exit', fail).off('error', fail);
    };
  });
  try {
    return await Promise.race([work(), ended]);
  } catch (error) {
    await thread.terminate();
    throw error;
  } finally {
    forget();
  }
}
