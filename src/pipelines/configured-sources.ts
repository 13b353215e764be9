import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ANALYSIS_VERSION } from '../analysis/lexical-analyzer.js';
import type { ChunkingOptions } from '../chunking/chunker.js';
import { CHUNKING_VERSION } from '../chunking/chunking-version.js';
import { CONTEXT_PROMPT_VERSION } from '../chunking/contextual/context-prompt.js';
import { createChunker } from '../chunking/create-chunker.js';
import { createSourcesFor } from '../config/registry.js';
import { sqlMapping } from '../config/resolve-sql-source.js';
import type { ResolvedConfig, ResolvedSource } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { loadBuiltinTokenizer } from '../embedding/static/static-embedder.js';
import { createParsers } from '../parsing/create-parsers.js';
import { PARSING_VERSION } from '../parsing/parsing-version.js';
import { isolateParsers } from '../parsing/worker/isolate-parsers.js';
import { createFilesSource } from '../sources/files/files-source.js';
import { parseGitAddress } from '../sources/git/git-address.js';
import { createPushSource, type PushedDocument } from '../sources/push/push-source.js';
import type { Source } from '../sources/source.js';
import { createDocumentProtection } from './document-protection.js';
import { processingKeyOf } from './processing-key.js';
import type { ConfiguredSource } from './source-task.js';

/** Sources that were named as paths carry this prefix, which no configured name can have. */
const PATH_PREFIX = 'path:';
/** Source of documents that the caller hands in. */
export const PUSH_SOURCE = 'push:documents';

interface SourceParts {
  readonly source: Source;
  readonly sourceType: string;
  readonly root?: string | undefined;
  readonly chunking: ChunkingOptions;
  readonly frontmatterFields?: readonly string[];
  /** Everything else that changes what its documents become. */
  readonly settings: unknown;
}

/** All enabled sources of the configuration. */
export async function configuredSources(config: ResolvedConfig): Promise<ConfiguredSource[]> {
  const setups = await createSourcesFor(config);
  return Promise.all(
    setups.map((setup) => {
      const settings = config.rag.sources.find(({ name }) => name === setup.source.name);
      const relevant =
        settings === undefined
          ? {}
          : {
              metadata: settings.metadata,
              type: settings.type,
              ...(settings.type === 'files' || settings.type === 'git'
                ? { generated: settings.generated }
                : {}),
              ...(settings.type === 'git' ? { link: settings.link, history: settings.history } : {}),
              ...(settings.type === 'sql' ? { mapping: sqlMapping(settings) } : {}),
            };
      const root = settings === undefined ? undefined : rootOf(settings, config);
      return assembleSource({ ...setup, root, settings: relevant }, config);
    }),
  );
}

/** Absolute path of what a source reads of this machine's files; undefined for services, databases and repositories elsewhere. */
export function rootOf(settings: ResolvedSource, { projectRoot }: ResolvedConfig): string | undefined {
  if ('root' in settings) return resolve(projectRoot, settings.root);
  if (settings.type !== 'git') return undefined;
  const { name: source, repository } = settings;
  const address = parseGitAddress(repository, { source, baseFolder: projectRoot });
  return address.kind === 'folder' ? address.path : undefined;
}

/** A file or folder as a source of files, named by its place so that the next run recognises it. */
export async function pathSource(
  path: string,
  config: ResolvedConfig,
  cwd: string,
): Promise<ConfiguredSource> {
  const absolute = resolve(cwd, path);
  const source = createFilesSource({
    name: pathSourceName(absolute, config),
    root: absolute,
    maxFileBytes: config.rag.limits.maxFileBytes,
  });
  return assembleSource(
    { source, sourceType: 'files', root: absolute, chunking: config.rag.chunking, settings: {} },
    config,
  );
}

function pathSourceName(absolute: string, { projectRoot }: ResolvedConfig): string {
  const inside = relative(projectRoot, absolute);
  const isInside = inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  return PATH_PREFIX + (isInside ? inside.split(sep).join('/') || '.' : absolute);
}

/** Whether a source is a file or folder that a call named. */
export const isPathSource = (name: string): boolean => name.startsWith(PATH_PREFIX);

/** The path sources of earlier runs among these names. */
export function rememberedPaths(sourceNames: Iterable<string>, { projectRoot }: ResolvedConfig): string[] {
  return [...sourceNames]
    .filter(isPathSource)
    .map((name) => resolve(projectRoot, name.slice(PATH_PREFIX.length)));
}

/** Documents that the caller hands in or takes back. */
export async function pushedSource(
  {
    documents,
    deleted = [],
  }: { readonly documents: readonly PushedDocument[]; readonly deleted?: readonly string[] | undefined },
  config: ResolvedConfig,
): Promise<ConfiguredSource> {
  const source = createPushSource({ name: PUSH_SOURCE, documents, deleted, listing: 'incremental' });
  return assembleSource(
    { source, sourceType: 'document', chunking: config.rag.chunking, settings: {} },
    config,
  );
}

/** Refuses a name that is not configured, naming those that are. */
export function selectSources(
  all: readonly ConfiguredSource[],
  names: readonly string[] | undefined,
): ConfiguredSource[] {
  if (names === undefined) return [...all];
  return names.map((name) => {
    const found = all.find(({ source }) => source.name === name);
    if (found !== undefined) return found;
    const known = all.map(({ source }) => source.name).join(', ') || 'none';
    throw new RAGError(
      'USAGE',
      `There is no enabled source "${name}" in the configuration. Enabled sources: ${known}.`,
    );
  });
}

async function assembleSource(parts: SourceParts, config: ResolvedConfig): Promise<ConfiguredSource> {
  const { source, sourceType, root, chunking, frontmatterFields, settings } = parts;
  const tokenizer = await loadBuiltinTokenizer();
  const protection = await createDocumentProtection(config);
  const parserOptions = frontmatterFields === undefined ? {} : { frontmatterFields };
  const { limits } = config.rag;
  return {
    source,
    sourceType,
    ...(root === undefined ? {} : { root }),
    metadata: { sourceType },
    chunker: createChunker(chunking, tokenizer.measure),
    parsers: isolateParsers(createParsers(parserOptions), parserOptions, {
      timeoutMs: limits.parseTimeoutMs,
      memoryMb: limits.parseMemoryMb,
    }),
    ...(protection === undefined ? {} : { protection }),
    processingKey: processingKeyOf({
      versions: [PARSING_VERSION, CHUNKING_VERSION, ANALYSIS_VERSION],
      chunking,
      frontmatterFields,
      sourceType,
      settings,
      ...contextualKey(config),
      // Nothing where it is off, so that indexes made without it stay as they are.
      ...(protection === undefined ? {} : { protection: protection.key }),
    }),
  };
}

/** Nothing where contexts are off, so that indexes made without them stay as they are. */
function contextualKey({ rag }: ResolvedConfig): { readonly contextual?: readonly unknown[] } {
  const { enabled, model = rag.chat.model, maxDocumentTokens } = rag.indexing.contextual;
  return enabled ? { contextual: [CONTEXT_PROMPT_VERSION, model, maxDocumentTokens] } : {};
}
