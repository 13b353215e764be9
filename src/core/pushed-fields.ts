import { ENGINE_KEYS } from './chunk-metadata.js';
import { type Filter, not, or } from './filter.js';
import type { Metadata, MetadataValue } from './metadata.js';

/** What the service hands the metadata of a request over as, and what indexes of earlier versions keep it under. */
export const FOLDED_KEY = 'knowledgeMetadata';
/** Keeps what of it cannot be a field: a text that is no JSON object, and names that mean something else. */
export const UNLIFTED_KEY = 'knowledgeRest';

/** Names that stand for something else beside the metadata of a request. */
export const TAKEN_NAMES: ReadonlySet<string> = new Set([
  ...ENGINE_KEYS,
  ...['title', 'source', 'sourceType', 'createdAt', 'updatedAt', 'url', 'tags'],
  ...[FOLDED_KEY, UNLIFTED_KEY, 'knowledgeId', 'knowledgePosition', 'knowledgeCount', 'knowledgeName'],
  'sourceDocumentId',
]);

const isTakenName = (name: string): boolean => TAKEN_NAMES.has(name) || name.startsWith('$');

/** Whether fields lie under `knowledgeMetadata`, where nobody looks for them. */
export const isFolded = (metadata: Metadata): boolean => Object.hasOwn(metadata, FOLDED_KEY);

/**
 * Metadata whose fields have the names that callers gave them: those that lie under `knowledgeMetadata`, as an object or its JSON, become fields
 * of their own. What is under a name that means something else stays beside them.
 */
export function liftFields(metadata: Metadata): Metadata {
  if (!isFolded(metadata)) return metadata;
  const { [FOLDED_KEY]: folded = null, ...own } = metadata;
  const fields = fieldsIn(folded);
  if (fields === undefined) return folded === null ? own : { ...own, [UNLIFTED_KEY]: folded };
  // What stands beside it under the same name goes before it: of two values one would be a field of no name.
  const entries = Object.entries(liftFields(fields)).filter(
    ([name]) => !Object.hasOwn(own, name) || isTakenName(name),
  );
  const lifted = Object.fromEntries(entries.filter(([name]) => !isTakenName(name)));
  const rest = Object.fromEntries(entries.filter(([name]) => isTakenName(name)));
  // A text is given back as one.
  if (typeof folded === 'string') return { ...own, ...lifted, [UNLIFTED_KEY]: JSON.stringify(rest) };
  return Object.keys(rest).length === 0 ? { ...own, ...lifted } : { ...own, ...lifted, [UNLIFTED_KEY]: rest };
}

function fieldsIn(value: MetadataValue): Metadata | undefined {
  if (typeof value === 'object')
    return value === null || Array.isArray(value) ? undefined : (value as Metadata);
  const text = typeof value === 'string' ? value.trim() : '';
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Metadata;
  } catch {
    return undefined;
  }
}

/** What documents have of their own, and callers write into metadata all the same. */
const OWN_NAMES: ReadonlySet<string> = new Set(['title', 'source']);

/**
 * A filter with every field under the name that it is kept under: `knowledgeMetadata.team` is `team`. A title or source is the document's own, or
 * the one that stands in the metadata of a request.
 */
export const withoutFolded = (filter: Filter): Filter =>
  mapFields(filter, (condition) => {
    const field = liftedName(condition.field);
    const kept = { ...condition, field };
    return OWN_NAMES.has(rootOf(field)) ? or(kept, { ...kept, field: `${UNLIFTED_KEY}.${field}` }) : kept;
  });

const rootOf = (field: string): string => field.split('.', 1)[0] ?? '';

function liftedName(field: string): string {
  const [root = '', ...path] = field.split('.');
  if (root !== FOLDED_KEY || path.length === 0) return field;
  const inside = liftedName(path.join('.'));
  return isTakenName(path[0] ?? '') && inside === path.join('.') ? `${UNLIFTED_KEY}.${inside}` : inside;
}

/** A filter that finds fields under the names of callers in documents of earlier versions, too. */
export const withFolded = (filter: Filter): Filter =>
  mapFields(filter, (condition) => {
    const [root = '', ...path] = condition.field.split('.');
    if (root === UNLIFTED_KEY && path.length > 0)
      return or(condition, { ...condition, field: `${FOLDED_KEY}.${path.join('.')}` });
    return isTakenName(root)
      ? condition
      : or(condition, { ...condition, field: `${FOLDED_KEY}.${condition.field}` });
  });

/** Whether a filter compares a field that callers name. */
export function comparesCallersField(filter: Filter): boolean {
  if ('filters' in filter) return filter.filters.some(comparesCallersField);
  if ('filter' in filter) return comparesCallersField(filter.filter);
  const root = rootOf(filter.field);
  return root === FOLDED_KEY || root === UNLIFTED_KEY || !isTakenName(root);
}

type Condition = Extract<Filter, { readonly field: string }>;

/** The filter with each of its comparisons changed. */
export function mapFields(filter: Filter, change: (condition: Condition) => Filter): Filter {
  if ('filters' in filter)
    return { op: filter.op, filters: filter.filters.map((inner) => mapFields(inner, change)) };
  return 'filter' in filter ? not(mapFields(filter.filter, change)) : change(filter);
}
