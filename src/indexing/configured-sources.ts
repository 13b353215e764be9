import { resolve } from 'node:path';
import type { ChunkingOptions } from '../chunking/chunker.js';
import { CHUNKING_VERSION } from '../chunking/chunking-version.js';
import { CONTEXT_PROMPT_VERSION } from '../chunking/contextual/context-prompt.js';
import type { ResolvedConfig, ResolvedSource } from '../config/resolved-config.js';
import { resolveSecrets } from '../config/secret-resolver.js';
import { ANALYSIS_VERSION } from '../core/analysis/lexical-analyzer.js';
import { durationMs } from '../core/durations.js';
import { RAGError } from '../core/errors.js';
import { contentHash } from '../core/ids.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { PARSING_VERSION } from '../parsing/parsing-version.js';
import { installedOcr } from '../parsing/pdf/installed-ocr.js';
import { realPathOf } from '../platform/security/path-containment.js';
import { createSourcesFor } from '../resources/assembly/open-sources.js';
import { contextModelName } from '../resources/assembly/resolve-model.js';
import { protectionSettings } from '../resources/document-protection.js';
import { sourceDefinition } from '../sources/definitions.js';
import { maxBytesOf } from '../sources/file-types.js';
import { assertDistinct, createPushSource, type PushedDocument } from '../sources/push/push-source.js';
import type { Source } from '../sources/source.js';
import { isPathSource, pushSourceName } from './folder-names.js';
import { pathSourceName, unknownPlace } from './named-folders.js';
import type { PreparationRecipe } from './preparation/preparer.js';
import { retentionKey } from './retention.js';
import { rootOf } from './root-folder.js';
import type { ConfiguredSource, Retention } from './source-task.js';

/** The source as a project indexes it: its documents move there where another one indexed them before. */
export const inProject = (configured: ConfiguredSource, project: string | undefined): ConfiguredSource =>
  project === undefined
    ? configured
    : { ...configured, processingKey: contentHash(`${configured.processingKey} ${project}`).slice(0, 16) };

interface SourceParts {
  readonly source: Source;
  readonly sourceType: string;
  readonly root?: string | undefined;
  readonly retention?: Retention | undefined;
  readonly chunking: ChunkingOptions;
  readonly frontmatterFields?: readonly string[] | undefined;
  /** Everything else that changes what its documents become. */
  readonly settings: unknown;
  /** Of the source alone; what it leaves out is that of all. */
  readonly maxShrink?: number | undefined;
  readonly reconcileInterval?: string | undefined;
}

/** All enabled sources of the configuration. */
export async function configuredSources(config: ResolvedConfig): Promise<ConfiguredSource[]> {
  const setups = await createSourcesFor(config);
  return Promise.all(
    setups.map((setup) => {
      const settings = config.rag.sources.find(({ name }) => name === setup.source.name);
      const relevant = settings && {
        metadata: settings.metadata,
        type: settings.type,
        ...sourceDefinition(settings.type).processed?.(settings),
        ...retentionKey(settings.retention),
      };
      const root = settings === undefined ? undefined : rootOf(settings, config);
      const retention = settings?.retention;
      const parts = { ...setup, ...syncOf(settings), root, retention, settings: relevant ?? {} };
      return assembleSource(parts, config);
    }),
  );
}

const syncOf = (
  settings: ResolvedSource | undefined,
): Pick<ResolvedSource, 'maxShrink' | 'reconcileInterval'> => ({
  maxShrink: settings?.maxShrink,
  reconcileInterval: settings?.reconcileInterval,
});

/** A file or folder as a source of files, named by its real path so that each run recognises it, wherever it is made. */
export async function pathSource(
  path: string,
  config: ResolvedConfig,
  cwd: string,
): Promise<ConfiguredSource> {
  const real = realPathOf(resolve(cwd, path));
  const { createFilesSource } = await import('../sources/files/files-source.js');
  const source = createFilesSource({
    name: pathSourceName(real, config),
    root: real,
    isRealRoot: true,
    maxFileBytes: config.rag.limits.maxFileBytes,
  });
  return assembleSource(
    { source, sourceType: 'files', root: real, chunking: config.rag.chunking, settings: {} },
    config,
  );
}

/** A folder of earlier runs of which it is not known where it lies: reading it fails with what to do, and what is indexed of it is kept. */
export async function unplacedSource(name: string, config: ResolvedConfig): Promise<ConfiguredSource> {
  const fail = (): never => {
    throw new RAGError('SOURCE_NOT_FOUND', unknownPlace(name));
  };
  const source: Source = {
    name,
    type: 'files',
    listing: 'complete',
    list: async function* () {
      yield fail();
    },
    read: async () => fail(),
  };
  return assembleSource({ source, sourceType: 'files', chunking: config.rag.chunking, settings: {} }, config);
}

