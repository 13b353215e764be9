import type { Metadata, MetadataValue } from '../../../core/metadata.js';
import type { GraphReference } from '../graph.js';
import { keyName, numberName, pathName, resolvePath, urlName, WHOLE_KEY } from '../names.js';

/** Metadata fields whose values name other items, as trackers and their exports call them; compared without case, `_` and `-`. */
const FIELDS: ReadonlySet<string> = new Set([
  'parent',
  'parentid',
  'epic',
  'epicid',
  'epiclink',
  'children',
  'links',
  'issuelinks',
  'relations',
  'related',
  'relatedto',
  'relateditems',
  'dependson',
  'dependencies',
  'blocks',
  'blockedby',
  'duplicates',
  'duplicateof',
  'supersedes',
  'supersededby',
]);

/** Fields of an object that says more than whose item it is. */
const IDS = ['key', 'id', 'target', 'url', 'path'];

/** Items that metadata names as related: by key, number, path or address. */
export function relationsOf(
  metadata: Metadata,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const values = Object.entries(metadata).flatMap(([field, value]) =>
    FIELDS.has(field.toLowerCase().replace(/[_-]/g, '')) ? identitiesIn(value) : [],
  );
  return values
    .flatMap((value) => namesOf(value.trim(), { source, path }))
    .map((target) => ({ kind: 'relation', target }));
}

function identitiesIn(value: MetadataValue): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((entry: MetadataValue) => identitiesIn(entry));
  if (typeof value !== 'object' || value === null) return [];
  const entries = value as Metadata;
  return IDS.flatMap((id) => (entries[id] === undefined ? [] : identitiesIn(entries[id])));
}

function namesOf(
  value: string,
  { source, path }: { readonly source: string; readonly path: string },
): string[] {
  if (WHOLE_KEY.test(value)) return [keyName(value), pathName(source, value)];
  const number = /^#?(\d{1,9})$/.exec(value)?.[1];
  if (number !== undefined) return [numberName(source, number)];
  const url = urlName(value);
  if (url !== undefined) return [url];
  const resolved = value === '' || value.length > 300 ? undefined : resolvePath(path, value);
  // An id as it is, and a path beside the document.
  return resolved === undefined ? [] : [...new Set([pathName(source, value), pathName(source, resolved)])];
}
