import type { Block, ParsedDocument } from '../core/document.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';

/**
 * A parsed document without half surrogate pairs, which JSON can smuggle in and no store can keep: each becomes U+FFFD. Both
 * are one UTF-16 unit, so no offset moves.
 */
export function wellFormed(document: ParsedDocument): ParsedDocument {
  const repaired: ParsedDocument = {
    ...document,
    text: document.text.toWellFormed(),
    ...(document.title === undefined ? {} : { title: document.title.toWellFormed() }),
    metadata: wellFormedMetadata(document.metadata),
  };
  if (repaired.text === document.text) return repaired;
  const warning = 'Characters that are half of a surrogate pair were replaced by U+FFFD.';
  return {
    ...repaired,
    blocks: document.blocks.map(wellFormedBlock),
    warnings: [...document.warnings, warning],
  };
}

const wellFormedBlock = (block: Block): Block => ({
  ...block,
  ...(block.label === undefined ? {} : { label: block.label.toWellFormed() }),
  ...(block.context === undefined ? {} : { context: block.context.toWellFormed() }),
});

/** The same for keys and values of metadata. */
export function wellFormedMetadata(metadata: Metadata): Metadata {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key.toWellFormed(), wellFormedValue(value)]),
  );
}

function wellFormedValue(value: MetadataValue): MetadataValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedValue);
  return typeof value === 'object' && value !== null ? wellFormedMetadata(value as Metadata) : value;
}
