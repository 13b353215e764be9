import { CHUNKING_STRATEGIES, type ChunkingOptions } from '../../chunking/chunker.js';
import type { ResolvedConfig, ResolvedSource } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { confinementOf } from '../../config/trust/source-reach.js';
import { RAGError } from '../../core/errors.js';
import { sourceDefinition } from '../../sources/definitions.js';
import type { Source } from '../../sources/source.js';

/** A source with what the pipeline needs to know about it beside its documents. */
export interface SourceSetup {
  readonly source: Source;
  /** What `filters.sourceType` compares: `metadata.sourceType` of the configuration, else the source type's own. */
  readonly sourceType: string;
  /** Complete options: the source's own over the general ones, with the source type's preferred strategy. */
  readonly chunking: ChunkingOptions;
  /** Front matter fields that become metadata; absent means all. */
  readonly frontmatterFields?: readonly string[] | undefined;
}

/**
 * Every enabled source, in the order of the configuration, then those that were handed in. Nothing is read yet.
 *
 * @throws RAGError `CONFIG_INVALID` or `SECRET_MISSING` naming a setting that is missing.
 */
export async function createSourcesFor(config: ResolvedConfig): Promise<SourceSetup[]> {
  const setups: SourceSetup[] = [];
  for (const [index, settings] of config.rag.sources.entries())
    if (settings.enabled) setups.push(await createSource(settings, `rag.sources[${index}]`, config));
  for (const source of config.own?.sources ?? [])
    setups.push({
      source,
      sourceType: source.type,
      chunking: preferredChunking(config.rag.chunking, source, config),
    });
  return setups;
}

/**
 * One source by its name, enabled or not. Nothing is read yet.
 *
 * @throws RAGError `USAGE` for a name that is not configured; `SECRET_MISSING`; `CONFIG_INVALID`.
 */
export async function createSourceNamed(name: string, config: ResolvedConfig): Promise<SourceSetup> {
  const index = config.rag.sources.findIndex((source) => source.name === name);
  const settings = config.rag.sources[index];
  if (settings === undefined)
    throw new RAGError('USAGE', `There is no source "${name}" in the configuration.`);
  return createSource(settings, `rag.sources[${index}]`, config);
}

async function createSource(
  settings: ResolvedSource,
  key: string,
  config: ResolvedConfig,
): Promise<SourceSetup> {
  const position = config.rag.sources.indexOf(settings);
  const unset = config.unset?.get(position);
  if (unset !== undefined) throw unset;
  await resolveSecrets(settings, ['rag', 'sources', position], config);
  const { projectRoot, dataDir, environment, rag } = config;
  const { maxFileBytes } = rag.limits;
  const definition = sourceDefinition(settings.type);
  const confinement = confinementOf(key, config);
  const markedFields = rag.security.encryption.fields;
  const context = { key, projectRoot, dataDir, environment, maxFileBytes, markedFields, confinement };
  const source = await definition.open(settings, context);
  const { sourceType } = settings.metadata;
  return {
    source,
    sourceType:
      typeof sourceType === 'string' ? sourceType : (definition.sourceType?.(settings) ?? settings.type),
    chunking: chunkingOf(settings, source, config),
    frontmatterFields: 'frontmatterFields' in settings ? settings.frontmatterFields : undefined,
  };
}

/** A stated strategy holds; else the source's preferred one. */
function chunkingOf(settings: ResolvedSource, source: Source, config: ResolvedConfig): ChunkingOptions {
  const chunking = settings.chunking ?? config.rag.chunking;
  const isStated = config.origins.has(
    `rag.sources[${config.rag.sources.indexOf(settings)}].chunking.strategy`,
  );
  return isStated ? chunking : preferredChunking(chunking, source, config);
}

/** A preferred strategy that nobody has is no wish. */
function preferredChunking(
  chunking: ChunkingOptions,
  { preferredChunking: wanted }: Source,
  { own }: ResolvedConfig,
): ChunkingOptions {
  const known = [...CHUNKING_STRATEGIES, ...(own?.chunkers ?? []).map(({ strategy }) => strategy)];
  return wanted !== undefined && known.includes(wanted) ? { ...chunking, strategy: wanted } : chunking;
}
