import { RAGError } from '../../core/errors.js';
import { isList, ownElements, ownFields, plainCopy, type Refuse, reading } from '../../core/plain-copy.js';
import { type DocumentInput, docIdOf, type ScalarMetadata } from './models.js';

/** Documents of a search, at most. */
export const MAX_TOP_K = 100;
/** Longest id, in UTF-16 units: the shortest limit of any backend (512 bytes) in the worst encoding. */
const MAX_ID_LENGTH = 170;

const RESERVED_KEY = /^(\$|_ragstone)/;

/** A document that was checked. */
export interface ValidDocument {
  readonly docId: string;
  readonly content: string;
  readonly metadata: ScalarMetadata;
}

/** Copies, read once. Throws `DOCUMENT_INVALID`, naming what is wrong and never showing the text. */
export function validDocuments(given: readonly DocumentInput[]): ValidDocument[] {
  if (!isList(given)) throw refuseDocument('', 'one of a list of documents');
  return ownElements(given, refuseDocument).map(validDocument);
}

function validDocument(input: DocumentInput): ValidDocument {
  const fields = reading([], refuseDocument, () => ({
    id: docIdOf(input),
    content: input.content,
    metadata: input.metadata,
  }));
  const docId = validDocId(fields.id);
  const { content } = fields;
  if (typeof content !== 'string' || content.trim() === '')
    throw invalid(docId, 'its content is not a text with at least one character that is not white space');
  if (!content.isWellFormed() || content.includes('\0'))
    throw invalid(docId, 'its content holds half a surrogate pair or a NUL character');
  const metadata = plainCopy(fields.metadata ?? {}, refuseDocument);
  const fault = scalarsFault(metadata);
  if (fault !== undefined) throw invalid(docId, `its metadata ${fault}`);
  return { docId, content, metadata };
}

/** Throws `DOCUMENT_INVALID` for an id that no document can have. */
export function validDocId(docId: unknown): string {
  if (typeof docId === 'string' && docId !== '' && docId.length <= MAX_ID_LENGTH && docId.isWellFormed())
    return docId;
  throw new RAGError(
    'DOCUMENT_INVALID',
    `A document id is a text of 1 to ${MAX_ID_LENGTH} characters without half a surrogate pair.`,
  );
}

/** Throws `QUERY_INVALID` unless it is an integer from 1 to `MAX_TOP_K`. */
export function validTopK(topK: unknown): number {
  if (typeof topK === 'number' && Number.isInteger(topK) && topK >= 1 && topK <= MAX_TOP_K) return topK;
  throw new RAGError(
    'QUERY_INVALID',
    `top_k is an integer from 1 to ${MAX_TOP_K}, not ${typeof topK === 'number' ? topK : `of type ${typeof topK}`}.`,
  );
}

const SEARCH_OPTIONS: ReadonlySet<string> = new Set(['query', 'topK', 'top_k', 'filters']);

/** A copy, read once. Throws `QUERY_INVALID` for a name that is none of `search`: filters that stand bare would silently not count. */
export function validOptions<T extends object>(given: T): T {
  const options = plainCopy(ownFields(given, refuseSearch), refuseSearch);
  const unknown = Object.keys(options).find((key) => !SEARCH_OPTIONS.has(key));
  if (unknown === undefined) return options;
  throw new RAGError(
    'QUERY_INVALID',
    `A search has no option ${JSON.stringify(unknown)}: there are topK (top_k) and filters ({ name: value }).`,
  );
}

/** Facts to filter by; none where nothing is stated. Throws `QUERY_INVALID` for what is no scalar. */
export function validFacts(filters: ScalarMetadata | null | undefined): ScalarMetadata {
  if (filters === null || filters === undefined) return {};
  const fault = scalarsFault(filters);
  if (fault !== undefined) throw new RAGError('QUERY_INVALID', `The filter ${fault}.`);
  return filters;
}

function scalarsFault(values: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof values !== 'object' || values instanceof Date || isList(values))
    return 'is not an object of names and values';
  for (const [key, value] of Object.entries(values)) {
    const name = JSON.stringify(key);
    if (RESERVED_KEY.test(key)) return `names ${name}: names that begin with "$" or "_ragstone" are reserved`;
    if (key === '' || !key.isWellFormed()) return `has the name ${name}, which is empty or no valid text`;
    const isScalar =
      typeof value === 'boolean' ||
      (typeof value === 'string' && value.isWellFormed()) ||
      (typeof value === 'number' && Number.isFinite(value));
    if (!isScalar) return `has under ${name} a value that is no text, finite number or boolean`;
  }
  return undefined;
}

const refuseDocument: Refuse = (path, expected, cause) =>
  new RAGError('DOCUMENT_INVALID', `A document${at(path)} must be ${expected}.`, { cause });

const refuseSearch: Refuse = (path, expected, cause) =>
  new RAGError('QUERY_INVALID', `A search${at(path)} must be ${expected}.`, { cause });

const at = (path: string): string => (path === '' ? '' : ` has a wrong ${JSON.stringify(path)}: it`);

const invalid = (docId: string, problem: string): RAGError =>
  new RAGError('DOCUMENT_INVALID', `Document ${JSON.stringify(docId)} cannot be indexed: ${problem}.`);
