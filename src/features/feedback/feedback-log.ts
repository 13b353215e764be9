import { closeSync, constants, fstatSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { isoNow, runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { endOfTornLine } from '../../operations/audit/end-torn-line.js';
import { linesOf } from '../../operations/audit/read-audit.js';
import type { FeedbackEvent, FeedbackPage, ListFeedbackRequest } from '../../operations/feedback-types.js';
import { FIELDS } from '../../operations/fields.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { NO_LINK, openRegularFileSync } from '../../platform/security/regular-file.js';

const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK;
const NAME_LENGTH = 32;
/** A file that is replaced again and again has another writer. */
const MOST_APPENDS = 5;

/** The file of a tenant's feedback. Tenants may be named as no file may. */
export const feedbackFileOf = (dataDir: string, tenant: string): string =>
  join(dataDir, DATA_FOLDERS.feedback, `${contentHash(tenant).slice(0, NAME_LENGTH)}.jsonl`);

/**
 * Feedback of each tenant, in a file of lines of JSON in the data folder, for its owner alone. Removing the file forgets a tenant's. Several processes
 * may append at once: each line is one call of the system, which no other comes between on a local disk.
 */
export class FeedbackLog {
  readonly #dataDir: string;
  readonly #maxBytes: number;

  /** @param maxBytes of a tenant's feedback. What is there is never dropped for what comes. */
  constructor(dataDir: string, { maxBytes }: { readonly maxBytes: number }) {
    this.#dataDir = dataDir;
    this.#maxBytes = maxBytes;
  }

  /**
   * Appends. A line that a killed process left torn is ended first, so that it costs no other.
   *
   * @throws RAGError `FEEDBACK_FULL` where the tenant has left as much as is kept
   */
  add({ tenant, ...owner }: Scope, stated: Omit<FeedbackEvent, 'id' | 'at' | 'scope'>): FeedbackEvent {
    const event: FeedbackEvent = {
      id: runtime().uniqueName(),
      at: isoNow(),
      ...stated,
      scope: owner,
    };
    const path = feedbackFileOf(this.#dataDir, tenant);
    makePrivateFolder(join(this.#dataDir, DATA_FOLDERS.feedback));
    for (let attempt = 1; !this.#append(path, JSON.stringify(event)); attempt++)
      if (attempt === MOST_APPENDS)
        throw new RAGError('INTERNAL', `${path} was replaced each time that feedback was written.`);
    return event;
  }

  /**
   * False where `forget` put another file in the place of the one that was written to. It may have copied the line or not, so the line is written
   * again, and readers take an id once.
   */
  #append(path: string, text: string): boolean {
    const file = openRegularFileSync(path, APPENDING, PRIVATE_FILE);
    try {
      const { size, ino } = fstatSync(file);
      const line = Buffer.from(`${endOfTornLine(file, size)}${text}\n`);
      if (size + line.length > this.#maxBytes) throw full();
      if (writeSync(file, line) < line.length) throw full();
      return statSync(path, { throwIfNoEntry: false })?.ino === ino;
    } finally {
      closeSync(file);
    }
  }

  /** All of a tenant's that the scope may read, in the order in which it came. */
  async *read(scope: Scope): AsyncGenerator<ReadFeedback> {
    const seen = new Set<string>();
    let end = 0;
    for await (const line of this.#lines(scope.tenant)) {
      end++;
      if (line === '') continue;
      const event = line === undefined ? undefined : feedbackLine(line);
      if (event === undefined) yield { end, state: 'unreadable' };
      else if (seen.has(event.id)) continue;
      else if (isWithin(event, scope)) yield { end, state: 'read', event };
      else yield { end, state: 'withheld' };
      if (event !== undefined) seen.add(event.id);
    }
  }

  /** A page from `cursor` on, which an earlier page gave. */
  async list(
    scope: Scope,
    { cursor = '0', limit = FIELDS.listFeedback.limit.preset }: ListFeedbackRequest,
  ): Promise<FeedbackPage> {
    const start = Number(cursor);
    const feedback: FeedbackEvent[] = [];
    const left = { unreadable: 0, withheld: 0 };
    let end = start;
    for await (const read of this.read(scope)) {
      if (read.end <= start) continue;
      // One more than asked for says whether there is a next page.
      if (feedback.length === limit && read.state === 'read')
        return { feedback, ...left, cursor: String(end) };
      ({ end } = read);
      if (read.state === 'read') feedback.push(read.event);
      else left[read.state]++;
    }
    return { feedback, ...left };
  }

  async *#lines(tenant: string): AsyncGenerator<string | undefined> {
    try {
      yield* linesOf(feedbackFileOf(this.#dataDir, tenant));
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      throw new RAGError('INDEX_UNAVAILABLE', 'The feedback cannot be read.', { cause: error });
    }
  }
}

const rank = z.int().min(1);
const ranks = z.array(rank).optional();
const range = z.object({ start: z.number(), end: z.number() });

/** A line of the log. Lines of an older version do not say whose they are, and are none. */
const LINE = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.enum(FIELDS.feedback.kind),
  question: z.string(),
  places: z.array(
    z.object({
      rank,
      documentId: z.string(),
      chunkIds: z.array(z.string()).min(1),
      source: z.string(),
      lines: range,
      score: z.number().optional(),
    }),
  ),
  scope: z.object({ project: z.string().optional(), groups: z.array(z.string()), clearance: z.number() }),
  clicked: ranks,
  relevant: ranks,
  notRelevant: ranks,
  answer: z.enum(FIELDS.feedback.answer).optional(),
  helpful: z.boolean().optional(),
  rank: rank.optional(),
  comment: z.string().optional(),
  caller: z.string().optional(),
  requestId: z.string().optional(),
});

/** Feedback of a line; undefined for a line that is none. */
function feedbackLine(line: string): FeedbackEvent | undefined {
  try {
    return LINE.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** A line: feedback, or why it is none. `end`: how many lines there were with it. */
type ReadFeedback = { readonly end: number } & (
  | { readonly state: 'read'; readonly event: FeedbackEvent }
  | { readonly state: 'unreadable' | 'withheld' }
);

/** Whether its author could read no more than the scope: the question itself may be confidential. */
function isWithin({ scope: owner }: FeedbackEvent, scope: Scope): boolean {
  return (
    (scope.project === undefined || owner.project === scope.project) &&
    owner.clearance <= scope.clearance &&
    owner.groups.every((group) => scope.groups.includes(group))
  );
}

const full = (): RAGError =>
  new RAGError(
    'FEEDBACK_FULL',
    'No more feedback of this tenant is kept (rag.feedback.maxBytes). The operator of the index makes room for it.',
  );
