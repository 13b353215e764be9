import type { ChunkingOptions, ChunkingUnit } from '../chunking/chunker.js';
import type { ChunkingSettings } from './schema/chunking.js';

type Sizes = Pick<ChunkingOptions, 'minSize' | 'maxSize' | 'overlap'>;

// The tokens were chosen by measurement on questions and on the Chroma chunking set (docs/research/quality.md). The characters are those of configurations that were written before there was a unit.
const DEFAULT_SIZES: Readonly<Record<ChunkingUnit, Sizes>> = {
  tokens: { minSize: 160, maxSize: 320, overlap: 32 },
  characters: { minSize: 100, maxSize: 500, overlap: 50 },
};

const statesSize = ({ minSize, maxSize, overlap }: ChunkingSettings): boolean =>
  minSize !== undefined || maxSize !== undefined || overlap !== undefined;

/**
 * Chunking settings with their defaults: those of the shipped engine where nothing is stated, in tokens; characters where a
 * block states a size without a unit (as configurations did before there was one). Sizes that are not stated shrink with a
 * stated `maxSize`, so that a small one is not refused for a default.
 */
export function resolveChunking(settings: ChunkingSettings = {}): ChunkingOptions {
  const unit = settings.unit ?? (statesSize(settings) ? 'characters' : 'tokens');
  const defaults = DEFAULT_SIZES[unit];
  const maxSize =
    settings.maxSize ?? Math.max(defaults.maxSize, settings.minSize ?? 0, 2 * (settings.overlap ?? 0));
  return {
    strategy: settings.strategy ?? 'semantic',
    unit,
    minSize: settings.minSize ?? Math.min(defaults.minSize, Math.floor(maxSize / 4)),
    maxSize,
    overlap: settings.overlap ?? Math.min(defaults.overlap, Math.floor(maxSize / 8)),
    splitOn: settings.splitOn ?? ['\n\n', '\n', '. ', ', '],
    preserveWhitespace: settings.preserveWhitespace ?? false,
    preserveFields: settings.preserveFields ?? ['title', 'description', 'acceptance_criteria'],
    chunkByField: settings.chunkByField ?? false,
  };
}

/**
 * Chunking of one source: its own settings over the general ones. Sizes belong to their unit: a source that states another
 * unit inherits no sizes.
 */
export function resolveSourceChunking(
  general: ChunkingSettings | undefined,
  own: ChunkingSettings,
): ChunkingOptions {
  const generalUnit = general === undefined ? undefined : resolveChunking(general).unit;
  const ownUnit = own.unit ?? (statesSize(own) ? (general?.unit ?? 'characters') : generalUnit);
  const inherited: ChunkingSettings = { ...general };
  if (ownUnit !== generalUnit) {
    delete inherited.minSize;
    delete inherited.maxSize;
    delete inherited.overlap;
  }
  return resolveChunking({ ...inherited, ...own, ...(ownUnit === undefined ? {} : { unit: ownUnit }) });
}

/** What is wrong with a set of sizes, in words; undefined where they fit together. */
export function explainChunkingConflict({ minSize, maxSize, overlap }: ChunkingOptions): string | undefined {
  if (minSize > maxSize) return `minSize (${minSize}) must not be more than maxSize (${maxSize})`;
  if (overlap >= maxSize) return `overlap (${overlap}) must be less than maxSize (${maxSize})`;
  return undefined;
}
