import * as z from 'zod';
import { isSdkLanguageModel } from '../answering/sdk-language-model.js';
import type { Chunker } from '../chunking/chunker.js';
import type { Environment } from '../config/expand-variables.js';
import type { LoadConfigOptions } from '../config/load-config.js';
import type { Plugins } from '../config/plugins.js';
import { isList, ownElements, ownFields, plainCopy, type Refuse, reading } from '../core/plain-copy.js';
import type { Parser } from '../parsing/parser.js';
import type { Source } from '../sources/source.js';
import { assertShape, type Refusal, refusing, type ShapeOf } from './requests/check-shape.js';
import { onlyJson, text, withoutUndefined } from './requests/request-fields.js';

/** What `createEngine` takes; anything else is refused (`USAGE`). */
export interface CreateEngineOptions extends Plugins {
  /** A configuration as an object: the content of `rag:`, or a whole file. Without it a file is looked for. */
  readonly config?: LoadConfigOptions['config'] | undefined;
  /** Default: `config/rag-config.yaml`, then `ragstone.yaml`, in the project that `cwd` lies in: it, or the nearest folder above with one of them or with an index. None means defaults. */
  readonly configFile?: string | undefined;
  /** Settings over those of the file or object. */
  readonly overrides?: LoadConfigOptions['overrides'] | undefined;
  /** @default `.ragstone` in the project's folder */
  readonly dataDir?: string | undefined;
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Variables for `${NAME}`, keys of hosted models and the place of what is trusted. @default process.env */
  readonly env?: Environment | undefined;
  /**
   * `true` trusts a configuration that is found in `cwd`; without it, one that connects to hosts, reaches outside its folder or
   * starts a program is refused (`CONFIG_UNTRUSTED`) until the user trusted it (`ragstone trust`, `RAGSTONE_TRUST`).
   */
  readonly trust?: true | undefined;
  /**
   * Most processes that search for the engine, so that searches use as many cores and leave this one free. The first starts at once,
   * others as they are needed; they end with the engine. Refused (`USAGE`) for an index that is in this process alone. @default 0
   */
  readonly searchProcesses?: number | undefined;
  /**
   * Whether a search waits until the reader (`rag.retrieval.rerank.model`) has read all candidates, up to a second longer: for a process that ends with
   * its search. Else it reads for some 300 ms, and idle time reads the rest. @default false
   */
  readonly waitForReader?: boolean | undefined;
  /** Fetch secrets that the configuration names as `scheme:name`; beside `env`, `file` and `keyvault`. */
  readonly secretResolvers?: LoadConfigOptions['secretResolvers'] | undefined;
}

/** An object with the members by which a part is told; what else it does is for its contract suite to say. */
const part = <T>(what: string, members: readonly string[]): z.ZodType<T> =>
  z.custom<T>((value) => isObject(value) && members.every((member) => member in value), what);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const ownPartSchemas = {
  embedder: part<Plugins['embedder']>('an Embedder', ['identity', 'doEmbed', 'countTokens']).optional(),
  store: part<Plugins['store']>('a VectorStore', ['name', 'capabilities', 'open', 'describe']).optional(),
  ledger: part<Plugins['ledger']>('a Ledger', ['live', 'reader', 'writer', 'clear']).optional(),
  queue: part<Plugins['queue']>('a WorkQueue', ['add', 'counts', 'consume', 'onChange']).optional(),
  reranker: part<Plugins['reranker']>('a Reranker', ['name', 'doRerank']).optional(),
  externalSearch: part<Plugins['externalSearch']>('an ExternalSearch', ['name', 'search']).optional(),
  chatModel: z
    .custom<Plugins['chatModel']>(
      (value) => isObject(value) && (('id' in value && 'stream' in value) || isSdkLanguageModel(value)),
      'a ChatModel, or a language model of the AI SDK',
    )
    .optional(),
  runtime: part<Plugins['runtime']>('a Runtime', [
    'now',
    'elapsed',
    'random',
    'uniqueName',
    'setTimer',
  ]).optional(),
  sources: z.array(part<Source>('a Source', ['name', 'type', 'list', 'read'])).optional(),
  chunkers: z.array(part<Chunker>('a Chunker', ['strategy', 'cut'])).optional(),
  parsers: z.array(part<Parser>('a Parser', ['mediaTypes', 'parse'])).optional(),
} satisfies ShapeOf<Plugins>;

/** What else a configuration holds is checked where it is read, with the place of each problem. */
const settings = <T>() =>
  z
    .custom<T>((value) => typeof value === 'object' && value !== null, 'an object')
    .superRefine(onlyJson)
    .optional();

export const engineSchema = z.strictObject({
  config: settings<CreateEngineOptions['config']>(),
  configFile: text,
  overrides: settings<CreateEngineOptions['overrides']>(),
  dataDir: text,
  cwd: text,
  env: z.record(z.string(), z.string().optional()).optional(),
  trust: z.literal(true, 'true, or left out').optional(),
  searchProcesses: z.int().min(0).max(64).optional(),
  waitForReader: z.boolean().optional(),
  secretResolvers: z.custom<CreateEngineOptions['secretResolvers']>(Array.isArray, 'a list').optional(),
  ...ownPartSchemas,
} satisfies ShapeOf<CreateEngineOptions>);

// The variables of a process are no plain object.
const copiedVariables = (env: CreateEngineOptions['env'], refuse: Refuse): CreateEngineOptions['env'] =>
  typeof env === 'object' && env !== null ? reading(['env'], refuse, () => ({ ...env })) : env;

/** Settings are copied; parts are borrowed as they are, lists of them copied. Throws `USAGE`. */
export function checkedEngineOptions(options: CreateEngineOptions): CreateEngineOptions {
  const refusal: Refusal = { what: 'createEngine', reason: 'USAGE' };
  const { config, env, overrides, ...parts } = ownFields(options, refusing(refusal));
  const own = {
    ...Object.fromEntries(
      Object.entries(parts).map(([key, part]: [string, unknown]) => [
        key,
        isList(part) ? ownElements(part, refusing(refusal), [key]) : part,
      ]),
    ),
    ...withoutUndefined(plainCopy({ config, overrides }, refusing(refusal))),
    env: copiedVariables(env, refusing(refusal)),
  };
  assertShape(engineSchema, own, refusal);
  return own;
}
