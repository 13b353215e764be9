import { isSecretKey, MASK, Secret } from '../core/secret.js';
import { formatPath, leavesOf } from './config-path.js';
import { maskUrlCredentials } from './mask-url.js';
import { originOf, type ResolvedConfig, type ValueOrigin } from './resolved-config.js';

/** One setting as `config show` prints it. */
export interface DescribedSetting {
  readonly key: string;
  /** Masked where it is a secret. */
  readonly value: unknown;
  readonly origin: 'default' | 'file' | 'environment' | 'option';
  /** `ragstone.yaml:6:11`, or the names of variables. */
  readonly detail?: string;
}

/** A configuration for people: safe to print and to send. */
export interface ConfigDescription {
  readonly file: string | null;
  readonly projectRoot: string;
  readonly dataDir: string;
  readonly settings: readonly DescribedSetting[];
}

/** Every setting that is in force, with its origin; secrets are masked. */
export function describeConfig(config: ResolvedConfig): ConfigDescription {
  const settings = [...leavesOf(config.rag, ['rag'])].map(([path, value]): DescribedSetting => {
    const key = formatPath(path);
    const origin = originOf(config, key);
    const detail = detailOf(origin, config.file);
    return {
      key,
      value: masked(String(path.at(-1)), value),
      origin: origin.kind,
      ...(detail === undefined ? {} : { detail }),
    };
  });
  return { file: config.file ?? null, projectRoot: config.projectRoot, dataDir: config.dataDir, settings };
}

function masked(key: string, value: unknown): unknown {
  // What names a secret is none.
  if (value instanceof Secret && value.reference !== undefined) return value.reference;
  if (value instanceof Secret || (isSecretKey(key) && value !== undefined)) return MASK;
  if (typeof value === 'string') return maskUrlCredentials(value);
  return Array.isArray(value) ? value.map((item: unknown) => masked('', item)) : value;
}

function detailOf(origin: ValueOrigin, file: string | undefined): string | undefined {
  if (origin.kind === 'environment') return origin.variables.join(', ');
  if (origin.kind !== 'file') return undefined;
  const { position, defaulted } = origin;
  const place = position === undefined ? undefined : `${file ?? ''}:${position.line}:${position.column}`;
  return defaulted === undefined ? place : `${place}, ${defaulted.join(', ')} not set`;
}
