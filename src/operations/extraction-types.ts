import * as z from 'zod';
import { FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import {
  callback,
  checkedName,
  cost,
  countFromZero,
  countOf,
  flag,
  milliseconds,
  signal,
  text,
} from './requests/request-fields.js';
/** What a run may take. It ends before the call that would pass a limit; what was read stays. */
export interface ExtractionLimits {
  /** US dollars, by the price of the model. Refused where the price is not known. */
  readonly maxCost?: number | undefined;
  /** Tokens that the model reads and writes. */
  readonly maxTokens?: number | undefined;
  /** Milliseconds after which no further call is made. */
  readonly deadlineMs?: number | undefined;
}

export interface ExtractionProgress {
  readonly stage: 'extracting' | 'summarizing';
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
  readonly etaMs?: number | undefined;
}

export interface ExtractRequest extends ExtractionLimits {
  /** Read chunks again that have failed three times. @default false: they are left alone until their text changes */
  readonly retryFailed?: boolean | undefined;
  /** Read what another model or an older prompt has read again. @default false: it is kept and used */
  readonly renew?: boolean | undefined;
  /** Calls at a time. @default rag.graph.extraction.concurrency */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: ExtractionProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type EstimateRequest = Pick<ExtractRequest, 'retryFailed' | 'renew' | 'concurrency' | 'signal'>;

export interface SummarizeRequest extends ExtractionLimits {
  /** Counts what would be summarised, and what it would cost. @default false */
  readonly dryRun?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: ExtractionProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls of a model that are still to be made. */
export interface CallEstimate {
  readonly calls: number;
  /** By the length of the texts, rather too high. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the output is what this model wrote until now for each call, or assumed. */
  readonly outputBasis: 'measured' | 'assumed';
  /** US dollars; absent where the price of the model is not known. */
  readonly cost?: number | undefined;
  /** By the time that this model took until now; absent where it was not asked yet. */
  readonly ms?: number | undefined;
}

export interface ExtractionEstimate {
  /** `provider:model`; absent where none is configured. */
  readonly model?: string | undefined;
  readonly documents: number;
  readonly chunks: number;
  /** Chunks that were read before. */
  readonly read: number;
  /** Those among them that were read by another model or prompt, and are kept. */
  readonly readByOthers: number;
  /** Chunks that hold too little text to be read. */
  readonly skipped: number;
  /** Chunks that failed so often that they are not tried again by themselves. */
  readonly givenUp: number;
  readonly extraction: CallEstimate;
  /** Of the facts that are there now; more facts make more or other communities. */
  readonly summaries: CallEstimate;
  readonly notices: readonly string[];
}

export interface ExtractionFailure {
  readonly documentId: string;
  readonly externalId: string;
  readonly chunkId: string;
  readonly attempts: number;
  readonly problem: string;
}

/** Why a run ended before it was done. `model`: it could not be reached, or refused to be asked. */
export type ExtractionStop = 'maxCost' | 'maxTokens' | 'deadlineMs' | 'model';

/** What the calls of a run took. */
export interface ExtractionSpent {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; absent where the price of the model is not known. */
  readonly cost?: number | undefined;
}

export interface ExtractionResult {
  readonly model: string;
  /** Chunks that the model read in this run. */
  readonly read: number;
  /** Chunks whose text had been read in another place: no call was made. */
  readonly reused: number;
  readonly failed: number;
  readonly skipped: number;
  /** Chunks that are still to be read. */
  readonly left: number;
  readonly entities: number;
  readonly relations: number;
  /** Entities and relations that the model named and the text does not hold. */
  readonly refused: number;
  readonly spent: ExtractionSpent;
  readonly stopped?: ExtractionStop | undefined;
  /** The first of them. */
  readonly failures: readonly ExtractionFailure[];
  readonly tookMs: number;
  readonly notices: readonly string[];
}

export interface SummarizeResult {
  readonly model: string;
  /** Communities that are large enough for a summary. */
  readonly communities: number;
  readonly written: number;
  /** Summaries whose facts have not changed. */
  readonly unchanged: number;
  /** Summaries that were removed because their facts are others now. */
  readonly removed: number;
  readonly failed: number;
  /** Communities that are still to be summarised. */
  readonly left: number;
  /** Entities that are in no community of the least size. */
  readonly alone: number;
  /** Sets of readers: no summary is made of documents that different people may read. */
  readonly audiences: number;
  readonly estimate?: CallEstimate | undefined;
  readonly spent: ExtractionSpent;
  readonly stopped?: ExtractionStop | undefined;
  readonly tookMs: number;
  readonly notices: readonly string[];
}

export interface FactStatus {
  readonly documents: number;
  readonly chunks: number;
  readonly read: number;
  readonly readByOthers: number;
  readonly unread: number;
  readonly failed: number;
  readonly entities: number;
  readonly relations: number;
  readonly refused: number;
  readonly summaries: number;
  /** What it took to read the chunks that are there now. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Models that read them, with the number of chunks. */
  readonly models: Readonly<Record<string, number>>;
  readonly failures: readonly ExtractionFailure[];
}

export interface SummariesRequest {
  /** Only those that an entity of this name is part of. */
  readonly entity?: string | undefined;
  /** From 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A document that something stands in. */
export interface FactPlace {
  readonly documentId: string;
  readonly externalId: string;
}

/** What a model wrote of entities that hang together. */
export interface EntitySummary {
  readonly id: string;
  readonly title: string;
  readonly sentences: readonly {
    readonly text: string;
    /** Documents that it stands on. */
    readonly documents: readonly FactPlace[];
  }[];
  /** Their names. */
  readonly entities: readonly string[];
  /** All documents that it was made of. */
  readonly documents: readonly FactPlace[];
  /** `provider:model`. */
  readonly model: string;
  /** ISO-8601 UTC. */
  readonly at: string;
}

export interface SummaryPage {
  readonly summaries: readonly EntitySummary[];
  /** Present where there are more. */
  readonly cursor?: string | undefined;
}

/** What documents say of an entity, each for itself. */
export interface EntityReport {
  /** Its spellings, the most usual first. */
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly mentions: readonly (FactPlace & {
    readonly description: string;
    /** The text around its name. */
    readonly evidence: string;
  })[];
  readonly relations: readonly (FactPlace & {
    readonly from: string;
    readonly label: string;
    readonly to: string;
    readonly evidence: string;
  })[];
  /** More documents name it than were looked at. */
  readonly isCut: boolean;
}

const concurrency = countOf(FIELDS.extract.concurrency);
const limits = { maxCost: cost, maxTokens: countFromZero, deadlineMs: milliseconds, concurrency, signal };

const estimateSchema = z.strictObject({
  retryFailed: flag,
  renew: flag,
  concurrency,
  signal,
} satisfies ShapeOf<EstimateRequest>);

const extractSchema = z.strictObject({
  retryFailed: flag,
  renew: flag,
  ...limits,
  onProgress: callback<NonNullable<ExtractRequest['onProgress']>>(),
} satisfies ShapeOf<ExtractRequest>);

const summarizeSchema = z.strictObject({
  dryRun: flag,
  ...limits,
  onProgress: callback<NonNullable<SummarizeRequest['onProgress']>>(),
} satisfies ShapeOf<SummarizeRequest>);

const summariesSchema = z.strictObject({
  entity: text,
  limit: countOf(FIELDS.summaries.limit),
  cursor: text,
  signal,
} satisfies ShapeOf<SummariesRequest>);

/** Operations of `graph`. */
export const factOperations = {
  estimate: operation({
    access: 'read',
    takes: 1,
    check: (request: EstimateRequest = {}) =>
      checked(request, estimateSchema, { what: 'What to estimate', reason: 'USAGE' }),
  }),
  extract: operation({
    access: 'write',
    takes: 1,
    check: (request: ExtractRequest = {}) =>
      checked(request, extractSchema, { what: 'What to extract', reason: 'USAGE' }),
  }),
  summarize: operation({
    access: 'write',
    takes: 1,
    check: (request: SummarizeRequest = {}) =>
      checked(request, summarizeSchema, { what: 'What to summarise', reason: 'USAGE' }),
  }),
  status: operation({ access: 'read', takes: 0, check: () => undefined }),
  summaries: operation({
    access: 'read',
    takes: 1,
    check: (request: SummariesRequest = {}) =>
      checked(request, summariesSchema, { what: 'Which summaries', reason: 'USAGE' }),
  }),
  entity: operation({
    access: 'read',
    takes: 1,
    check: (name: string) => checkedName(name, 'The name of an entity'),
  }),
};
