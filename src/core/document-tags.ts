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
 * Keys of the tags that metadata states: a list, or a text with commas, semicolons, blanks or hashes between them. Of a text that has only
 * blanks between its words both the whole and each word is a tag; of `a/b` also `a`.
 */
export function tagKeys(metadata: Metadata): string[] {
  const stated = Object.entries(metadata).flatMap(([name, value]) => (isTagField(name) ? tagsIn(value) : []));
  const nested = stated.flatMap((tag) =>
    tag.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')),
  );
  return [...new Set(nested.map(tagKey))].filter((key) => key !== KEY).slice(0, MOST);
}

/** A document with more is a list of words. */
const MOST = 100;

function tagsIn(value: MetadataValue): string[] {
  if (Array.isArray(value))
    return value.flatMap((item: MetadataValue) => (isScalar(item) ? [String(item)] : []));
  if (!isScalar(value)) return [];
  const text = String(value);
  if (/[,;]/.test(text)) return text.split(/[,;]/);
  return text.includes('#') ? text.split(/[\s#]+/) : [text, ...text.split(/\s+/)];
}

const isScalar = (value: MetadataValue): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
