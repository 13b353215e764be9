import * as z from 'zod';
import { isSdkLanguageModel } from '../../answering/sdk-language-model.js';
import type { Chunker } from '../../chunking/chunker.js';
import type { OwnParts } from '../../config/own-parts.js';
import type { MetadataValue } from '../../core/metadata.js';
import { isSignal } from '../../core/plain-copy.js';
import type { AccessControl } from '../../core/scope.js';
import type { Parser } from '../../parsing/parser.js';
import { type ConflictsRequest, FINDING_KINDS } from '../../relations/conflicts/conflict-types.js';
import { REFERENCE_KINDS } from '../../relations/graph/graph.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import type { Source } from '../../sources/source.js';
import type {
  AskRequest,
  ContextQuery,
  DocumentRequest,
  EmbedRequest,
  FailuresRequest,
  IndexRequest,
  ListRequest,
  RelatedRequest,
  RetryRequest,
  SearchQuery,
  VerifyRequest,
} from '../engine.js';
import type { CreateEngineOptions } from '../engine-options.js';
import type {
  EstimateRequest,
  ExtractRequest,
  SummariesRequest,
  SummarizeRequest,
} from '../extraction-types.js';
import type { ForgetRequest } from '../forget-types.js';
import type { ReembedRequest } from '../upgrade-types.js';
import type { ShapeOf } from './check-shape.js';

const JSON_DEPTH = 50;

/** Where a value is no JSON, and why: a filter without keys would let everything through, and no store keeps NaN or a date. */
function problemOf(value: unknown, path: readonly PropertyKey[] = []): JsonProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path, why: 'a finite number' };
  if (typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array || isSignal(value))
    return { path, why: 'made of JSON values: texts, numbers, true, false, null, lists and objects of them' };
  if (path.length > JSON_DEPTH) return { path, why: `at most ${JSON_DEPTH} levels deep` };
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOf(inner, [...path, key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface JsonProblem {
  readonly path: readonly PropertyKey[];
  readonly why: string;
}

function onlyJson(value: unknown, context: z.core.$RefinementCtx): void {
  const problem = problemOf(value);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.why });
}

/** An object of JSON values; each problem is told with its key. */
const jsonObject = z
  .custom<Readonly<Record<string, MetadataValue>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'an object',
  )
  .superRefine(onlyJson);

/** An object that may be left out. To state `undefined` in it is to leave a key out, which its type need not say. */
const optional = <T extends object>(shape: ShapeOf<T>): z.ZodType<T | undefined> =>
  z.strictObject(shape).optional() as unknown as z.ZodType<T | undefined>;

const texts = z.array(z.string()).optional();
const text = z.string().optional();
const flag = z.boolean().optional();
/** Ranges are checked where they are known, with the store. */
const number = z.custom<number>((value) => typeof value === 'number', 'a number').optional();
const countFromOne = z.int('a whole number from 1 up').min(1, 'a whole number from 1 up').optional();
const countFromZero = z.int('a whole number from 0 up').min(0, 'a whole number from 0 up').optional();
const upTo = (most: number, words = String(most)) => {
  const said = `a whole number from 1 to ${words}`;
  return z.int(said).min(1, said).max(most, said).optional();
};
const milliseconds = z
  .custom<number>((value) => typeof value === 'number' && value >= 0, 'a number from 0 up')
  .optional();
const cost = z.number('a number from 0 up').min(0, 'a number from 0 up').optional();
const names = z.union([z.boolean(), z.array(z.string())], 'true, false, or a list of names').optional();
const hops = z.int('1, 2 or 3').min(1, '1, 2 or 3').max(3, '1, 2 or 3').optional();
const signal = z.custom<AbortSignal>(isSignal, 'an AbortSignal').optional();
const callback = <F>() => z.custom<F>((value) => typeof value === 'function', 'a function').optional();
/** Checked by `assertFilterShape`. */
const filter = z.custom<SearchQuery['filter']>(() => true).optional();

export const filtersSchema = optional<NonNullable<SearchQuery['filters']>>({
  sourceType: texts,
  dateRange: optional<NonNullable<NonNullable<SearchQuery['filters']>['dateRange']>>({
    start: z.date().optional(),
    end: z.date().optional(),
  }),
  metadata: jsonObject.optional(),
  source: texts,
  tags: texts,
});

const asOf = z
  .custom<NonNullable<SearchQuery['asOf']>>(
    (value) => typeof value === 'string' || value instanceof Date,
    'a text or a Date',
  )
  .optional();

const collapse = z.enum(['document', 'items', 'none'], 'document, items or none').optional();

