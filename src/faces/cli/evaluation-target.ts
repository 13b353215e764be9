import { withoutUndefined } from '../../core/without-undefined.js';
import type { EvaluateOptions, EvaluateProgress } from '../../index.js';
import type { CliContext } from './context.js';
import { type ScopeOptions, toScope } from './scope-options.js';

type MeasuredOptions = Omit<
  EvaluateOptions,
  'target' | 'cwd' | 'env' | 'configFile' | 'dataDir' | 'onProgress' | 'signal' | 'scope'
> &
  ScopeOptions;

/** What a command line asks to be measured, with the paths of models found and the global options added. */
export async function evaluationTarget(
  context: CliContext,
  target: string,
  options: MeasuredOptions,
): Promise<EvaluateOptions> {
  const { embedder, rerank, tenant, project, group, clearance, ...rest } = options;
  const { config, data } = context.globals;
  return {
    ...rest,
    scope: toScope({ tenant, project, group, clearance }),
    ...(embedder === undefined ? {} : { embedder: await locateModel(embedder, context) }),
    ...(rerank === undefined ? {} : { rerank: await locateModel(rerank, context) }),
    target,
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
    ...withoutUndefined({ configFile: config, dataDir: data }),
  };
}

/** Runs work with a progress display, which is gone when the work ends, however it ends. */
export async function withCounter<T>(
  context: CliContext,
  work: (onProgress: (progress: EvaluateProgress) => void) => Promise<T>,
): Promise<T> {
  const { startCounter } = await import('./render/progress.js');
  const counter = startCounter(context);
  return work(counter.update).finally(counter.stop);
}

/** A model's folder is relative to the working folder here, as every path on a command line is. */
async function locateModel(model: string, { cwd }: CliContext): Promise<string> {
  const { resolve } = await import('node:path');
  const { isFolder } = await import('../../config/models.js');
  const [, prefix = '', name = model] = /^(onnx:|transformers:|cross-encoder:)?(.*)$/.exec(model) ?? [];
  const path = resolve(cwd, name);
  return NAMED.includes(model) || !(await isFolder(path)) ? model : `${prefix}${path}`;
}

/** Names that mean no folder even where one is called so. */
const NAMED: readonly string[] = ['builtin', 'reader', 'none'];
