import { type DocumentText, oneOf, RAGError, type SearchResult } from '../../../index.js';
import { inertName } from '../output/place.js';
import { documentIdOf } from '../output/results.js';
import type { ToolContext } from './tool.js';

/** More documents than this of one name are not told apart. */
const CANDIDATES = 10;

/**
 * The document under an id or a path. What the scope may not read is answered exactly as what is not there.
 *
 * @throws RAGError `DOCUMENT_NOT_FOUND`; `USAGE` where a path names several; `INDEX_EMPTY`
 */
export async function findDocument(name: string, context: ToolContext): Promise<DocumentText> {
  const { index } = context;
  const document = (await index.get(name)) ?? (await atPath(name, context));
  if (document !== undefined) return document;
  // Says that nothing is indexed at all, where that is so.
  await index.status();
  throw new RAGError(
    'DOCUMENT_NOT_FOUND',
    'There is no document with this id or path. Take the document_id of a result of search; ids change when a source is renamed.',
  );
}

async function atPath(path: string, context: ToolContext): Promise<DocumentText | undefined> {
  const { index, signal, showPath } = context;
  const { results } = await index.search({
    text: path,
    filter: oneOf('source', endsOf(path)),
    options: { topK: CANDIDATES, collapse: 'document', minSimilarity: 0, exactWords: true, rerank: false },
    signal,
  });
  const shown = results.filter(({ origin }) => origin.path !== undefined && showPath(origin.path) === path);
  const longest = Math.max(...results.map(({ metadata }) => metadata.source.length));
  const candidates =
    shown.length > 0 ? shown : results.filter(({ metadata }) => metadata.source.length === longest);
  if (candidates.length > 1) throw ambiguous(candidates);
  const [found] = candidates;
  return found === undefined ? undefined : index.get(documentIdOf(found));
}

/** A path from the working folder is longer than the one from the root of the source: `docs/a/b.md`, `a/b.md`, `b.md`. */
function endsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, at) => parts.slice(at).join('/')).filter((end) => end !== '');
}

function ambiguous(candidates: readonly SearchResult[]): RAGError {
  const names = candidates.map(
    (result) =>
      `${inertName(result.metadata.source)} of ${inertName(result.origin.source)}: ${documentIdOf(result)}`,
  );
  return new RAGError(
    'USAGE',
    `Several documents have this path. Take one of these ids:\n${names.join('\n')}`,
  );
}
