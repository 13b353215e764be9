import type { Scope } from '../core/scope.js';
import type { Engine, EngineView } from './engine.js';

/** An engine's methods with the scope filled in. */
export const viewOf = (engine: Engine, scope: Scope): EngineView => ({
  scope,
  index: (request) => engine.index(request, scope),
  push: (documents) => engine.push(documents, scope),
  get: (id) => engine.get(id, scope),
  list: (request) => engine.list(request, scope),
  delete: (ids) => engine.delete(ids, scope),
  search: (query) => engine.search(query, scope),
  related: (request) => engine.related(request, scope),
  conflicts: (request) => engine.conflicts(request, scope),
  context: (query) => engine.context(query, scope),
  embed: (request) => engine.embed(request, scope),
  feedback: (request) => engine.feedback(request, scope),
  listFeedback: (request) => engine.listFeedback(request, scope),
  feedbackJudgments: (request) => engine.feedbackJudgments(request, scope),
  explainMiss: (query, document) => engine.explainMiss(query, document, scope),
  ask: (request) => engine.ask(request, scope),
  askStream: (request) => engine.askStream(request, scope),
  rollout: () => engine.rollout(scope),
  status: () => engine.status(scope),
  failures: (request) => engine.failures(request, scope),
  retry: (request) => engine.retry(request, scope),
  sourceStates: () => engine.sourceStates(scope),
  indexingStates: (request) => engine.indexingStates(request, scope),
  verify: (request) => engine.verify(request, scope),
  forget: (request) => engine.forget(request, scope),
  letIn: (receipt) => engine.letIn(receipt, scope),
  checkReceipt: (receipt) => engine.checkReceipt(receipt, scope),
});