export const searchSchema = z.strictObject({
  text: z.string(),
  topK: number,
  filters: filtersSchema,
  filter,
  asOf,
  options: optional<NonNullable<SearchQuery['options']>>({
    topK: number,
    includeMetadata: flag,
    explainScore: flag,
    mode: z
      .custom<NonNullable<SearchQuery['options']>['mode']>((value) => typeof value === 'string', 'a text')
      .optional(),
    hops,
    minSimilarity: number,
    minScore: number,
    nearDuplicates: z.enum(['remove', 'keep'], 'remove or keep').optional(),
    mmrLambda: number,
    recencyHalfLifeDays: number,
    rerank: flag,
    collapse,
    exactWords: flag,
    connectedFirst: flag,
    deadlineMs: number,
    maxCost: number,
  }),
  signal,
} satisfies ShapeOf<SearchQuery>);

/** Role and text of each turn are checked with the answer. */
const history = z
  .array(
    z.custom<NonNullable<AskRequest['history']>[number]>(
      (turn) => typeof turn === 'object' && turn !== null,
      'a turn: { role, content }',
    ),
  )
  .optional();

export const askSchema = z.strictObject({
  question: text,
  message: text,
  history,
  conversation_history: history,
  mode: z.enum(['naive', 'enhanced', 'agentic', 'graph'], 'naive, enhanced, agentic or graph').optional(),
  limits: optional<NonNullable<AskRequest['limits']>>({
    maxSteps: countFromOne,
    maxTokens: countFromZero,
    maxCost: cost,
    deadlineMs: countFromOne,
  }),
  answerer: z.enum(['auto', 'chat', 'extractive'], 'auto, chat or extractive').optional(),
  topK: number,
  options: optional<NonNullable<AskRequest['options']>>({ topK: number, collapse }),
  abstainBelow: number,
  exactWords: flag,
  filters: filtersSchema,
  filter,
  asOf,
  signal,
} satisfies ShapeOf<AskRequest>);

export const contextSchema = z.strictObject({
  text: z.string(),
  topK: number,
  budget: z.int('a whole number from 64 up').min(64, 'a whole number from 64 up').optional(),
  model: text,
  filters: filtersSchema,
  filter,
  asOf,
  signal,
} satisfies ShapeOf<ContextQuery>);

export const embedSchema = z.strictObject({
  texts: z.array(z.string()),
  kind: z.enum(['query', 'document'], 'query or document').optional(),
  signal,
} satisfies ShapeOf<EmbedRequest>);

export const documentSchema = z.strictObject({
  id: z.string().refine((id) => id.isWellFormed(), 'a text without half a surrogate pair'),
  text,
  bytes: z.instanceof(Uint8Array, { message: 'a Uint8Array' }).optional(),
  title: text,
  url: text,
  metadata: jsonObject.optional(),
  surroundings: texts,
  mediaType: text,
  fileName: text,
  access: optional<Partial<AccessControl>>({
    groups: texts,
    level: countFromZero,
  }),
} satisfies ShapeOf<PushedDocument>);

export const indexSchema = z.strictObject({
  sources: texts,
  paths: texts,
  documents: z.custom<IndexRequest['documents']>(Array.isArray, 'a list of documents').optional(),
  deleted: texts,
  options: optional<NonNullable<IndexRequest['options']>>({
    batchSize: countFromOne,
    transactionChunks: countFromOne,
    parallel: countFromOne,
    force: flag,
    dryRun: flag,
    prune: names,
    allowShrink: names,
    heedBackoff: flag,
    handOver: flag,
    unlessListedSince: text,
    waitMs: milliseconds,
  }),
  onProgress: callback<NonNullable<IndexRequest['onProgress']>>(),
  confirmPrune: callback<NonNullable<IndexRequest['confirmPrune']>>(),
  signal,
} satisfies ShapeOf<IndexRequest>);

export const readingSchema = z.strictObject({
  id: z.string(),
  passages: optional<NonNullable<DocumentRequest['passages']>>({
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'that of the page before')
      .optional(),
    limit: upTo(1_000, '1,000'),
  }),
  versions: z.boolean().optional(),
  original: z.boolean().optional(),
  signal,
} satisfies ShapeOf<DocumentRequest>);

export const listSchema = z.strictObject({
  cursor: text,
  limit: upTo(1_000, '1,000'),
  filters: filtersSchema,
  filter,
} satisfies ShapeOf<ListRequest>);

export const relatedSchema = z.strictObject({
  item: z.string('a text').min(1, 'a text that is not empty'),
  hops,
  limit: upTo(100),
  kinds: z.array(z.enum(REFERENCE_KINDS, `one of ${REFERENCE_KINDS.join(', ')}`)).optional(),
  signal,
} satisfies ShapeOf<RelatedRequest>);

export const conflictsSchema = z.strictObject({
  kinds: z.array(z.enum(FINDING_KINDS, `one of ${FINDING_KINDS.join(', ')}`)).optional(),
  document: z.string().optional(),
  limit: upTo(10_000),
  signal,
} satisfies ShapeOf<ConflictsRequest>);

const failures = { sources: texts, items: texts } satisfies ShapeOf<FailuresRequest>;

export const failuresSchema = z.strictObject(failures);

