import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endOfTornLine } from '../../audit/end-torn-line.js';
import { RAGError, SYSTEM_RUNTIME } from '../../index.js';
import { openRegularFile } from '../../security/regular-file.js';
import type { Shown } from './shown-results.js';

/** What somebody says of what was shown. */
export interface Feedback extends Shown {
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Name of the key or token. */
  readonly caller: string;
  readonly requestId: string;
  readonly helpful: boolean;
  /** Rank of the place that it is about; absent where it is about all of them. */
  readonly rank?: number | undefined;
  readonly comment?: string | undefined;
}

/** Feedback in the order in which it came. */
export interface FeedbackPage {
  readonly feedback: readonly Feedback[];
  /** Lines that are no feedback: torn by a death, or changed by hand. */
  readonly unreadable: number;
  /** For the next page; absent at the end. */
  readonly cursor?: string | undefined;
}

const FOLDER = 'feedback';
/** For the owner of the data folder alone. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
/** Bytes of a tenant's feedback. What is there is never dropped for what comes. */
const MOST_BYTES = 64 * 1024 * 1024;
const NAME_LENGTH = 32;

/**
 * Feedback of each tenant, in a file of lines of JSON in the data folder, for its owner alone: `feedback/HASH.jsonl`. Removing the file forgets
 * a tenant's. Several processes may append at once, on a local disk.
 */
export class FeedbackLog {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, FOLDER);
  }

  /** Appends. Throws `FEEDBACK_FULL` where the tenant has left as much as is kept. */
  async add(tenant: string, stated: Omit<Feedback, 'id' | 'at'>): Promise<Feedback> {
    const feedback = {
      id: SYSTEM_RUNTIME.uniqueName(),
      at: new Date(SYSTEM_RUNTIME.now()).toISOString(),
      ...stated,
    };
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const { handle, stats } = await openRegularFile(this.#pathOf(tenant), {
      ...{ flags: APPENDING, mode: PRIVATE_FILE, followLink: false },
    });
    try {
      const line = Buffer.from(`${endOfTornLine(handle.fd, stats.size)}${JSON.stringify(feedback)}\n`);
      if (stats.size + line.length > MOST_BYTES) throw full();
      const { bytesWritten } = await handle.write(line);
      if (bytesWritten < line.length) throw full();
    } finally {
      await handle.close();
    }
    return feedback;
  }

  /** A page from `cursor` on, which an earlier page gave. */
  async list(
    tenant: string,
    { cursor = '0', limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<FeedbackPage> {
    let offset = Number(cursor);
    const opened = await openRegularFile(this.#pathOf(tenant), { followLink: false }).catch(absent);
    if (opened === undefined) return { feedback: [], unreadable: 0 };
    const { handle, stats } = opened;
    const feedback: Feedback[] = [];
    let unreadable = 0;
    try {
      if (offset >= stats.size) return { feedback, unreadable };
      const lines = createInterface({ input: handle.createReadStream({ start: offset, autoClose: false }) });
      for await (const line of lines) {
        offset += Buffer.byteLength(line) + 1;
        const one = parsed(line);
        if (one === undefined) unreadable += line === '' ? 0 : 1;
        else feedback.push(one);
        if (feedback.length >= limit) break;
      }
    } finally {
      await handle.close();
    }
    return { feedback, unreadable, ...(offset < stats.size ? { cursor: String(offset) } : {}) };
  }

  // Tenants may be named as no file may.
  #pathOf(tenant: string): string {
    const name = createHash('sha256').update(tenant).digest('hex').slice(0, NAME_LENGTH);
    return join(this.#folder, `${name}.jsonl`);
  }
}

function parsed(line: string): Feedback | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'requestId' in value
      ? (value as Feedback)
      : undefined;
  } catch {
    return undefined;
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

const full = (): RAGError =>
  new RAGError('FEEDBACK_FULL', 'No more feedback is kept. Whoever runs the service makes room for it.');
