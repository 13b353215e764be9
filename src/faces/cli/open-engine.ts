import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import type {
  CreateEngineOptions,
  Engine,
  EngineView,
  KnowledgeDeploymentService,
  Monitorable,
  Monitoring,
  RAGConfigInput,
} from '../../index.js';
import type { CliContext } from './context.js';
import type { IndexView } from './index-view.js';
import { type ScopeOptions, toScope } from './scope-options.js';

interface OpenEngineOptions {
  /** Instead of a configuration file. */
  readonly config?: RAGConfigInput;
  readonly dataDir?: string;
  /** See `CreateEngineOptions`. */
  readonly waitForReader?: boolean;
}

/** Opens the engine that the global options describe. The caller closes it. */
export async function openEngine(context: CliContext, options: OpenEngineOptions = {}): Promise<Engine> {
  const { createEngine } = await import('../../index.js');
  context.log('debug', `opening the engine in ${context.cwd}`);
  return createEngine(engineOptions(context, options));
}

function engineOptions(
  { cwd, env, globals }: CliContext,
  { config, dataDir = globals.data, waitForReader = true }: OpenEngineOptions = {},
): CreateEngineOptions {
  return {
    cwd,
    env,
    waitForReader,
    config,
    configFile: config === undefined ? globals.config : undefined,
    dataDir,
  };
}

/** How a command is watched that stays. Without it a command keeps the log file alone. */
interface Watched {
  /** Of its metric file; absent for one of many on this host. */
  readonly monitoring?: { readonly name: string | undefined };
}

/** Opens the indexes of all tenants. The caller closes them. */
export async function openDeployments(
  context: CliContext,
  options: Pick<CreateEngineOptions, 'searchProcesses' | 'waitForReader'> = {},
): Promise<KnowledgeDeploymentService> {
  const { createKnowledgeDeployments } = await import('../../index.js');
  context.log('debug', `opening the engine in ${context.cwd}`);
  return createKnowledgeDeployments({ ...engineOptions(context), ...options });
}

/** Opens the indexes of all tenants, runs `work`, and closes them whatever happens. */
export async function withDeployments<T>(
  context: CliContext,
  work: (deployments: KnowledgeDeploymentService, monitoring: Monitoring) => Promise<T>,
  { monitoring, ...options }: Pick<CreateEngineOptions, 'searchProcesses'> & Watched = {},
): Promise<T> {
  const deployments = await openDeployments(context, { ...options, waitForReader: monitoring === undefined });
  return whileOpen(context, deployments, (watch) => work(deployments, watch), monitoring);
}

/** Logs, counts and watches what is opened while the work goes on, and closes it. */
async function whileOpen<T>(
  context: CliContext,
  opened: Monitorable & { close(): Promise<void> },
  work: (monitoring: Monitoring) => Promise<T>,
  lasting?: Watched['monitoring'],
): Promise<T> {
  try {
    return await whileWatched(context, opened, lasting, work);
  } finally {
    await opened.close();
    context.log('debug', 'the engine is closed');
  }
}

/** Logs, counts and watches as the configuration says, while the work goes on. */
async function whileWatched<T>(
  context: CliContext,
  watched: Monitorable,
  lasting: Watched['monitoring'],
  work: (monitoring: Monitoring) => Promise<T>,
): Promise<T> {
  const { startMonitoring } = await import('../../index.js');
  const monitoring = await startMonitoring(watched, {
    name: lasting?.name,
    onlyLog: lasting === undefined,
    write: (line) => context.side.writeMessage(line),
  });
  try {
    return await work(monitoring);
  } finally {
    await monitoring.stop();
  }
}

/** Opens the engine, runs `work`, and closes the engine whatever happens. */
export async function withEngine<T>(
  context: CliContext,
  work: (engine: Engine) => Promise<T>,
  { monitoring, ...options }: OpenEngineOptions & Watched = {},
): Promise<T> {
  const engine = await openEngine(context, { ...options, waitForReader: monitoring === undefined });
  return whileOpen(context, engine, () => work(engine), monitoring);
}

/** Opens the index that the tenant has, the shared one or one of its own, as the scope of the command line sees it. */
export const withTenantView = <T>(
  context: CliContext,
  options: ScopeOptions,
  work: (view: EngineView) => Promise<T>,
): Promise<T> =>
  withDeployments(context, async (deployments) => work((await deployments.of(toScope(options))).view));

/** @throws RAGError `DEPLOYMENT_CONFLICT` for a tenant with an index of its own, where a command is of the shared one alone */
export async function assertSharedIndex(context: CliContext, options: ScopeOptions): Promise<void> {
  const scope = toScope(options);
  const { deployment } = await withDeployments(context, (deployments) => deployments.of(scope));
  if (deployment.deploymentModel === 'Shared') return;
  throw new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The tenant ${JSON.stringify(scope.tenant)} has an index of its own (${deployment.deploymentModel}), and this command is of the shared index alone.`,
  );
}

/** As `withTenantView`, for what a service can do too: with `--server` the index is the one behind it, and no engine is loaded. */
export async function withView<T>(
  context: CliContext,
  options: ScopeOptions,
  work: (view: IndexView) => Promise<T>,
): Promise<T> {
  if (context.server !== undefined) {
    const { openServer } = await import('./server-view.js');
    return work(openServer(context, options.tenant));
  }
  const { openForReading } = await import('../../fleet/deployments/open-for-reading.js');
  context.log('debug', `opening the engine in ${context.cwd}`);
  const indexes = await openForReading(engineOptions(context));
  return whileOpen(context, indexes, async () => work((await indexes.of(toScope(options))).view));
}

/** The data folder of the index that the global options describe. */
export const dataDirOf = async (context: CliContext): Promise<string> => (await placeOf(context)).dataDir;

/** The same, with what is trusted there. @throws RAGError `INDEX_UNTRUSTED`, `INDEX_DAMAGED` where it holds what is no plain file or folder */
export async function placeOf(context: CliContext): Promise<ResolvedConfig> {
  const { loadConfig } = await import('../../config/load-config.js');
  const { assertPlainDataFolder } = await import('../../config/trust/index-reach.js');
  const place = await loadConfig({ ...context.place, trust: 'unchecked' });
  assertPlainDataFolder(place);
  return place;
}
