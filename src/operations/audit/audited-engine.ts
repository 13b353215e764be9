import { LOCAL_SCOPE, type ScopeInput, scopeOf } from '../../core/scope.js';
import type { Engine, EngineView } from '../engine.js';
import type { AuditLog } from './audit-log.js';
import type { AuditEntry } from './audit-record.js';
import { AuditTrail, audited, notedView, reasonOf } from './audit-trail.js';

/**
 * An engine whose calls are logged, for programs that use the library. What changes the index is logged before it is done, too, so that
 * nothing is changed without a line.
 */
export function auditedEngine(engine: Engine, log: AuditLog): Engine {
  const whole = (action: string) => ({ face: 'library', action, tenant: undefined }) as const;
  const viewFor = (scope: ScopeInput = LOCAL_SCOPE): EngineView => auditedView(engine.as(scope), log);
  return {
    scope: engine.scope,
    as: (scope) => viewFor(scopeOf(scope)),
    index: (request, scope) => viewFor(scope).index(request),
    push: (documents, scope) => viewFor(scope).push(documents),
    get: (request, scope) => viewFor(scope).get(request),
    list: (request, scope) => viewFor(scope).list(request),
    countDocuments: (scope) => viewFor(scope).countDocuments(),
    delete: (ids, scope) => viewFor(scope).delete(ids),
    search: (query, scope) => viewFor(scope).search(query),
    related: (request, scope) => viewFor(scope).related(request),
    feedback: (request, scope) => viewFor(scope).feedback(request),
    listFeedback: (request, scope) => viewFor(scope).listFeedback(request),
    feedbackJudgments: (request, scope) => viewFor(scope).feedbackJudgments(request),
    conflicts: (request, scope) => viewFor(scope).conflicts(request),
    context: (query, scope) => viewFor(scope).context(query),
    embed: (request, scope) => viewFor(scope).embed(request),
    explainMiss: (query, document, scope) => viewFor(scope).explainMiss(query, document),
    ask: (request, scope) => viewFor(scope).ask(request),
    askStream: (request, scope) => viewFor(scope).askStream(request),
    rollout: (scope) => viewFor(scope).rollout(),
    status: (scope) => viewFor(scope).status(),
    failures: (request, scope) => viewFor(scope).failures(request),
    retry: (request, scope) => viewFor(scope).retry(request),
    sourceStates: (scope) => viewFor(scope).sourceStates(),
    indexingStates: (request, scope) => viewFor(scope).indexingStates(request),
    verify: (request, scope) => viewFor(scope).verify(request),
    forget: (request, scope) => viewFor(scope).forget(request),
    letIn: (receipt, scope) => viewFor(scope).letIn(receipt),
    checkReceipt: (receipt, scope) => viewFor(scope).checkReceipt(receipt),
    resumeForgetting: () => viewFor().resumeForgetting(),
    health: (options) => engine.health(options),
    syncPlan: () => engine.syncPlan(),
    monitoringPlan: () => engine.monitoringPlan(),
    workPlan: () => engine.workPlan(),
    generations: () => engine.generations(),
    useGeneration: (generation) =>
      audited(whole(`useGeneration ${generation}`), log, () => engine.useGeneration(generation)),
    dropGeneration: (generation) =>
      audited(whole(`dropGeneration ${generation}`), log, () => engine.dropGeneration(generation)),
    stores: () => engine.stores(),
    switchStore: (name) => audited(whole(`switchStore ${name}`), log, () => engine.switchStore(name)),
    syncStores: (signal) => audited(whole('syncStores'), log, () => engine.syncStores(signal)),
    rebuildStore: (name) => audited(whole(`rebuildStore ${name}`), log, () => engine.rebuildStore(name)),
    reembed: (request, scope) => audited(whole('reembed'), log, () => engine.reembed(request, scope)),
    graph: {
      estimate: (request, scope) => viewFor(scope).graph.estimate(request),
      extract: (request, scope) => viewFor(scope).graph.extract(request),
      summarize: (request, scope) => viewFor(scope).graph.summarize(request),
      status: (scope) => viewFor(scope).graph.status(),
      summaries: (request, scope) => viewFor(scope).graph.summaries(request),
      entity: (name, scope) => viewFor(scope).graph.entity(name),
    },
    rotateEncryption: () => audited(whole('rotateEncryption'), log, () => engine.rotateEncryption()),
    clear: () => audited(whole('clear'), log, () => engine.clear()),
    close: async () => {
      await engine.close();
      await log.close();
    },
  };
}

