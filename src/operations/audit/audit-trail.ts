import type { Answer } from '../../answering/answer.js';
import type { AnswerEvent } from '../../answering/answer-events.js';
import { RAGError } from '../../core/errors.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import { type DeploymentReference, RagDeploymentModel } from '../deployment-model.js';
import type { AskRequest, EngineView, SearchQuery } from '../engine.js';
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

  asked({
    text,
    filters,
    filter,
  }: Pick<SearchQuery, 'filters' | 'filter'> & { readonly text?: string | undefined }): void {
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

  answered({ abstained, sources }: Answer): void {
    if (abstained) this.#isWithheld = true;
    this.gave(sources.map(({ documentId }) => documentId));
  }

  gave(documents: readonly string[]): void {
    this.#results = (this.#results ?? 0) + documents.length;
    for (const id of documents) if (this.#documents.size < MOST_DOCUMENTS) this.#documents.add(id);
  }
}

/** Calls that read, and that assistants may make. */
type Reading = Pick<EngineView, 'search' | 'ask' | 'explainMiss' | 'get' | 'list'>;

/** The same with a trail that notes what was asked and given. */
export function notedReading(index: Reading, trail: AuditTrail): Reading {
  return {
    get: async (request) => {
      const document = await index.get(request);
      trail.gave(document === undefined ? [] : [document.id]);
      return document;
    },
    list: async (request = {}) => {
      trail.asked(request);
      const page = await index.list(request);
      trail.gave(page.documents.map(({ id }) => id));
      return page;
    },
    search: async (query) => {
      trail.asked(asQuery(query));
      const found = await index.search(query);
      trail.gave(found.results.map(({ metadata }) => String(metadata.documentId)));
      return found;
    },
    explainMiss: async (query, document) => {
      trail.asked(asQuery(query));
      const explanation = await index.explainMiss(query, document);
      trail.gave([document]);
      return explanation;
    },
    ask: async (request) => {
      trail.asked(asQuestion(request));
      const answer = await index.ask(request);
      trail.answered(answer);
      return answer;
    },
  };
}

/** An index whose calls are all noted in a trail. */
export const notedView = (view: EngineView, trail: AuditTrail): EngineView => ({
  ...view,
  ...notedReading(view, trail),
  index: async (request = {}) => {
    const { documents = [], deleted = [], options } = isList(request) ? { documents: request } : request;
    // What is only tried is not written.
    if (options?.dryRun !== true) trail.gave([...documents.map(({ id }) => id), ...deleted]);
    return view.index(request);
  },
  push: async (documents) => {
    trail.gave(documents.map(({ id }) => id));
    return view.push(documents);
  },
  delete: async (ids) => {
    trail.gave(ids);
    return view.delete(ids);
  },
  context: async (query) => {
    trail.asked(asQuery(query));
    const pack = await view.context(query);
    trail.gave(pack.entries.map(({ documentId }) => documentId));
    return pack;
  },
  related: async (request) => {
    trail.asked({ text: typeof request === 'string' ? request : request.item });
    const found = await view.related(request);
    trail.gave(found.related.map(({ id }) => id));
    return found;
  },
  feedback: async (request) => {
    trail.asked({ text: request.query });
    return view.feedback(request);
  },
  conflicts: async (request) => {
    const found = await view.conflicts(request);
    const places = found.findings.flatMap(({ passages }) => passages.flatMap((passage) => passage.places));
    trail.gave([...new Set(places.map(({ documentId }) => documentId))]);
    return found;
  },
  embed: async (request) => {
    trail.asked({ text: request.texts.join('\n') });
    return view.embed(request);
  },
  async *askStream(request): AsyncGenerator<AnswerEvent> {
    trail.asked(asQuestion(request));
    for await (const event of view.askStream(request)) {
      if (event.type === 'answer') trail.answered(event.answer);
      yield event;
    }
  },
});

const isList = (
  request: NonNullable<Parameters<EngineView['index']>[0]>,
): request is readonly PushedDocument[] => Array.isArray(request);

const asQuery = <Query extends { readonly text: string }>(query: string | Query) =>
  typeof query === 'string' ? { text: query } : query;

function asQuestion(request: string | AskRequest) {
  if (typeof request === 'string') return { text: request };
  return { ...request, text: request.question ?? request.message };
}

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
