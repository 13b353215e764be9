import { PBI_MEDIA_TYPE, type RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { lookupPath } from '../../core/filter.js';
import { isMarkedName, type Metadata, type MetadataValue } from '../../core/metadata.js';
import type { AccessControl } from '../../core/scope.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { isoTime } from '../text-values.js';
import { fieldOf, type JsonObject } from './pbi-schema.js';

/** Copies a field of the PBI into the metadata. */
export interface MetadataExtractor {
  /** Name or dotted path inside the PBI. */
  readonly field: string;
  /** Key in the metadata. */
  readonly to: string;
}

/** Identity, time and quality of a PBI, whatever else is extracted: by its id an item is told from others like it. */
export const DEFAULT_PBI_EXTRACTORS: readonly MetadataExtractor[] = [
  { field: 'id', to: 'pbi_id' },
  { field: 'created_at', to: 'timestamp' },
  { field: 'confidence_score', to: 'quality_score' },
];

/** What a PBI's document takes from its file and its source. */
export interface PbiContext {
  readonly externalId: string;
  /** Beside {@link DEFAULT_PBI_EXTRACTORS}; one with the same `to` replaces that of them. */
  readonly extractors: readonly MetadataExtractor[];
  /** Fields of the metadata that stand in no text. */
  readonly markedFields: readonly string[];
  readonly metadata: Metadata;
  readonly access: AccessControl;
}

/**
 * A PBI that satisfies its schema, as a document. It has the dates that it states and no others: those of its file change for all of them when
 * one line is added.
 */
export function toPbiDocument(pbi: JsonObject, context: PbiContext): RawDocument {
  const shown = withoutMarked(pbi, context);
  const title = fieldOf(shown, 'title');
  const url = fieldOf(shown, 'url');
  const createdAt = dateOf(fieldOf(shown, 'created_at'));
  const updatedAt = dateOf(fieldOf(shown, 'updated_at'));
  return {
    externalId: context.externalId,
    mediaType: PBI_MEDIA_TYPE,
    content: JSON.stringify(shown),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof url === 'string' && /^https?:\/\//i.test(url) ? { url } : {}),
    ...withoutUndefined({ createdAt, updatedAt }),
    metadata: extractMetadata(pbi, context),
    access: context.access,
  };
}

type Marking = Pick<PbiContext, 'extractors' | 'markedFields'>;

/** Paths of what a marked field of the metadata is taken from. */
const sourcesOfMarked = ({ extractors, markedFields }: Marking): string[] =>
  allExtractors(extractors).flatMap(({ field, to }) => (isMarkedName(to, markedFields) ? [field] : []));

/** An item without the fields, whole ones, that a marked field of the metadata is taken from. */
function withoutMarked(pbi: JsonObject, context: PbiContext): JsonObject {
  const sources = sourcesOfMarked(context).flatMap((field) => [field.split('.')[0] ?? field, field]);
  const marked = [...context.markedFields, ...sources];
  return Object.fromEntries(Object.entries(pbi).filter(([name]) => !isMarkedName(name, marked)));
}

/**
 * Refuses to copy what is encrypted, a part of it or what it is a part of under a name that is not encrypted.
 *
 * @throws RAGError `CONFIG_INVALID`
 */
export function assertMarkedNames(source: string, { extractors, markedFields }: Marking): void {
  const sources = sourcesOfMarked({ extractors, markedFields });
  const isOfMarked = (path: string): boolean =>
    isMarkedName(path, markedFields) ||
    sources.some(
      (marked) => path === marked || path.startsWith(`${marked}.`) || marked.startsWith(`${path}.`),
    );
  const found = allExtractors(extractors).find(
    ({ field, to }) => isOfMarked(field) && !isMarkedName(to, markedFields),
  );
  if (found === undefined) return;
  const { field, to } = found;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": the field "${field}" of a work item is, holds or is in one that is encrypted (\`rag.security.encryption.fields\`), and becomes metadata under the name "${to}", which is not. ${to === 'pbi_id' ? 'By its id an item is told from others: take the encrypted field from elsewhere.' : `Encrypt "${to}" too, or take the field from that name.`}`,
    { details: { source, key: 'metadata.extractors' } },
  );
}

function allExtractors(extractors: readonly MetadataExtractor[]): readonly MetadataExtractor[] {
  const own = new Set(extractors.map(({ to }) => to));
  return [...DEFAULT_PBI_EXTRACTORS.filter(({ to }) => !own.has(to)), ...extractors];
}

// Built from entries: an extractor's target named `__proto__` becomes a key and touches no prototype.
function extractMetadata(pbi: JsonObject, { extractors, metadata }: PbiContext): Metadata {
  const extracted = allExtractors(extractors).flatMap(({ field, to }): [string, MetadataValue][] => {
    const value = lookupPath(pbi, field);
    return value === undefined || value === null ? [] : [[to, value]];
  });
  return Object.fromEntries([...Object.entries(metadata), ...extracted]);
}

// Only ISO-8601 dates: other forms mean different days to different readers.
const dateOf = (value: MetadataValue | undefined): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value) ? isoTime(value) : undefined;
