import { RAGError } from '../core/errors.js';
import { isSecretKey } from '../core/secret.js';
import { STORES } from '../stores/definitions.js';
import type { StoreDefinition } from '../stores/store-definition.js';
import { type ConfigPath, formatPath, isRecord, valueAt } from './config-path.js';
import { type ConfigPlace, placePrefix } from './config-problems.js';
import type { ExpandedTree } from './expand-tree.js';

/** A part of the configuration that not every command uses: a source by its position, or the HTTP service. */
export type OwnPart = number | 'server';

/**
 * Refuses a value whose variable is not set, where the value is used. Nothing uses the settings of a disabled source, those of
 * a hosted store that `provider` does not name, nor those of a service with models that no model is taken from.
 *
 * @returns what to refuse where a source is opened or the service is started: a search does neither.
 * @throws RAGError `SECRET_MISSING` naming variable and key.
 */
export function refuseMissingVariables(
  tree: ExpandedTree,
  place: ConfigPlace,
): ReadonlyMap<OwnPart, RAGError> {
  const needed = tree.missing.filter(({ path }) => isUsed(path, tree.value));
  if (needed.some(({ path }) => partOf(path) === undefined)) throw missingError(needed, place);
  const parts = new Set(needed.flatMap(({ path }) => partOf(path) ?? []));
  return new Map(
    [...parts].map((part) => {
      const own = needed.filter(({ path }) => partOf(path) === part);
      return [part, missingError(own, place)];
    }),
  );
}

type Missing = ExpandedTree['missing'][number];

function partOf([rag, area, index]: ConfigPath): OwnPart | undefined {
  if (rag !== 'rag') return undefined;
  if (area === 'server') return area;
  return area === 'sources' && typeof index === 'number' ? index : undefined;
}

function missingError(needed: readonly Missing[], place: ConfigPlace): RAGError {
  const lines = needed.map(({ path, variable, message }) => {
    const key = formatPath(path);
    const hint = isSecretKey(String(path.at(-1)))
      ? 'Set it in the environment.'
      : `Set it, or write a default: \${${variable}:-value}.`;
    const prefix = placePrefix({ path, target: 'value' }, place);
    return `${prefix}${key} needs the environment variable ${variable}, which is not set. ${message ?? hint}`;
  });
  const [first] = needed;
  return new RAGError('SECRET_MISSING', lines.join('\n'), {
    details: { variable: first?.variable ?? '', key: formatPath(first?.path ?? []), problems: lines },
  });
}

/**
 * The same settings with the text as it is written where a variable of a source is not set, so that the rest can be checked. Settings of a
 * service that cannot be started are left out.
 */
export function keepWritten(value: unknown, missing: readonly Missing[], written: unknown): unknown {
  const unset = missing.filter(({ path }) => partOf(path) !== undefined && isUsed(path, value));
  const kept = unset
    .filter(({ path }) => partOf(path) !== 'server')
    .reduce((tree, { path }) => withValue(tree, path, valueAt(written, path)), value);
  return unset.some(({ path }) => partOf(path) === 'server')
    ? withValue(kept, ['rag', 'server'], undefined)
    : kept;
}

function withValue(tree: unknown, [key, ...rest]: ConfigPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree)) return tree.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  return { ...(isRecord(tree) ? tree : {}), [key]: withValue(valueAt(tree, [key]), rest, value) };
}

/** Settings that name a model, perhaps a hosted one: `openai:text-embedding-3-small`. */
const MODEL_SETTINGS: readonly ConfigPath[] = [
  ['rag', 'chat', 'model'],
  ['rag', 'indexing', 'contextual', 'model'],
  ['rag', 'graph', 'extraction', 'model'],
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
    const type = valueAt(root, ['rag', 'storage', 'cloud', 'type']);
    const isHosted = STORES.some(
      (store: StoreDefinition) => store.name === provider && store.reads === 'cloud',
    );
    return provider !== undefined && (type === undefined ? isHosted : provider === type);
  }
  if (area === 'modelProviders') return MODEL_SETTINGS.some((place) => names(valueAt(root, place), part));
  if (area === 'sources' && typeof part === 'number') {
    const enabled = valueAt(root, ['rag', 'sources', part, 'enabled']);
    return !(enabled === false || String(enabled).trim().toLowerCase() === 'false');
  }
  return true;
}