export const retrySchema = z.strictObject({
  ...failures,
  waitMs: milliseconds,
  onProgress: callback<NonNullable<RetryRequest['onProgress']>>(),
  signal,
} satisfies ShapeOf<RetryRequest>);

export const forgetSchema = z.strictObject({
  source: text,
  documents: z.array(z.string(), 'a list of names').min(1, 'at least one name').optional(),
  filter,
  allowAgain: flag,
  dryRun: flag,
  by: text,
  waitMs: milliseconds,
  signal,
} satisfies ShapeOf<ForgetRequest>);

const concurrency = upTo(64);
const extractionLimits = {
  maxCost: cost,
  maxTokens: countFromZero,
  deadlineMs: milliseconds,
  concurrency,
  signal,
};

export const estimateSchema = z.strictObject({
  retryFailed: flag,
  renew: flag,
  concurrency,
  signal,
} satisfies ShapeOf<EstimateRequest>);

export const extractSchema = z.strictObject({
  retryFailed: flag,
  renew: flag,
  ...extractionLimits,
  onProgress: callback<NonNullable<ExtractRequest['onProgress']>>(),
} satisfies ShapeOf<ExtractRequest>);

export const summarizeSchema = z.strictObject({
  dryRun: flag,
  ...extractionLimits,
  onProgress: callback<NonNullable<SummarizeRequest['onProgress']>>(),
} satisfies ShapeOf<SummarizeRequest>);

export const summariesSchema = z.strictObject({
  entity: text,
  limit: upTo(100),
  cursor: text,
  signal,
} satisfies ShapeOf<SummariesRequest>);

export const reembedSchema = z.strictObject({
  model: text,
  questions: text,
  switch: z
    .enum(
      ['if-not-worse', 'if-better', 'always', 'never'],
      '"if-not-worse", "if-better", "always" or "never"',
    )
    .optional(),
  dryRun: flag,
  onProgress: callback<NonNullable<ReembedRequest['onProgress']>>(),
  signal,
} satisfies ShapeOf<ReembedRequest>);

export const verifySchema = z.strictObject({
  repair: flag,
  sources: flag,
  signal,
} satisfies ShapeOf<VerifyRequest>);

/** An object with the members by which a part is told; what else it does is for its contract suite to say. */
const part = <T>(what: string, members: readonly string[]): z.ZodType<T> =>
  z.custom<T>((value) => isObject(value) && members.every((member) => member in value), what);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const ownPartSchemas = {
  embedder: part<OwnParts['embedder']>('an Embedder', ['identity', 'doEmbed', 'countTokens']).optional(),
  store: part<OwnParts['store']>('a VectorStore', ['name', 'capabilities', 'open', 'describe']).optional(),
  ledger: part<OwnParts['ledger']>('a Ledger', ['live', 'reader', 'writer', 'clear']).optional(),
  queue: part<OwnParts['queue']>('a WorkQueue', ['add', 'counts', 'consume', 'onChange']).optional(),
  reranker: part<OwnParts['reranker']>('a Reranker', ['name', 'doRerank']).optional(),
  externalSearch: part<OwnParts['externalSearch']>('an ExternalSearch', ['name', 'search']).optional(),
  chatModel: z
    .custom<OwnParts['chatModel']>(
      (value) => isObject(value) && (('id' in value && 'stream' in value) || isSdkLanguageModel(value)),
      'a ChatModel, or a language model of the AI SDK',
    )
    .optional(),
  runtime: part<OwnParts['runtime']>('a Runtime', [
    'now',
    'elapsed',
    'random',
    'uniqueName',
    'setTimer',
  ]).optional(),
  sources: z.array(part<Source>('a Source', ['name', 'type', 'list', 'read'])).optional(),
  chunkers: z.array(part<Chunker>('a Chunker', ['strategy', 'cut'])).optional(),
  parsers: z.array(part<Parser>('a Parser', ['mediaTypes', 'parse'])).optional(),
} satisfies ShapeOf<OwnParts>;

/** What else a configuration holds is checked where it is read, with the place of each problem. */
const settings = <T>() =>
  z
    .custom<T>((value) => typeof value === 'object' && value !== null, 'an object')
    .superRefine(onlyJson)
    .optional();

export const engineSchema = z.strictObject({
  config: settings<CreateEngineOptions['config']>(),
  configFile: text,
  overrides: settings<CreateEngineOptions['overrides']>(),
  dataDir: text,
  cwd: text,
  env: z.record(z.string(), z.string().optional()).optional(),
  trust: z.literal(true, 'true, or left out').optional(),
  searchProcesses: z.int().min(0).max(64).optional(),
  waitForReader: z.boolean().optional(),
  secretResolvers: z.custom<CreateEngineOptions['secretResolvers']>(Array.isArray, 'a list').optional(),
  ...ownPartSchemas,
} satisfies ShapeOf<CreateEngineOptions>);
