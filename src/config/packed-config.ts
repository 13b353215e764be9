import { Secret } from '../core/secret.js';
import type { Plugins } from './plugins.js';
import type { ResolvedConfig } from './resolved-config.js';

/** A secret of a packed configuration. */
interface PackedSecret {
  readonly packedSecret: string;
}

/**
 * A configuration as another process of ours is sent it: plain data, secrets with their values. It goes through a pipe between the two and
 * nowhere else; never write or log it.
 */
export type PackedConfig = Readonly<Record<string, unknown>>;

/** Parts that have no say in what is found. */
const ONLY_INDEXING: ReadonlySet<string> = new Set<keyof Plugins>([
  'sources',
  'chunkers',
  'parsers',
  'queue',
]);

/** Undefined for a configuration that searches by what only this process has: objects and functions of the caller. */
export function packConfig({
  own,
  secretResolvers,
  unset: _,
  environment,
  fileKey,
  ...rest
}: ResolvedConfig): PackedConfig | undefined {
  if (fileKey !== undefined) return undefined;
  if (secretResolvers !== undefined && secretResolvers.length > 0) return undefined;
  const parts = Object.entries(own ?? {}).filter(
    ([name, part]) => part !== undefined && !ONLY_INDEXING.has(name),
  );
  if (parts.length > 0) return undefined;
  return { ...(packed(rest) as PackedConfig), environment: { ...environment } };
}

export const unpackConfig = (config: PackedConfig): ResolvedConfig => unpacked(config) as ResolvedConfig;

function packed(value: unknown): unknown {
  if (value instanceof Secret)
    return { packedSecret: value.reference ?? value.reveal() } satisfies PackedSecret;
  if (value instanceof Map) return new Map(value);
  if (Array.isArray(value)) return value.map(packed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, packed(part)]));
}

function unpacked(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Map) return value;
  if (Array.isArray(value)) return value.map(unpacked);
  if (isPackedSecret(value)) return new Secret(value.packedSecret);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpacked(part)]));
}

const isPackedSecret = (value: object): value is PackedSecret =>
  'packedSecret' in value && typeof value.packedSecret === 'string';
