import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import type { Worker } from 'tesseract.js';
import { runtime } from '../../core/runtime.js';
import { readRegularFile } from '../../security/regular-file.js';
import type { DrawnPicture } from './draw-page.js';
import type { OcrPart } from './installed-ocr.js';

/** What was recognised, and how sure Tesseract is of it, 0 to 100. */
export interface RecognisedText {
  readonly text: string;
  readonly confidence: number;
}

/** Until it is ready, in milliseconds. */
const MAX_START_MS = 60_000;

/** Tesseract in a thread of its own, which is started by the first picture, kept, and ended by one that it fails on or takes too long for. */
export class TextRecogniser {
  readonly #part: OcrPart;
  #worker: Promise<Worker> | undefined;

  constructor(part: OcrPart) {
    this.#part = part;
  }

  /** @throws Error where it takes longer than `maxMs`, or Tesseract fails or ends; the next picture finds a new thread */
  async recognise(picture: DrawnPicture, maxMs: number): Promise<RecognisedText> {
    this.#worker ??= start(this.#part);
    const worker = await this.#worker.catch((error: unknown) => {
      this.#worker = undefined;
      throw error;
    });
    try {
      const { data } = await within(worker, maxMs, () => worker.recognize(portableGreymap(picture)));
      return { text: data.text, confidence: data.confidence };
    } catch (error) {
      this.#worker = undefined;
      throw error;
    }
  }
}

/** The picture as a file: PGM (Netpbm), which needs no compression. */
const portableGreymap = ({ width, height, grey }: DrawnPicture): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey]);

/** With the data of all languages, of files alone; nothing is downloaded and nothing written. */
async function start({ languages: [first, ...others] }: OcrPart): Promise<Worker> {
  if (first === undefined) throw new Error('No data of a language is installed.');
  const { createWorker, OEM } = (await import('tesseract.js')).default;
  const failed = new AbortController();
  const options = {
    ...{ langPath: first.folder, cacheMethod: 'none', gzip: true },
    // Without it an error that a promise carries too is thrown where nobody catches it.
    errorHandler: (error: unknown) => failed.abort(error),
  };
  const starting = createWorker(first.code, OEM.LSTM_ONLY, options);
  const worker = await new Promise<Worker>((resolve, reject) => {
    const stop = runtime().setTimer(() => reject(new Error('Tesseract does not start.')), MAX_START_MS);
    failed.signal.addEventListener('abort', () => reject(new Error(String(failed.signal.reason))));
    starting.then(resolve, reject);
    starting.finally(stop).catch(() => undefined);
  });
  if (others.length === 0) return worker;
  await within(worker, MAX_START_MS, async () => {
    for (const { code, folder } of others)
      await worker.FS('writeFile', [
        `${code}.traineddata`,
        gunzipSync(await readRegularFile(join(folder, `${code}.traineddata.gz`))),
      ]);
    // In the form of its configuration files.
    const config = `tessedit_load_sublangs ${others.map(({ code }) => code).join('+')}`;
    await worker.reinitialize(first.code, OEM.LSTM_ONLY, config);
  });
  return worker;
}

/** Work of a worker, which is ended where it takes too long or fails. Its promises stay open where its thread ends. */
async function within<T>(worker: Worker, maxMs: number, work: () => Promise<T>): Promise<T> {
  const thread = threadOf(worker);
  let forget: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const fail = (cause?: unknown): void => reject(new Error('Tesseract ended.', { cause }));
    const stop = runtime().setTimer(() => reject(new Error('Tesseract took too long.')), maxMs);
    thread?.once('exit', fail).once('error', fail);
    forget = () => {
      stop();
      thread?.off('exit', fail).off('error', fail);
    };
  });
  try {
    return await Promise.race([work(), ended]);
  } catch (error) {
    await thread?.terminate();
    throw error;
  } finally {
    forget();
  }
}

/** It is not among its types. */
const threadOf = (worker: Worker): Thread | undefined =>
  'worker' in worker && worker.worker instanceof Thread ? worker.worker : undefined;
