import { createHash } from 'node:crypto';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { Scope } from '../../core/scope.js';
import type { SearchQuery } from '../../operations/engine.js';

/** Of what is kept and how it is searched for; another number, and nothing that was kept before is found. */
const VERSION = 1;

/** What decides what a search answers. */
export interface CacheQuestion {
  /** See `Ledger.revision`. */
  readonly revision: string;
  /** See `settingsDigest`. */
  readonly settings: string;
  readonly scope: Scope;
  readonly query: SearchQuery;
}

/** Equal for searches that have the same answer, and different wherever anything differs that may change it. SHA-256, in hexadecimal. */
export const cacheKeyOf = (question: CacheQuestion): string => digestOf(plainTextOf(question));

/** Equal for searches that have the same answer where their texts mean the same: all of `cacheKeyOf` but the text. */
export const groupKeyOf = ({ query, ...question }: CacheQuestion): string =>
  cacheKeyOf({ ...question, query: { ...query, text: '' } });

/** What `cacheKeyOf` is the digest of. */
export function plainTextOf({ revision, settings, scope, query }: CacheQuestion): string {
  const { signal: _, topK, options = {}, ...asked } = query;
  // How passages are shown is decided after they are found.
  const { includeMetadata: _shown, explainScore: _explained, ...rest } = options;
  const { tenant, project, groups, clearance } = scope;
  return textOf({
    version: VERSION,
    revision,
    settings,
    scope: { tenant, project, groups: [...new Set(groups)].sort(), clearance },
    query: { ...asked, options: { ...rest, topK: rest.topK ?? topK } },
  });
}

/** Of all settings by which passages are found. */
export function settingsDigest({ rag }: ResolvedConfig): string {
  const { cache: _, ...retrieval } = rag.retrieval;
  const { cache: _vectors, ...embedding } = rag.embedding;
  const { chat, modelProviders, chunking, provider, sources, security } = rag;
  const cut = sources.map((source) => source.chunking);
  const { fields, keys } = security.encryption;
  return digestOf(
    textOf({
      ...{ retrieval, embedding, chat, modelProviders, chunking, cut, provider },
      encryption: { fields, keys: keys.map(({ id }) => id) },
    }),
  );
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A text for every value, another one for each: lists keep their order, keys of objects have none, and what is absent is left out. */
function textOf(value: unknown): string {
  if (value instanceof Date) return `d${value.getTime()}`;
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${textOf(part)}`).join(',')}}`;
}
