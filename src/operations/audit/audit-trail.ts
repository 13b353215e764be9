import type { AnswerEvent } from '../../answering/answer-events.js';
import { RAGError } from '../../core/errors.js';
import { ask } from '../answers.js';
import { type DeploymentReference, RagDeploymentModel } from '../deployment-model.js';
import type { EngineView } from '../engine.js';
import type { AskedOf } from '../operation.js';
import { type Calls, callsThrough } from '../operations.js';
import type { AuditLog } from './audit-log.js';
import type { AuditEntry, AuditedDeployment } from './audit-record.js';
import { withoutEncrypted } from './logged-filters.js';

/** Ids that a line names; `results` counts the others too. */
const MOST_DOCUMENTS = 1_000;
const MOST_FILTER_CHARACTERS = 16_384;
/** Stands in the log for filters of a tenant whose texts are kept by the customer. */
const WITH_TEXT_ALONE = 'logged with rag.audit.text alone';

/** What a log takes of a call. */
type LoggedParts = Pick<AuditLog, 'keepsText' | 'keepsFilters' | 'encryptedFields'>;

/** What the calls of one request did, gathered for its line. */
export class AuditTrail {
  readonly #keepsText: boolean;
  readonly #encryptedFields: readonly string[];
  #keepsFilters: boolean;
  readonly #documents = new Set<string>();
  #filters: unknown;
  #text: string | undefined;
  #results: number | undefined;
  #isWithheld: true | undefined;
  #deployment: AuditedDeployment | undefined;

  constructor({ keepsText, keepsFilters, encryptedFields }: LoggedParts) {
    this.#keepsText = keepsText;
    this.#keepsFilters = keepsFilters;
    this.#encryptedFields = encryptedFields;
  }

  get facts(): Pick<AuditEntry, 'deployment' | 'filters' | 'documents' | 'results' | 'isWithheld' | 'text'> {
    return {
      deployment: this.#deployment,
      filters: this.#filters,
      documents: this.#documents.size === 0 ? undefined : [...this.#documents],
      results: this.#results,
      isWithheld: this.#isWithheld,
      text: this.#text,
    };
  }

  /** What filters say of documents in a store of the customer is logged like questions: with `rag.audit.text` alone. */
  servedBy({ deploymentModel }: DeploymentReference): void {
    if (deploymentModel === RagDeploymentModel.CustomerOwned) this.#keepsFilters = this.#keepsText;
  }

  asked({ text, filters, filter }: AskedOf): void {
    if (this.#keepsText && text !== undefined) this.#text ??= text;
    if (filters === undefined && filter === undefined) return;
    if (!this.#keepsFilters) {
      this.#filters = WITH_TEXT_ALONE;
      return;
    }
    const stated = withoutEncrypted({ filters, filter }, this.#encryptedFields);
    const isSmall = JSON.stringify(stated).length <= MOST_FILTER_CHARACTERS;
    this.#filters ??= isSmall ? stated : 'too long to be logged';
  }

  concerned(deployment: AuditedDeployment): void {
    this.#deployment = deployment;
  }

  told(outcome: unknown, documents: readonly string[]): void {
    if (isAbstention(outcome)) this.#isWithheld = true;
    this.gave(documents);
  }

  gave(documents: readonly string[]): void {
    this.#results = (this.#results ?? 0) + documents.length;
    for (const id of documents) if (this.#documents.size < MOST_DOCUMENTS) this.#documents.add(id);
  }
}

const isAbstention = (outcome: unknown): boolean =>
  typeof outcome === 'object' && outcome !== null && 'abstained' in outcome && outcome.abstained === true;

/** Calls of a view, or of the part of one that is there, that are all noted in a trail. */
export const notedCalls = (view: Partial<EngineView>, trail: AuditTrail): Calls =>
  callsThrough(async ({ given, logged: { asked, writes, gave } }, work) => {
    const known = given as never[];
    if (asked !== undefined) trail.asked(asked(...known));
    if (writes !== undefined) trail.gave(writes(...known));
    const outcome = await work(view as EngineView);
    if (gave !== undefined) trail.told(outcome, gave(outcome as never, ...known));
    return outcome;
  });

/** An index whose calls are all noted in a trail. */
export const notedView = (view: EngineView, trail: AuditTrail): EngineView => ({
  scope: view.scope,
  ...notedCalls(view, trail),
  async *askStream(request): AsyncGenerator<AnswerEvent> {
    trail.asked(ask.asked?.(request) ?? {});
    for await (const event of view.askStream(request)) {
      if (event.type === 'answer') trail.told(event.answer, ask.gave?.(event.answer, request) ?? []);
      yield event;
    }
  },
});

/** Which call is logged, and whose it is. */
export type AuditedCall = Pick<
  AuditEntry,
  'face' | 'action' | 'caller' | 'tenant' | 'project' | 'deployment'
>;

/** Does one call, and logs it before what it gives is handed on. */
export async function audited<Outcome>(
  call: AuditedCall,
  log: AuditLog,
  work: (trail: AuditTrail) => Promise<Outcome>,
): Promise<Outcome> {
  const trail = new AuditTrail(log);
  const record = (rest: Pick<AuditEntry, 'outcome' | 'reason'>): Promise<void> =>
    log.record({ ...trail.facts, ...call, ...rest });
  let outcome: Outcome;
  try {
    outcome = await work(trail);
  } catch (error) {
    await record({ outcome: 'failed', reason: reasonOf(error) });
    throw error;
  }
  await record({ outcome: 'done' });
  return outcome;
}

export const reasonOf = (error: unknown): string => (RAGError.isInstance(error) ? error.reason : 'INTERNAL');
