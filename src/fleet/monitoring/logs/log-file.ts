import { basename, dirname } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import { listenToLogEvents } from '../../../core/log-events.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../../platform/security/private-files.js';

export interface LogFileOptions {
  /** Least severity that is written. */
  readonly level: string;
  /** Absolute; its folder is made where it is missing. */
  readonly path: string;
  /** Files kept beside the one that is written: `rag.log.1` is the youngest of them. */
  readonly maxFiles: number;
  /** Size at which the file is put aside: `500k`, `10m`; a number alone is bytes. */
  readonly maxSize: string;
  /** Told of what cannot be written, once until it can be again. */
  readonly onProblem: (problem: string) => void;
}

/** A log in files that follow each other. */
export interface LogFile {
  /** Writes a line of JSON of another log, with its end. */
  readonly write: (line: string) => void;
  /** Writes what is left, and ends. */
  stop(): Promise<void>;
}

/** Severities of events, as the specification has them. */
const LEVELS = { indexing_complete: 'info', search_performed: 'debug' } as const;

/** Opens it, and writes every event of the index to it (`LogEvent`). */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const { level, path, maxFiles, maxSize, onProblem } = options;
  const { pino, createStream } = await import('./packages.js');
  makePrivateFolder(dirname(path));
  const stream = createStream(basename(path), {
    path: dirname(path),
    size: sizeOf(maxSize),
    rotate: maxFiles,
    mode: PRIVATE_FILE,
  });
  let hasProblem = false;
  const fail = (error: Error): void => {
    if (!hasProblem) onProblem(logProblem(path, error));
    hasProblem = true;
  };
  stream.on('error', fail).on('warning', fail);
  const write = (line: string): void => {
    if (!stream.writableEnded && !stream.destroyed) stream.write(line);
  };
  const logger = pino({ level }, { write });
  const stopListening = listenToLogEvents((event) => logger[LEVELS[event.event]](event));
  const isClosed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  return {
    write,
    stop: async () => {
      stopListening();
      stream.end();
      await isClosed;
    },
  };
}

/** In words for operators. */
export const logProblem = (path: string, error: unknown): string =>
  `The log cannot be written to ${path} (${messageOf(error)}). Check rag.monitoring.logging.path.`;

/** As the package writes sizes. */
const sizeOf = (size: string): `${number}B` | `${number}K` | `${number}M` | `${number}G` => {
  const [, count = '0', unit = ''] = /^(\d+)([kmg]?)$/i.exec(size) ?? [];
  // The pattern allows no other units.
  return `${Number(count)}${(unit === '' ? 'b' : unit).toUpperCase() as 'B' | 'K' | 'M' | 'G'}`;
};
