import { type RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import type {
  ExtractionFailure,
  ExtractionResult,
  ExtractionStop,
  ExtractRequest,
} from '../../operations/extraction-types.js';
import type { FactRecord } from '../../relations/graph/facts.js';
import { type AskingRun, askAlone, inParallel } from './ask-alone.js';
import { askModel } from './ask-model.js';
import { checkFacts, factReplySchema } from './check-facts.js';
import {
  type ChunkWork,
  chunkWork,
  documentWork,
  inputKeyOf,
  isTooShort,
  isToRead,
  type WorkRules,
} from './chunk-work.js';
import { type FactHost, writeFacts } from './fact-host.js';
import { FACT_PROMPT_VERSION, factPrompt } from './fact-prompt.js';
import { Pace } from './pace.js';

/** So many calls that fail one after the other say that the model is out, and not that a chunk is at fault. */
const MOST_OUTAGES = 5;
/** Failures of the model that no further call mends. */
const LASTING: ReadonlySet<string> = new Set(['CHAT_REJECTED', 'SPEND_LIMIT_REACHED']);
const TOLD_FAILURES = 20;

/**
 * Reads the chunks of a scope that were not read yet, each by one call of the language model, and keeps what their texts bear out. Searches
 * and runs go on meanwhile. What was read is durable before the next chunk is begun in its place, so one that was stopped or killed goes on
 * where it is called again.
 *
 * @throws RAGError as `askAlone`
 */
export const extractFacts = (request: ExtractRequest, host: FactHost): Promise<ExtractionResult> =>
  askAlone(request, host, {
    command: 'ragstone graph extract',
    work: (run) => new Extraction(request, run).run(),
  });

/** What is known of a text; no record where the model did not answer. */
interface Found {
  readonly record: FactRecord | undefined;
  /** It was read just now, for this chunk. */
  readonly isAsked: boolean;
}

/**
 * Writes what was read as soon as it may be written: what comes while a write is under way goes together in the next one. So a death loses
 * nothing but the calls that are under way.
 */
class FactSaver {
  readonly #write: (records: readonly FactRecord[]) => Promise<unknown>;
  #waiting: FactRecord[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(write: (records: readonly FactRecord[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** Resolves when it is durable. */
  save(record: FactRecord): Promise<void> {
    this.#waiting.push(record);
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<void> {
    await this.#last.catch(() => undefined);
    const records = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    this.#last = this.#write(records);
    await this.#last;
  }
}

class Extraction {
  readonly #request: ExtractRequest;
  readonly #parts: AskingRun;
  readonly #rules: WorkRules;
  readonly #saver: FactSaver;
  readonly #since = runtime().elapsed();
  /** Chunks with the same text are read once. */
  readonly #underWay = new Map<string, Promise<Found>>();
  readonly #failures: ExtractionFailure[] = [];
  readonly #counts = { read: 0, reused: 0, failed: 0, skipped: 0, entities: 0, relations: 0, refused: 0 };
  /** Calls that failed one after the other, and in all. */
  #outages = 0;
  #unanswered = 0;
  #stop: ExtractionStop | undefined;
  #outage: RAGError | undefined;

  constructor(request: ExtractRequest, parts: AskingRun) {
    this.#request = request;
    this.#parts = parts;
    const { host, model } = parts;
    this.#rules = { model: model.id, retryFailed: request.retryFailed, renew: request.renew };
    this.#saver = new FactSaver((records) =>
      writeFacts(host, (facts) => facts.saveFacts(host.scope.tenant, records)),
    );
  }

  async run(): Promise<ExtractionResult> {
    const { host, read, model, budget } = this.#parts;
    const { scope, signal } = host;
    const total = await this.#countWork();
    const pace = new Pace('extracting', total, this.#request.onProgress);
    const work = chunkWork(read, { scope, rules: this.#rules, signal });
    const { concurrency = host.config.rag.graph.extraction.concurrency } = this.#request;
    const worker = async (): Promise<void> => {
      while (this.#stop === undefined) {
        const next = await work.next();
        if (next.done === true) return;
        if (await this.#readChunk(next.value)) pace.add();
      }
    };
    try {
      await inParallel(concurrency, worker, signal);
    } finally {
      await work.return(undefined);
    }
    const { read: done, reused, failed, skipped } = this.#counts;
    return {
      model: model.id,
      ...this.#counts,
      left: Math.max(0, total - done - reused - failed - skipped),
      spent: budget.spent,
      ...(this.#stop === undefined ? {} : { stopped: this.#stop }),
      failures: this.#failures.slice(0, TOLD_FAILURES),
      tookMs: Math.round(runtime().elapsed() - this.#since),
      notices: this.#notices(),
    };
  }

  #notices(): string[] {
    if (this.#outage === undefined) return [];
    const { message } = this.#outage;
    return [
      this.#stop === 'model'
        ? `The language model was given up: ${message}`
        : `The language model did not answer ${this.#unanswered} times; the same call asks again: ${message}`,
    ];
  }

  async #countWork(): Promise<number> {
    const { read, host } = this.#parts;
    let count = 0;
    for await (const { chunkIds, known } of documentWork(read, host.scope, host.signal))
      count += chunkIds.filter((id) => isToRead(known.get(id), this.#rules)).length;
    return count;
  }

  /** Whether the chunk is dealt with. */
  async #readChunk(chunk: ChunkWork): Promise<boolean> {
    if (isTooShort(chunk)) {
      this.#counts.skipped++;
      return true;
    }
    const { host, model } = this.#parts;
    const inputKey = inputKeyOf(host.scope.tenant, model.id, chunk);
    const sameText = this.#underWay.get(inputKey);
    if (sameText !== undefined) return this.#keep({ ...(await sameText), isAsked: false }, chunk);
    const finding = this.#find(chunk, inputKey);
    this.#underWay.set(inputKey, finding);
    try {
      return await this.#keep(await finding, chunk);
    } finally {
      this.#underWay.delete(inputKey);
    }
  }

  async #find(chunk: ChunkWork, inputKey: string): Promise<Found> {
    const record = await this.#parts.read.facts.sameInput(inputKey);
    if (record !== undefined) return { record, isAsked: false };
    return { record: await this.#ask(chunk, inputKey), isAsked: true };
  }

  async #keep({ record: found, isAsked }: Found, chunk: ChunkWork): Promise<boolean> {
    if (found === undefined) return false;
    const { chunkId, documentId, externalId } = chunk;
    const record = isAsked ? found : { ...found, chunkId, documentId, ...AS_READ_BEFORE };
    await this.#saver.save(record);
    const { outcome, attempts, problem, entities, relations, refused } = record;
    if (outcome === 'failed') {
      this.#counts.failed++;
      this.#failures.push({ documentId, externalId, chunkId, attempts, problem: problem ?? '' });
    } else if (isAsked) this.#counts.read++;
    else this.#counts.reused++;
    this.#counts.entities += entities.length;
    this.#counts.relations += relations.length;
    this.#counts.refused += refused;
    return true;
  }

  /** Undefined where the model was not asked: a limit forbids it, or it is out. */
  async #ask(chunk: ChunkWork, inputKey: string): Promise<FactRecord | undefined> {
    const { host, model, budget } = this.#parts;
    const { maxOutputTokens } = host.config.rag.graph.extraction;
    try {
      const asked = await askModel(
        { messages: factPrompt(chunk), schema: factReplySchema },
        { model, budget, maxOutputTokens, signal: host.signal },
      );
      if ('stop' in asked) {
        this.#stop ??= asked.stop;
        return undefined;
      }
      this.#outages = 0;
      const { reply, inputTokens, outputTokens, ms } = asked;
      const checked = 'value' in reply ? checkFacts(reply.value, chunk.content) : NOTHING;
      return {
        chunkId: chunk.chunkId,
        documentId: chunk.documentId,
        inputKey,
        model: model.id,
        promptVersion: FACT_PROMPT_VERSION,
        ...('value' in reply
          ? { outcome: 'read', attempts: 0 }
          : { outcome: 'failed', attempts: chunk.attempts + 1, problem: reply.problem }),
        ...checked,
        inputTokens,
        outputTokens,
        ms,
        at: isoNow(),
      };
    } catch (error) {
      throwIfAborted(host.signal);
      this.#noteOutage(toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.'));
      return undefined;
    }
  }

  /** The chunk is not at fault: nothing is kept of it, and the next run asks again. */
  #noteOutage(error: RAGError): void {
    this.#outages++;
    this.#unanswered++;
    this.#outage = error;
    if (LASTING.has(error.reason) || this.#outages >= MOST_OUTAGES) this.#stop ??= 'model';
  }
}

const NOTHING = { entities: [], relations: [], refused: 0 } as const;
/** It was paid for where it was read. */
const AS_READ_BEFORE = { inputTokens: 0, outputTokens: 0, ms: 0 } as const;
