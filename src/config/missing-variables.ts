import { RAGError } from '../core/errors.js';
import { isSecretKey } from '../core/secret.js';
import { type ConfigPath, formatPath, valueAt } from './config-path.js';
import { type ConfigPlace, placePrefix } from './config-problems.js';
import type { ExpandedTree } from './expand-tree.js';

/**
 * Refuses a value whose variable is not set, where the value is used. Nothing uses the settings of a disabled source, those of
 * a hosted store that `provider` does not name, nor those of a service with models that no model is taken from.
 *
 * @throws RAGError `SECRET_MISSING` naming variable and key.
 */
export function refuseMissingVariables(tree: ExpandedTree, place: ConfigPlace): void {
  const needed = tree.missing.filter(({ path }) => isUsed(path, tree.value));
  const first = needed[0];
  if (first === undefined) return;
  const lines = needed.map(({ path, variable, message }) => {
    const key = formatPath(path);
    const hint = isSecretKey(String(path.at(-1)))
      ? 'Set it in the environment.'
      : `Set it, or write a default: \${${variable}:-value}.`;
    const prefix = placePrefix({ path, target: 'value' }, place);
    return `${prefix}${key} needs the environment variable ${variable}, which is not set. ${message ?? hint}`;
  });
  throw new RAGError('SECRET_MISSING', lines.join('\n'), {
    details: { variable: first.variable, key: formatPath(first.path), problems: lines },
  });
}

/** Settings that name a model, perhaps a hosted one: `openai:text-embedding-3-small`. */
const MODEL_SETTINGS: readonly ConfigPath[] = [
  ['rag', 'chat', 'model'],
  ['rag', 'indexing', 'contextual', 'model'],
  ['rag', 'embedding', 'model'],
  ['rag_embedding_model'],
  ['rag', 'retrieval', 'rerank', 'model'],
];

/** True also for `llm:openai:...`, a model in another role. */
const names = (model: unknown, provider: ConfigPath[number] | undefined): boolean =>
  typeof model === 'string' && `:${model}`.includes(`:${String(provider)}:`);

function isUsed(path: ConfigPath, root: unknown): boolean {
  const [rag, area, part] = path;
  if (rag !== 'rag') return true;
  if (area === 'storage' && part === 'cloud') {
    const provider = valueAt(root, ['rag', 'provider']);
    return provider !== undefined && provider === valueAt(root, ['rag', 'storage', 'cloud', 'type']);
  }
  if (area === 'modelProviders') return MODEL_SETTINGS.some((place) => names(valueAt(root, place), part));
  if (area === 'sources' && typeof part === 'number') {
    const enabled = valueAt(root, ['rag', 'sources', part, 'enabled']);
    return !(enabled === false || String(enabled).trim().toLowerCase() === 'false');
  }
  return true;
}
