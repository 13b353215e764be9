import type { Engine, EngineView } from '../engine.js';
import { callsThrough, engineThrough } from '../operations.js';
import type { AuditLog } from './audit-log.js';
import type { AuditEntry } from './audit-record.js';
import { AuditTrail, audited, notedView, reasonOf } from './audit-trail.js';

/**
 * An engine whose calls are logged, for programs that use the library. What changes the index is logged before it is done, too, so that
 * nothing is changed without a line.
 */
export function auditedEngine(engine: Engine, log: AuditLog): Engine {
  const whole = (action: string) => ({ face: 'library', action, tenant: undefined }) as const;
  return {
    ...engineThrough((scope) => auditedView(engine.as(scope), log)),
    scope: engine.scope,
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
    rotateEncryption: () => audited(whole('rotateEncryption'), log, () => engine.rotateEncryption()),
    clear: () => audited(whole('clear'), log, () => engine.clear()),
    close: async () => {
      await engine.close();
      await log.close();
    },
  };
}

/** They tell of no document. */
const NOT_LOGGED: ReadonlySet<string> = new Set(['rollout', 'graph estimate']);

function auditedView(view: EngineView, log: AuditLog): EngineView {
  const { tenant, project } = view.scope;
  const call = (action: string) => ({ face: 'library', action, tenant, project }) as const;
  const made = callsThrough(async ({ name, access }, work) => {
    if (NOT_LOGGED.has(name)) return work(view);
    // Neither what was forgotten nor its names are logged.
    if (access === 'write') await log.record({ ...call(name), outcome: 'begun' });
    return audited(call(name), log, (trail) => work(notedView(view, trail)));
  });
  return {
    scope: view.scope,
    ...made,
    // It names no documents, and is of the whole index.
    resumeForgetting: () =>
      audited({ face: 'library', action: 'resumeForgetting', tenant: undefined }, log, () =>
        view.resumeForgetting(),
      ),
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
