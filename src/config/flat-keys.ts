import { type ConfigPath, formatPath, isRecord, valueAt } from './config-path.js';
import type { ConfigProblem } from './validate-tree.js';

/** Settings that stand at the root of a file, and the settings they are other spellings of. */
const FLAT_KEYS: Readonly<Record<string, ConfigPath>> = {
  rag_embedding_model: ['rag', 'embedding', 'model'],
  rag_top_k: ['rag', 'retrieval', 'topK'],
};

/** The usual path of a setting that may be written under a flat key. */
export const canonicalPath = (path: ConfigPath): ConfigPath =>
  (path.length === 1 && FLAT_KEYS[String(path[0])]) || path;

/** Both spellings of one setting: which of them holds would be a guess. */
export function findFlatKeyConflicts(tree: unknown): ConfigProblem[] {
  return Object.entries(FLAT_KEYS).flatMap(([flat, path]): ConfigProblem[] =>
    valueAt(tree, [flat]) !== undefined && valueAt(tree, path) !== undefined
      ? [
          {
            path: [flat],
            target: 'key',
            problem: `"${flat}" and "${formatPath(path)}" are the same setting; keep one.`,
          },
        ]
      : [],
  );
}

/** A tree without the flat keys whose setting `overrides` state. */
export function dropOverriddenFlatKeys(tree: unknown, overrides: unknown): unknown {
  if (!isRecord(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).filter(([key]) => {
      const path = Object.hasOwn(FLAT_KEYS, key) ? FLAT_KEYS[key] : undefined;
      return path === undefined || valueAt(overrides, path) === undefined;
    }),
  );
}
