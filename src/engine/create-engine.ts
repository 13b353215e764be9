import { loadConfig } from '../config/load-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { assertPlainDataFolder } from '../config/trust/index-reach.js';
import { scopeOf } from '../core/scope.js';
import type { Engine } from '../operations/engine.js';
import { type CreateEngineOptions, checkedEngineOptions } from '../operations/engine-options.js';
import { engineThrough } from '../operations/operations.js';
import { chooseProvider } from '../resources/assembly/choose-store.js';
import { checkQueue } from '../resources/assembly/open-queue.js';
import { checkOwnParts } from '../resources/assembly/own-parts.js';
import { EngineResources } from '../resources/engine-resources.js';
import { openSearchProcesses } from '../searching/processes/open-search-processes.js';
import { EngineCore } from './engine-core.js';
import { scopedEngine } from './scoped-engine.js';
import { wholeIndex } from './whole-index.js';

/** Opens an engine. Nothing is read or loaded until it is needed. Throws what the configuration is refused for. */
export async function createEngine(options: CreateEngineOptions = {}): Promise<Engine> {
  return (await openEngine(options)).engine;
}

/** As `createEngine`, with the resources that the engine works with. */
export async function openEngine(
  options: CreateEngineOptions,
): Promise<{ readonly engine: Engine; readonly resources: EngineResources }> {
  const {
    config,
    configFile,
    cwd,
    env,
    overrides,
    dataDir,
    secretResolvers,
    trust,
    searchProcesses,
    waitForReader,
    ...own
  } = checkedEngineOptions(options);
  const settings = { config, env, overrides, dataDir, secretResolvers, trust };
  const loaded = await loadConfig({ ...settings, cwd, file: configFile, own });
  const resolved = { ...loaded, waitsForReader: waitForReader };
  checkOwnParts(own, resolved);
  // A store that this version lacks is refused now, whatever is asked for later.
  chooseProvider(resolved);
  checkQueue(resolved);
  const resources = new EngineResources(resolved, {
    processes: openSearchProcesses(searchProcesses, resolved),
  });
  try {
    const engine = engineOver(resources, cwd ?? process.cwd());
    return { engine: await audited(engine, resolved), resources };
  } catch (error) {
    await resources.close();
    throw error;
  }
}

/** The engine, with what is done with it written down where `rag.audit.library` says so. */
export async function audited(engine: Engine, config: ResolvedConfig): Promise<Engine> {
  if (!config.rag.audit.library) return engine;
  const { openAuditLog } = await import('../operations/audit/open-audit-log.js');
  const { auditedEngine } = await import('../operations/audit/audited-engine.js');
  const log = openAuditLog(config, ({ message }) => process.emitWarning(message));
  return log === undefined ? engine : auditedEngine(engine, log);
}

/** An engine over resources that the caller knows too; closing the engine closes them. */
export function engineOver(resources: EngineResources, cwd: string): Engine {
  assertPlainDataFolder(resources.config);
  const core = new EngineCore(resources, cwd);
  return { ...engineThrough((scope) => scopedEngine(core, scopeOf(scope))), ...wholeIndex(core) };
}
