import type { Metadata, MetadataValue } from '../../core/metadata.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import type { ForeignDocument } from '../../stores/foreign-documents.js';

/** How the prototypes name what the engine knows by other names. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  source_type: 'sourceType',
  source_path: 'source',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};
/** Of a piece and not of its document, or said elsewhere. */
const LEFT_OUT: ReadonlySet<string> = new Set(['chunk_index', 'chunk_total', 'project_id', 'title', 'tags']);

/** A document as the engine takes it: under its old id, cut anew. */
export function pushedDocument({ id, pieces }: ForeignDocument): PushedDocument {
  const found = Object.assign({}, ...pieces.map(({ metadata }) => metadata).reverse()) as Record<
    string,
    unknown
  >;
  const { title, tags, source_path: path } = found;
  return {
    id,
    text: joinedText(pieces.map(({ text }) => text)),
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(typeof path === 'string' && /^https?:\/\//.test(path) ? { url: path } : {}),
    ...(isMarkdown(path) || isMarkdown(id) ? { mediaType: 'text/markdown' } : {}),
    metadata: metadataOf(found, tags),
  };
}

/** The longest overlap that is looked for between two pieces, and the shortest that is no chance. In characters. */
const MAX_OVERLAP = 4_000;
const MIN_OVERLAP = 12;

/**
 * The text of a document of its pieces, which may overlap: what one ends with and the next begins with stands once. Pieces that do not
 * overlap are parted by an empty line, for what stood between them is not known.
 */
export function joinedText(pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => {
    if (text === '') return piece;
    const overlap = overlapOf(text, piece);
    return overlap === 0 ? `${text}\n\n${piece}` : text + piece.slice(overlap);
  }, '');
}

/** How many characters two texts share at the end of one and the beginning of the other, by the failure function of Knuth, Morris and Pratt (1977). */
function overlapOf(before: string, after: string): number {
  const head = after.slice(0, MAX_OVERLAP);
  const tail = before.slice(-MAX_OVERLAP);
  const failures: number[] = [];
  const step = (matched: number, unit: string): number => {
    let length = matched;
    while (length > 0 && (length === head.length || head[length] !== unit))
      length = failures[length - 1] ?? 0;
    return head[length] === unit ? length + 1 : 0;
  };
  for (let i = 0; i < head.length; i++)
    failures.push(i === 0 ? 0 : step(failures[i - 1] ?? 0, head[i] ?? ''));
  let matched = 0;
  for (const unit of tail.split('')) matched = step(matched, unit);
  return matched >= MIN_OVERLAP ? matched : 0;
}

const isMarkdown = (name: unknown): boolean => typeof name === 'string' && /\.(md|markdown)$/i.test(name);

function metadataOf(found: Readonly<Record<string, unknown>>, tags: unknown): Metadata {
  const kept = Object.entries(found).flatMap(([name, value]): [string, MetadataValue][] =>
    LEFT_OUT.has(name) || value === null || value === undefined
      ? []
      : // Both databases give JSON.
        [[OWN_NAMES[name] ?? name, value as MetadataValue]],
  );
  const listed = tagsOf(tags);
  return { ...Object.fromEntries(kept), ...(listed.length === 0 ? {} : { tags: listed }) };
}

/** A list; as older Chroma servers keep it, which know none, JSON or words between commas. */
function tagsOf(tags: unknown): string[] {
  if (Array.isArray(tags)) return tags.filter((tag) => typeof tag === 'string');
  if (typeof tags !== 'string' || tags.trim() === '') return [];
  if (tags.trim().startsWith('['))
    try {
      return tagsOf(JSON.parse(tags));
    } catch {
      // No JSON after all.
    }
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
