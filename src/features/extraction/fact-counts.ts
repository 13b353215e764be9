import type {
  EstimateRequest,
  ExtractionEstimate,
  ExtractionFailure,
  FactStatus,
} from '../../operations/extraction-types.js';
import { estimateTokens } from '../../platform/providers/estimate-tokens.js';
import { ownChatModelId } from '../../resources/assembly/own-parts.js';
import { promptTokens } from './ask-model.js';
import { chunkWork, documentWork, isByOther, isTooShort, isToRead, type WorkRules } from './chunk-work.js';
import { estimateCalls, type MeasuredCalls } from './estimate-calls.js';
import { type FactHost, type OpenedModel, openFactModel, openFacts, type ReadFacts } from './fact-host.js';
import { factPrompt } from './fact-prompt.js';
import { summaryCalls } from './summarize-facts.js';
import { summariesIn } from './summary-pages.js';

/** Tokens that a model writes of a chunk of usual length, where none was asked yet. */
const ASSUMED_OUTPUT = 400;
const PROMPT_TOKENS = promptTokens(factPrompt({ place: '', content: '' }));
const TOLD_FAILURES = 20;

/** What reading the chunks that were not read yet would take. The model is not asked. */
export async function estimateExtraction(
  { retryFailed, renew, concurrency }: EstimateRequest,
  host: FactHost,
): Promise<ExtractionEstimate> {
  const read = await openFacts(host);
  const { model: opened, notices } = await modelForEstimate(host);
  const model = opened?.model;
  try {
    const rules: WorkRules = { model: model?.id, retryFailed, renew };
    const counted = await countFacts(read, host, rules);
    let [calls, inputTokens, skipped] = [0, 0, 0];
    for await (const chunk of chunkWork(read, { scope: host.scope, rules, signal: host.signal })) {
      if (isTooShort(chunk)) {
        skipped++;
        continue;
      }
      calls++;
      inputTokens += PROMPT_TOKENS + estimateTokens(chunk.place) + estimateTokens(chunk.content);
    }
    const { concurrency: preset } = host.config.rag.graph.extraction;
    return {
      ...(model === undefined ? {} : { model: model.id }),
      documents: counted.documents,
      chunks: counted.chunks,
      read: counted.read,
      readByOthers: counted.readByOthers,
      skipped,
      givenUp: counted.givenUp,
      extraction: estimateCalls(
        { calls, inputTokens },
        {
          model,
          measured: counted.measured,
          assumedOutput: ASSUMED_OUTPUT,
          concurrency: concurrency ?? preset,
        },
      ),
      summaries: await summaryCalls(read, host, model),
      notices,
    };
  } finally {
    await opened?.close();
  }
}

/** Tokens can be counted without a model; money cannot. */
async function modelForEstimate(
  host: FactHost,
): Promise<{ readonly model?: OpenedModel; readonly notices: readonly string[] }> {
  try {
    return { model: await openFactModel(host), notices: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'It cannot be opened.';
    return { notices: [`What it costs is not known without the language model: ${why}`] };
  }
}

interface FactCounts extends Omit<FactStatus, 'summaries'> {
  readonly givenUp: number;
  /** Calls of the model. */
  readonly measured: MeasuredCalls;
}

async function countFacts(
  read: ReadFacts,
  { scope, signal }: FactHost,
  rules: WorkRules,
): Promise<FactCounts> {
  const counts = { documents: 0, chunks: 0, read: 0, readByOthers: 0, unread: 0, failed: 0, givenUp: 0 };
  const facts = { relations: 0, refused: 0, inputTokens: 0, outputTokens: 0 };
  const measured = { calls: 0, outputTokens: 0, ms: 0 };
  const keys = new Set<string>();
  const models: Record<string, number> = {};
  const failures: ExtractionFailure[] = [];
  for await (const { document, chunkIds, known } of documentWork(read, scope, signal)) {
    counts.documents++;
    counts.chunks += chunkIds.length;
    for (const id of chunkIds) {
      const record = known.get(id);
      if (record === undefined) {
        counts.unread++;
        continue;
      }
      facts.inputTokens += record.inputTokens;
      facts.outputTokens += record.outputTokens;
      if (record.outcome === 'failed') {
        counts.failed++;
        if (!isToRead(record, rules)) counts.givenUp++;
        const { documentId, chunkId, attempts, problem = '' } = record;
        failures.push({ documentId, externalId: document.externalId, chunkId, attempts, problem });
        continue;
      }
      counts.read++;
      models[record.model] = (models[record.model] ?? 0) + 1;
      if (isByOther(record, rules)) counts.readByOthers++;
      else if (record.ms > 0) {
        measured.calls++;
        measured.outputTokens += record.outputTokens;
        measured.ms += record.ms;
      }
      for (const { key } of record.entities) keys.add(key);
      facts.relations += record.relations.length;
      facts.refused += record.refused;
    }
  }
  return {
    ...counts,
    ...facts,
    entities: keys.size,
    models,
    measured,
    failures: failures.slice(0, TOLD_FAILURES),
  };
}

/** What was read of the scope's documents, whatever their access. */
export async function factStatus(host: FactHost): Promise<FactStatus> {
  const read = await openFacts(host);
  const { rag } = host.config;
  const rules = { model: rag.graph.extraction.model ?? ownChatModelId(host.config) ?? rag.chat.model };
  const { givenUp: _, measured: __, ...counts } = await countFacts(read, host, rules);
  return { ...counts, summaries: (await summariesIn(read.facts, host.scope)).length };
}
