import { ENGINE_KEYS } from '../core/chunk-metadata.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import { wellFormedMetadata } from './well-formed.js';

/** Metadata as it may be stored, and what was left out of it, in words for the user. */
export interface GatedMetadata {
  readonly metadata: Metadata;
  readonly warnings: readonly string[];
}

/** Names that reach the prototype of an object where somebody copies metadata key by key. */
const OF_PROTOTYPES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Where a person who follows a citation may be sent. */
const LINKED: ReadonlySet<string> = new Set(['http:', 'https:']);
const MOST_NAMES = 5;

/**
 * The one way by which what documents, servers and callers say of a document becomes metadata: front matter, fields, pushed
 * facts. What the engine writes itself cannot be set (`redactions`, `unread`, `gap`, and every name that begins with `$`, which names
 * system fields), nor what reaches a prototype; `url` is an address of the web or left out.
 */
export function gateMetadata(stated: Metadata): GatedMetadata {
  const refused = new Set<string>();
  const { url, ...rest } = withoutPrototypes(wellFormedMetadata(stated), refused);
  const entries = Object.entries(rest).filter(([key]) => {
    const isOurs = ENGINE_KEYS.has(key) || key.startsWith('$');
    if (isOurs) refused.add(key);
    return !isOurs;
  });
  const isLinked = isWebAddress(url);
  return {
    metadata: { ...Object.fromEntries(entries), ...(isLinked ? { url } : {}) },
    warnings: [
      ...(refused.size === 0 ? [] : [namesRefused([...refused])]),
      ...(url === undefined || url === null || isLinked ? [] : [URL_REFUSED]),
    ],
  };
}

function withoutPrototypes(metadata: Metadata, refused: Set<string>): Record<string, MetadataValue> {
  const entries = Object.entries(metadata).filter(([key]) => {
    const isRefused = OF_PROTOTYPES.has(key);
    if (isRefused) refused.add(key);
    return !isRefused;
  });
  return Object.fromEntries(entries.map(([key, value]) => [key, cleaned(value, refused)]));
}

function cleaned(value: MetadataValue, refused: Set<string>): MetadataValue {
  if (Array.isArray(value)) return value.map((item: MetadataValue) => cleaned(item, refused));
  return typeof value === 'object' && value !== null ? withoutPrototypes(value as Metadata, refused) : value;
}

function isWebAddress(value: MetadataValue | undefined): value is string {
  return typeof value === 'string' && URL.canParse(value) && LINKED.has(new URL(value).protocol);
}

function namesRefused(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, 40)));
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `Metadata that only Ragstone sets was left out: ${shown.join(', ')}${more}. Rename the fields to keep them.`;
}

const URL_REFUSED = 'The address in `url` was left out: it is no complete http or https address.';
