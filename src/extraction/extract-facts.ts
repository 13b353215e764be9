import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { FactRecord } from '../graph/facts.js';
import { type AskedModel, askModel } from './ask-model.js';
import { CallBudget } from './call-budget.js';
import { checkFacts, factReplySchema } from './check-facts.js';
import {
  type ChunkWork,
  chunkWork,
  documentWork,
  inputKeyOf,
  isToRead,
  isTooShort,
  type WorkRules,
} from './chunk-work.js';
import type { ExtractionFailure, ExtractionResult, ExtractionStop, ExtractRequest } from './extraction-types.js';
import { type FactHost, openFactModel, openFacts, type ReadFacts, writeFacts } from './fact-host.js';
import { FACT_PROMPT_VERSION, factPrompt } from './fact-prompt.js';
import { FactSaver } from './fact-saver.js';
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
 * @throws RAGError `CONFIG_INVALID` where no model is configured, or a limit of money cannot be kept; `INDEX_EMPTY`; `INDEX_LOCKED` where
 *   another process is at it; `ABORTED`
 */
export async function extractFacts(request: ExtractRequest, host: FactHost): Promise<ExtractionResult> {
  const { resources, signal } = host;
  const read = await openFacts(host);
  const { model, close } = await openFactModel(host);
  try {
    const budget = new CallBudget(request, model);
    const lock = await resources.lock({ subject: 'extracting', command: 'ragstone graph extract', signal });
    try {
      return await new Extraction(request, { host, read, model, budget }).run();
    } finally {
      await lock.release();
    }
  } finally {
    await close();
  }
}

interface ExtractionParts {
  readonly host: FactHost;
  readonly read: ReadFacts;
  readonly model: AskedModel['model'];
  readonly budget: CallBudget;
}

class Extraction {
  readonly #request: ExtractRequest;
  readonly #parts: ExtractionParts;
  readonly #rules: WorkRules;
  readonly #saver: FactSaver;
  readonly #since = runtime().elapsed();
  /** Chunks with the same text are read once. */
  readonly #underWay = new Map<string, Promise<FactRecord | undefined>>();
  readonly #failures: ExtractionFailure[] = [];
  readonly #counts = { read: 0, reused: 0, failed: 0, skipped: 0, entities: 0, relations: 0, refused: 0 };
  #outages = 0;
  #stop: ExtractionStop | undefined;
  #outage: RAGError | undefined;

  constructor(request: ExtractRequest, parts: ExtractionParts) {
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
    const ends = await Promise.allSettled(Array.from({ length: concurrency }, worker));
    await work.return(undefined);
    throwIfAborted(signal);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const { read: done, reused, failed, skipped } = this.#counts;
    return {
      model: model.id,
      ...this.#counts,
      left: Math.max(0, total - done - reused - failed - skipped),
      spent: budget.spent,
      ...(this.#stop === undefined ? {} : { stopped: this.#stop }),
      failures: this.#failures.slice(0, TOLD_FAILURES),
      tookMs: Math.round(runtime().elapsed() - this.#since),
      notices: this.#outage === undefined ? [] : [`The language model was given up: ${this.#outage.message}`],
    };
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
    const { host, model, read } = this.#parts;
    const inputKey = inputKeyOf(host.scope.tenant, model.id, chunk);
    const same = (await this.#underWay.get(inputKey)) ?? (await read.facts.sameInput(inputKey));
    if (same !== undefined) {
      await this.#keep({ ...same, chunkId: chunk.chunkId, documentId: chunk.documentId, ...AS_READ_BEFORE }, chunk);
      if (same.outcome === 'read') this.#counts.reused++;
      return true;
    }
    const asking = this.#ask(chunk, inputKey);
    this.#underWay.set(inputKey, asking);
    try {
      const record = await asking;
      if (record === undefined) return false;
      await this.#keep(record, chunk);
      if (record.outcome === 'read') this.#counts.read++;
      return true;
    } finally {
      this.#underWay.delete(inputKey);
    }
  }

  async #keep(record: FactRecord, { externalId }: ChunkWork): Promise<void> {
    await this.#saver.save(record);
    const { chunkId, documentId, attempts, problem, entities, relations, refused } = record;
    if (record.outcome === 'failed') {
      this.#counts.failed++;
      this.#failures.push({ documentId, externalId, chunkId, attempts, problem: problem ?? '' });
    }
    this.#counts.entities += entities.length;
    this.#counts.relations += relations.length;
    this.#counts.refused += refused;
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
        at: new Date(runtime().now()).toISOString(),
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
    if (!LASTING.has(error.reason) && this.#outages < MOST_OUTAGES) return;
    this.#stop ??= 'model';
    this.#outage ??= error;
  }
}

const NOTHING = { entities: [], relations: [], refused: 0 } as const;
/** It was paid for where it was read. */
const AS_READ_BEFORE = { inputTokens: 0, outputTokens: 0, ms: 0 } as const;
