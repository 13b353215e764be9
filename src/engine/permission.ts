import { RAGError } from '../core/errors.js';
import { type AccessControl, EVERYONE, type Scope } from '../core/scope.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { IndexRequest } from '../operations/engine.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import { earlierPushes } from './documents.js';

/**
 * What makes of a request one without what the scope may not touch: it replaces no document that it may not read, and deletes none.
 * What a replacement leaves out of its access stays as it was. Access rules can only narrow that: what they decided before, over
 * another text or with other rules, stays in force until a push states otherwise.
 */
export async function permission(
  requests: readonly Pick<IndexRequest, 'documents' | 'deleted'>[],
  scope: Scope,
  host: EngineHost,
): Promise<<Request extends Pick<IndexRequest, 'documents' | 'deleted'>>(request: Request) => Request> {
  const ids = requests.flatMap(({ documents = [], deleted = [] }) => [
    ...documents.map(({ id }) => id),
    ...deleted,
  ]);
  const index = ids.length === 0 ? undefined : await scopedIndex(scope, host);
  if (index === undefined) return (request) => request;
  const { unreadable, access } = await earlierPushes([...new Set(ids)], index);
  return (request) => {
    const { documents = [], deleted = [] } = request;
    const taken = documents.find(({ id }) => unreadable.has(id));
    if (taken !== undefined) throw idIsTaken(taken.id);
    return {
      ...request,
      documents: documents.map((document) => withEarlierAccess(document, access.get(document.id))),
      deleted: deleted.filter((id) => !unreadable.has(id)),
    };
  };
}

/** Open access is not written down: an equal document stays equal. */
function withEarlierAccess(document: PushedDocument, earlier: AccessControl | undefined): PushedDocument {
  if (earlier === undefined || isOpen(earlier)) return document;
  const { groups = earlier.groups, level = earlier.level } = document.access ?? {};
  return { ...document, access: { groups, level } };
}

const isOpen = ({ groups, level }: AccessControl): boolean => level === 0 && groups.includes(EVERYONE);

/** As row security of databases does: who sees that an id is taken learns less than who loses a document would lose. */
const idIsTaken = (id: string): RAGError =>
  new RAGError(
    'DOCUMENT_DUPLICATE_ID',
    `The document ${JSON.stringify(id)} cannot be pushed: the id is in use for a document that this scope may not read. Push it as a scope with its groups and clearance, or under another id.`,
  );
