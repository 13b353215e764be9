import type { Metadata, MetadataValue } from './metadata.js';

/** Names under which documents state their tags, in whatever letters. */
const TAG_FIELDS: ReadonlySet<string> = new Set(['tags', 'tag']);

/** The field by which tags are filtered. */
export const TAGS_FIELD = 'tags';

/** Whether a field of this name holds the tags of a document. */
export const isTagField = (name: string): boolean => TAG_FIELDS.has(name.toLowerCase());

const KEY = 'tag:';

/** What stands among the identifiers of a chunk whose document has the tag, however it is written: no text has it. */
export const tagKey = (tag: string): string => KEY + plainTag(tag);

export const isTagKey = (identifier: string): boolean => identifier.startsWith(KEY);

const plainTag = (tag: string): string => tag.trim().replace(/^#+/, '').toLowerCase().normalize('NFC');

/**
 * Keys of the tags that metadata states, by itself or in a table of it (`[taxonomies]`): a list of texts or of objects with a name, or a text with commas, semicolons, blanks or hashes between them. Of a text that has only
 * blanks between its words both the whole and each word is a tag; of `a/b` also `a`.
 */
export function tagKeys(metadata: Metadata): string[] {
  const tables = Object.entries(metadata).flatMap(([name, value]) =>
    !isTagField(name) && isMapping(value) ? [value] : [],
  );
  const stated = [metadata, ...tables].flatMap(statedIn);
  const nested = stated.flatMap((tag) =>
    tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')),
  );
  return [...new Set(nested.map(tagKey))].filter((key) => key !== KEY).slice(0, MOST);
}

/** A document with more is a list of words. */
const MOST = 100;

const statedIn = (metadata: Metadata): string[] =>
  Object.entries(metadata).flatMap(([name, value]) => (isTagField(name) ? tagsIn(value) : []));

/** What tags that are objects are called by, the first that is there. */
const NAMES = ['name', 'title', 'label', 'tag', 'slug', 'value', 'id'];

function tagsIn(value: MetadataValue): string[] {
  if (Array.isArray(value))
    return value.flatMap((item: MetadataValue) =>
      isScalar(item) ? [String(item)] : isMapping(item) ? nameIn(item) : [],
    );
  if (isMapping(value)) return nameIn(value);
  if (!isScalar(value)) return [];
  const text = String(value);
  if (/[,;]/.test(text)) return text.split(/[,;]/);
  return text.includes('#') ? text.split(/[\s#]+/) : [text, ...text.split(/\s+/)];
}

function nameIn(tag: Metadata): string[] {
  const fields = new Map(Object.entries(tag).map(([name, value]) => [name.toLowerCase(), value]));
  const name = NAMES.map((field) => fields.get(field)).find(
    (value) => value !== undefined && isScalar(value),
  );
  return name === undefined ? [] : [String(name)];
}

const isMapping = (value: MetadataValue): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isScalar = (value: MetadataValue): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