function auditedView(view: EngineView, log: AuditLog): EngineView {
  const { tenant, project } = view.scope;
  const call = (action: string) => ({ face: 'library', action, tenant, project }) as const;
  const read = <Outcome>(action: string, work: (noted: EngineView) => Promise<Outcome>): Promise<Outcome> =>
    audited(call(action), log, (trail) => work(notedView(view, trail)));
  const change = async <Outcome>(
    action: string,
    work: (noted: EngineView) => Promise<Outcome>,
  ): Promise<Outcome> => {
    await log.record({ ...call(action), outcome: 'begun' });
    return read(action, work);
  };
  return {
    scope: view.scope,
    index: (request) => change('index', (noted) => noted.index(request)),
    push: (documents) => change('push', (noted) => noted.push(documents)),
    delete: (ids) => change('delete', (noted) => noted.delete(ids)),
    get: (request) => read('get', (noted) => noted.get(request)),
    list: (request) => read('list', (noted) => noted.list(request)),
    countDocuments: () => read('countDocuments', (noted) => noted.countDocuments()),
    search: (query) => read('search', (noted) => noted.search(query)),
    related: (request) => read('related', (noted) => noted.related(request)),
    feedback: (request) => change('feedback', (noted) => noted.feedback(request)),
    listFeedback: (request) => read('listFeedback', (noted) => noted.listFeedback(request)),
    feedbackJudgments: (request) => read('feedbackJudgments', (noted) => noted.feedbackJudgments(request)),
    conflicts: (request) => read('conflicts', (noted) => noted.conflicts(request)),
    context: (query) => read('context', (noted) => noted.context(query)),
    embed: (request) => read('embed', (noted) => noted.embed(request)),
    explainMiss: (query, document) => read('explainMiss', (noted) => noted.explainMiss(query, document)),
    ask: (request) => read('ask', (noted) => noted.ask(request)),
    // It tells of no document.
    rollout: () => view.rollout(),
    status: () => read('status', (noted) => noted.status()),
    failures: (request) => read('failures', (noted) => noted.failures(request)),
    retry: (request) => change('retry', (noted) => noted.retry(request)),
    sourceStates: () => read('sourceStates', (noted) => noted.sourceStates()),
    indexingStates: (request) => read('indexingStates', (noted) => noted.indexingStates(request)),
    verify: (request) => read('verify', (noted) => noted.verify(request)),
    // Neither what was forgotten nor its names are logged.
    forget: (request) => change('forget', (noted) => noted.forget(request)),
    letIn: (receipt) => change('letIn', (noted) => noted.letIn(receipt)),
    checkReceipt: (receipt) => read('checkReceipt', (noted) => noted.checkReceipt(receipt)),
    // It names no documents, and is of the whole index.
    resumeForgetting: () =>
      audited({ face: 'library', action: 'resumeForgetting', tenant: undefined }, log, () =>
        view.resumeForgetting(),
      ),
    graph: {
      estimate: (request) => view.graph.estimate(request),
      extract: (request) => change('graph extract', ({ graph }) => graph.extract(request)),
      summarize: (request) => change('graph summarize', ({ graph }) => graph.summarize(request)),
      status: () => read('graph status', ({ graph }) => graph.status()),
      summaries: (request) => read('graph summaries', ({ graph }) => graph.summaries(request)),
      entity: (name) => read('graph entity', ({ graph }) => graph.entity(name)),
    },
    async *askStream(request) {
      // Its text is handed on as it comes about.
      await log.record({ ...call('ask'), outcome: 'begun' });
      const trail = new AuditTrail(log);
      let end: Pick<AuditEntry, 'outcome' | 'reason'> = { outcome: 'failed', reason: 'ABORTED' };
      try {
        yield* notedView(view, trail).askStream(request);
        end = { outcome: 'done' };
      } catch (error) {
        end = { outcome: 'failed', reason: reasonOf(error) };
        throw error;
      } finally {
        await log.record({ ...call('ask'), ...trail.facts, ...end });
      }
    },
  };
}
