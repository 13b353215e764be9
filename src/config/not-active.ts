import { SOURCES } from '../sources/definitions.js';
import { STORES } from '../stores/definitions.js';
import type { StoreDefinition } from '../stores/store-definition.js';
import { type ConfigPath, formatPath, isRecord, valueAt } from './config-path.js';

/** A setting that is understood and has no effect in this version. */
export interface InactiveSetting {
  /** `rag.sources[0].watch` */
  readonly setting: string;
  readonly reason: string;
}

interface InactiveRule {
  /** Path below `rag`; `*` stands for every list position. */
  readonly path: ConfigPath;
  readonly reason: string | ((value: unknown, rag: unknown) => string);
  /** Whether the rule holds for a value that the configuration states; told the source that it is of. Default: it always does. */
  readonly when?: (value: unknown, rag: unknown, source: unknown) => boolean;
}

const isOn = (value: unknown): boolean => !(isRecord(value) && value.enabled === false) && value !== false;
const providerOf = (rag: unknown): unknown => valueAt(rag, ['provider']) ?? 'auto';

/** By its kind; where a repository is shows when it is opened. */
const isWatchable = (source: unknown): boolean =>
  SOURCES.some(({ type, ...definition }) => 'watched' in definition && type === valueAt(source, ['type'])) &&
  !/^(https|ssh):|@[^/]+:/.test(String(valueAt(source, ['repository']) ?? ''));

/** What this version accepts and does not do yet. A later version deletes lines here as it learns. */
const RULES: readonly InactiveRule[] = [
  {
    path: ['storage', 'local', 'type'],
    when: (value, rag) => value !== providerOf(rag),
    reason: (_, rag) => `only informs: rag.provider is "${String(providerOf(rag))}" and decides`,
  },
  {
    path: ['storage', 'server'],
    when: (_, rag) => !STORES.some(({ name, reads }) => name === providerOf(rag) && reads === 'server'),
    reason: (_, rag) => `read only for a store with a server; rag.provider is "${String(providerOf(rag))}"`,
  },
  {
    path: ['storage', 'cloud'],
    when: (value, rag) =>
      (valueAt(value, ['type']) ?? providerOf(rag)) !== providerOf(rag) ||
      !STORES.some((store: StoreDefinition) => store.name === providerOf(rag) && store.reads === 'cloud'),
    reason: (_, rag) => `read only for a hosted store; rag.provider is "${String(providerOf(rag))}"`,
  },
  {
    path: ['embedding', 'device'],
    when: (value, rag) =>
      value === 'cuda' && (valueAt(rag, ['embedding', 'model']) ?? 'builtin') === 'builtin',
    reason: 'the built-in model runs on the CPU',
  },
  {
    path: ['retrieval', 'maxDistance'],
    reason:
      'scores say how well a passage matches, not how distant it is; retrieval.minSimilarity is the threshold',
  },
  {
    path: ['sources', '*', 'watch'],
    when: (value, _, source) => isOn(value) && !isWatchable(source),
    reason:
      'only files and repositories of this machine can be watched; `updateSchedule` says when to read it',
  },
];

/** The settings of a configuration that have no effect in this version. Disabled sources count as one. */
export function listInactiveSettings(rag: unknown): InactiveSetting[] {
  const found: InactiveSetting[] = [];
  for (const [index, source] of sourcesOf(rag).entries())
    if (!isOn(source)) found.push({ setting: `rag.sources[${index}]`, reason: 'enabled is false' });
  for (const rule of RULES) {
    for (const path of expandPattern(rule.path, rag)) {
      const value = valueAt(rag, path);
      if (value === undefined || (rule.when && !rule.when(value, rag, valueAt(rag, path.slice(0, 2)))))
        continue;
      const reason = typeof rule.reason === 'string' ? rule.reason : rule.reason(value, rag);
      found.push({ setting: formatPath(['rag', ...path]), reason });
    }
  }
  return found;
}

const sourcesOf = (rag: unknown): readonly unknown[] => {
  const sources = valueAt(rag, ['sources']);
  return Array.isArray(sources) ? sources : [];
};

function expandPattern(pattern: ConfigPath, rag: unknown): ConfigPath[] {
  if (!pattern.includes('*')) return [pattern];
  return sourcesOf(rag).flatMap((source, index) =>
    isOn(source) ? [pattern.map((part) => (part === '*' ? index : part))] : [],
  );
}
