import type { StoredChunk } from '../../core/chunk.js';
import { FIRST_LINE, headingPathOf, linesOf } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import type { LedgerDocument } from '../../ledger/ledger.js';
import {
  MISS_STAGES,
  type MissExplanation,
  type MissRemedy,
  type MissStage,
  type MissStep,
} from '../../operations/miss-explanation.js';

/** The stage that lost the document, why, and what brings it back. */
export interface Loss {
  readonly stage: MissStage;
  readonly reason: string;
  readonly remedies: readonly MissRemedy[];
}

/** Notes what is found on the way, and becomes the explanation. */
export class Journey {
  readonly #query: string;
  readonly #document: LedgerDocument | undefined;
  readonly #steps = new Map<MissStage, MissStep>();
  readonly #suspects = new Map<MissStage, Loss>();
  #loss: Loss | undefined;
  #chunk: StoredChunk | undefined;

  constructor(query: string, document?: LedgerDocument) {
    this.#query = query;
    this.#document = document;
  }

  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  pass(stage: MissStage, detail: string): void {
    this.#steps.set(stage, { stage, status: 'passed', detail });
  }

  note(stage: MissStage, detail: string): void {
    this.#steps.set(stage, { stage, status: 'noted', detail });
  }

  off(stage: MissStage, detail: string): void {
    this.#steps.set(stage, { stage, status: 'off', detail });
  }

  reached(chunk: StoredChunk): void {
    this.#chunk = chunk;
  }

  /** A cause that holds only if the document is lost later. */
  suspect(loss: Loss): void {
    this.#suspects.set(loss.stage, loss);
  }

  /** The first of these causes that was suspected. */
  suspected(...stages: readonly MissStage[]): Loss | undefined {
    return stages.map((stage) => this.#suspects.get(stage)).find((loss) => loss !== undefined);
  }

  lose(loss: Loss): void {
    this.#loss ??= loss;
    this.#steps.set(loss.stage, { stage: loss.stage, status: 'lost', detail: loss.reason });
  }

  arrive(rank: number): MissExplanation {
    return {
      ...this.#base(),
      found: true,
      rank,
      reason: `Nothing was missed: it comes at rank ${rank}.`,
      remedies: [],
    };
  }

  end(): MissExplanation {
    const loss = this.#loss;
    if (loss === undefined) throw new RAGError('INTERNAL', 'A document was neither found nor lost.');
    return {
      ...this.#base(),
      found: false,
      lostAt: loss.stage,
      reason: loss.reason,
      remedies: loss.remedies,
    };
  }

  #base(): Pick<MissExplanation, 'query' | 'document' | 'steps' | 'chunk'> {
    const document = this.#document;
    const chunk = this.#chunk;
    return {
      query: this.#query,
      ...(document === undefined ? {} : { document: namedDocument(document) }),
      ...(chunk === undefined ? {} : { chunk: namedChunk(chunk) }),
      steps: MISS_STAGES.flatMap((stage) => this.#steps.get(stage) ?? []),
    };
  }
}

const namedDocument = ({ documentId, source, externalId, title }: LedgerDocument) => ({
  id: documentId,
  source,
  externalId,
  ...(title === undefined ? {} : { title }),
});

const namedChunk = (chunk: StoredChunk): NonNullable<MissExplanation['chunk']> => ({
  id: chunk.id,
  lines: linesOf(chunk) ?? FIRST_LINE,
  headingPath: headingPathOf(chunk),
});