/** Where configured sources of files lie, named as a path source would be, so that an index may move with its project. */
export const placesOf = (
  sources: readonly ConfiguredSource[],
  config: ResolvedConfig,
): ReadonlyMap<string, string> =>
  new Map(
    sources.flatMap(({ source: { name }, root }) =>
      root === undefined || isPathSource(name) ? [] : [[name, pathSourceName(root, config)] as const],
    ),
  );

/** What a caller hands in or takes back. */
export interface PushedItems {
  readonly documents: readonly PushedDocument[];
  readonly deleted?: readonly string[] | undefined;
  readonly project: string | undefined;
}

/** Throws what a push is refused for as a whole: `DOCUMENT_TOO_LARGE`, and as `assertDistinct` does. */
export function assertPushable({ documents, deleted, project }: PushedItems, { rag }: ResolvedConfig): void {
  for (const { id, fileName, bytes } of documents) {
    const most = rag.limits.maxFileBytes ?? maxBytesOf(fileName ?? id);
    if (bytes !== undefined && bytes.length > most)
      throw new RAGError(
        'DOCUMENT_TOO_LARGE',
        `The document ${JSON.stringify(id)} has more bytes than limits.maxFileBytes (${most}).`,
      );
  }
  assertDistinct(pushSourceName(project), { documents, deleted });
}

/** Documents that the caller hands in or takes back. Throws as `assertPushable` does. */
export async function pushedSource(pushed: PushedItems, config: ResolvedConfig): Promise<ConfiguredSource> {
  assertPushable(pushed, config);
  const { documents, deleted, project } = pushed;
  const name = pushSourceName(project);
  const source = createPushSource({ name, documents, deleted, listing: 'incremental' });
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
  const { source, sourceType, root, retention, chunking, frontmatterFields, settings } = parts;
  // A search opens no source: what reads and parses is loaded with the first.
  const { openPreparation } = await import('./preparation/preparer.js');
  const { limits, indexing } = config.rag;
  await resolveSecrets(config.rag.security.encryption, ['rag', 'security', 'encryption'], config);
  const ocr = installedOcr();
  const recipe: PreparationRecipe = {
    chunking,
    parsing: {
      ...withoutUndefined({ frontmatterFields }),
      ...(ocr === undefined ? {} : { pdf: { ocr } }),
    },
    limits: { timeoutMs: limits.parseTimeoutMs, memoryMb: limits.parseMemoryMb },
    protection: protectionSettings(config),
  };
  const { chunkers = [], parsers = [] } = config.own ?? {};
  const chunker = chunkers.find(({ strategy }) => strategy === chunking.strategy);
  const preparation = await openPreparation(recipe, { chunker, parsers });
  const { protection } = preparation;
  return {
    source,
    sourceType,
    ...withoutUndefined({ root, retention }),
    metadata: { sourceType },
    maxShrink: parts.maxShrink ?? indexing.maxShrink,
    reconcileMs: durationMs(parts.reconcileInterval ?? indexing.reconcileInterval),
    preparation,
    // Objects cannot be sent to a thread.
    recipe: chunker === undefined ? recipe : undefined,
    formats: { parsers: preparation.parsers, ocr },
    ownMediaTypes: new Set(parsers.flatMap(({ mediaTypes }) => mediaTypes)),
    processingKey: processingKeyOf({
      versions: [PARSING_VERSION, CHUNKING_VERSION, ANALYSIS_VERSION],
      chunking,
      frontmatterFields,
      sourceType,
      settings,
      ...contextualKey(config),
      // Short fields are joined since then; other strategies are as they were.
      ...(chunking.strategy === 'pbi_aware' ? { fieldChunks: 2 } : {}),
      // Nothing where it is off, so that indexes made without it stay as they are.
      ...(protection === undefined ? {} : { protection: protection.key }),
      ...(chunker === undefined ? {} : { chunker: chunker.version ?? 0 }),
      ...(parsers.length === 0
        ? {}
        : { parsers: parsers.map(({ mediaTypes, version = 0 }) => [mediaTypes, version]) }),
    }),
  };
}

/** Nothing where contexts are off, so that indexes made without them stay as they are. */
function contextualKey(config: ResolvedConfig): { readonly contextual?: readonly unknown[] } {
  const { enabled, maxDocumentTokens } = config.rag.indexing.contextual;
  return enabled ? { contextual: [CONTEXT_PROMPT_VERSION, contextModelName(config), maxDocumentTokens] } : {};
}

/** A key over everything but the content that decides what an item becomes. */
const processingKeyOf = (parts: Readonly<Record<string, unknown>>): string =>
  contentHash(JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);
