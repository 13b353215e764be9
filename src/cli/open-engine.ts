import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Engine, EngineView, RAGConfigInput } from '../index.js';
import type { CliContext } from './context.js';
import { type ScopeOptions, toScope } from './scope-options.js';

interface OpenEngineOptions {
  /** Instead of a configuration file. */
  readonly config?: RAGConfigInput;
  readonly dataDir?: string;
}

/** Opens the engine that the global options describe. Whoever opens it closes it. */
export async function openEngine(context: CliContext, options: OpenEngineOptions = {}): Promise<Engine> {
  const { createEngine } = await import('../index.js');
  context.log('debug', `opening the engine in ${context.cwd}`);
  const dataDir = options.dataDir ?? context.globals.data;
  return createEngine({
    cwd: context.cwd,
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.config !== undefined || context.globals.config === undefined
      ? {}
      : { configFile: context.globals.config }),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
}

/** Opens the engine, runs `work`, and closes the engine whatever happens. */
export async function withEngine<T>(
  context: CliContext,
  work: (engine: Engine) => Promise<T>,
  options: OpenEngineOptions = {},
): Promise<T> {
  const engine = await openEngine(context, options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
    context.log('debug', 'the engine is closed');
  }
}

/** As `withEngine`, with the index as the scope of the command line sees it. */
export const withView = <T>(
  context: CliContext,
  options: ScopeOptions,
  work: (view: EngineView) => Promise<T>,
): Promise<T> => withEngine(context, (engine) => work(engine.as(toScope(options))));

/** The data folder of the index that the global options describe. */
export const dataDirOf = async (context: CliContext): Promise<string> => (await placeOf(context)).dataDir;

/** The same, with what is trusted there. */
export async function placeOf({ cwd, globals }: CliContext): Promise<ResolvedConfig> {
  const { loadConfig } = await import('../config/load-config.js');
  return loadConfig({
    trust: 'unchecked',
    cwd,
    ...(globals.config === undefined ? {} : { file: globals.config }),
    ...(globals.data === undefined ? {} : { dataDir: globals.data }),
  });
}
