import type { Metadata, MetadataValue } from '../../../core/metadata.js';
import type { GraphReference } from '../graph.js';
import { commitName, componentName, personName } from '../names.js';

/** Metadata fields, compared without case, `_` and `-`. */
const PEOPLE: ReadonlySet<string> = new Set([
  'author',
  'authors',
  'assignee',
  'assignees',
  'assignedto',
  'owner',
  'owners',
  'reporter',
  'reviewer',
  'reviewers',
  'creator',
  'createdby',
]);
const COMPONENTS: ReadonlySet<string> = new Set(['component', 'components', 'area', 'module', 'service']);
/** Commits that changed a few files, as sources of Git state them. The last one (`commit`) may have changed all. */
const COMMITS = 'commits';

/** People, components and commits of a document, which it shares with others. */
export const sharedOf = (metadata: Metadata): GraphReference[] =>
  Object.entries(metadata).flatMap(([field, value]): GraphReference[] => {
    const name = field.toLowerCase().replace(/[_-]/g, '');
    if (PEOPLE.has(name))
      return labelsIn(value).map((label) => ({ kind: 'person', target: personName(label) }));
    if (COMPONENTS.has(name))
      return labelsIn(value).map((label) => ({ kind: 'component', target: componentName(label) }));
    if (name === COMMITS)
      return labelsIn(value).map((label) => ({ kind: 'commit', target: commitName(label) }));
    return [];
  });

function labelsIn(value: MetadataValue): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((entry: MetadataValue) => labelsIn(entry));
  if (typeof value !== 'object' || value === null) return [];
  const { name, displayName } = value as Metadata;
  return [name, displayName].flatMap((label) => (label === undefined ? [] : labelsIn(label)));
}
