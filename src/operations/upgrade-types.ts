import * as z from 'zod';
import type { EmbeddingEstimate } from '../embedding/embedder.js';
import type { MetricComparison } from '../evaluation/compare-scores.js';
import { FIELDS } from './fields.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { callback, choiceOf, flag, signal, text } from './requests/request-fields.js';

/**
 * When an upgrade is switched to. `if-not-worse`: unless it is found worse on the questions. `if-better`: only where it is found better. `always`:
 * whatever is found. `never`: not by itself; a later call with another rule switches.
 */
export type SwitchRule = 'if-not-worse' | 'if-better' | 'always' | 'never';

/** What an index is embedded anew with, beside the live vectors. */
export interface ReembedRequest {
  /** Named as `rag.embedding.model` is. @default rag.embedding.upgrade */
  readonly model?: string | undefined;
  /**
   * File of questions (JSONL) on which both models are compared, relative to the engine's folder. @default rag.embedding.upgradeQuestions, else questions
   * that are made of the indexed documents
   */
  readonly questions?: string | undefined;
  /** @default rag.embedding.upgradeSwitch */
  readonly switch?: SwitchRule | undefined;
  /** Only count, and tell the cost of a hosted model. Nothing is written or sent. @default false */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far an upgrade is. */
export interface ReembedProgress {
  readonly stage: 'embedding' | 'comparing' | 'switching';
  /** Chunks that have their vector, or questions that were asked. */
  readonly done: number;
  readonly total: number;
  /** Chunks embedded a second, by this call; 0 before it is known. */
  readonly perSecond: number;
  /** Milliseconds left of embedding; absent where it cannot be told. */
  readonly etaMs?: number;
}

/** What a comparison of two models found. */
export interface UpgradeComparison {
  /** By a paired randomisation test at 5 % over the questions. `no difference found` is no proof that there is none. */
  readonly verdict: 'better' | 'no difference found' | 'worse';
  /** The metric that decides, and all that were measured: `a` is the live model, `b` the new one. */
  readonly metric: string;
  readonly metrics: readonly MetricComparison[];
  /** Questions that both were asked. */
  readonly questions: number;
  /** Where they are from: the file, or `made of the indexed documents`. */
  readonly questionsFrom: string;
  /** ISO-8601 UTC. */
  readonly at: string;
}

/** What came of an upgrade. */
export interface ReembedResult {
  /**
   * `switched`: searches read the new vectors. `kept`: they are complete, and searches stay with the old ones, by the verdict and the rule.
   * `already`: the live generation is of this model. `dry-run`: nothing was done.
   */
  readonly outcome: 'switched' | 'kept' | 'already' | 'dry-run';
  /** The live generation before. */
  readonly from: { readonly generation: number; readonly embedder: string };
  /** The generation of the new model; without a number before it is begun. */
  readonly to: { readonly generation?: number | undefined; readonly embedder: string };
  readonly documents: number;
  readonly chunks: number;
  /** Chunks that this call embedded; the others had their vectors from an earlier one. */
  readonly embedded: number;
  /** Milliseconds that making the vectors took, in all calls together. */
  readonly embeddingMs: number;
  /** Milliseconds of this call. */
  readonly tookMs: number;
  /** Absent where nothing was compared. */
  readonly comparison?: UpgradeComparison | undefined;
  /** Of a dry run over a hosted model. */
  readonly estimate?: EmbeddingEstimate | undefined;
  readonly notices: readonly string[];
}

/** Where an upgrade stands. */
export interface UpgradeStatus {
  /** The model that is wanted, as it is named. */
  readonly wanted: string;
  /**
   * `waiting`: nothing is made yet. `filling`: vectors are being made, or were until something stopped it. `complete`: they are there, and searches stay
   * with the live ones. `live`: searches read them. `taken back`: they were live, and a person went back.
   */
  readonly state: 'waiting' | 'filling' | 'complete' | 'live' | 'taken back';
  /** The generation of the wanted model. */
  readonly generation?: number | undefined;
  /** Chunks that have their vector, of how many. */
  readonly done: number;
  readonly total: number;
  /** Chunks embedded a second, over all of the time that was spent on it. */
  readonly perSecond?: number | undefined;
  readonly comparison?: UpgradeComparison | undefined;
  /** In words: what it means, and the next step. */
  readonly notice: string;
}

const schema = z.strictObject({
  model: text,
  questions: text,
  switch: choiceOf(FIELDS.reembed.switch),
  dryRun: flag,
  onProgress: callback<NonNullable<ReembedRequest['onProgress']>>(),
  signal,
} satisfies ShapeOf<ReembedRequest>);

/** Throws `USAGE`. */
export const checkedReembedding = (request: ReembedRequest): ReembedRequest =>
  checked(request, schema, { what: 'What to embed anew', reason: 'USAGE' });
