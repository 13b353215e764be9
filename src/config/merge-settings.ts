import { isRecord } from './config-path.js';

const ROOT_KEYS = ['rag', 'rag_embedding_model', 'rag_top_k'];

/** An object given by a caller as a whole file: with `rag` at its root, whether or not the caller wrote it. */
export function nestUnderRag(config: object): object {
  return ROOT_KEYS.some((key) => Object.hasOwn(config, key)) ? config : { rag: config };
}

/** `upper` over `lower`, block by block; lists and single values are replaced whole. Neither is changed. */
export function mergeSettings(lower: unknown, upper: unknown): unknown {
  if (upper === undefined) return lower;
  if (!isRecord(lower) || !isRecord(upper)) return upper;
  const merged: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(upper))
    merged[key] = mergeSettings(Object.hasOwn(lower, key) ? lower[key] : undefined, value);
  return merged;
}
