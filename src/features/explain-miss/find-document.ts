import { RAGError } from '../../core/errors.js';
import { editDistance } from '../../core/nearest-name.js';
import type { Scope } from '../../core/scope.js';
import type { FindPath } from '../../indexing/document-paths.js';
import type { GenerationReader, LedgerDocument } from '../../ledger/ledger.js';
import type { LedgerFailure } from '../../ledger/source-state.js';

/** Most documents that a message names. */
const NAMED = 5;
const FAILURES = 10_000;

/** What the ledger says of a document that somebody asked for by name. */
export type LedgerFinding =
  | { readonly kind: 'known'; readonly document: LedgerDocument; readonly failure?: LedgerFailure }
  | { readonly kind: 'failed'; readonly itemId: string; readonly failure: LedgerFailure }
  | { readonly kind: 'unknown' };

/**
 * Finds a document by its id, its path or id in its source, or the end of its path, inside the tenant and project of the
 * scope. Throws `USAGE` where the name means several.
 */
export async function findInLedger(
  ledger: GenerationReader,
  name: string,
  { scope, findPath }: { readonly scope: Scope; readonly findPath: FindPath },
): Promise<LedgerFinding> {
  const matches = (await ledger.called(scope.tenant, name)).filter(
    ({ project }) => scope.project === undefined || project === scope.project,
  );
  const exact = matches.filter(({ documentId, externalId }) => documentId === name || externalId === name);
  // Two sources may both have a README.md: then the place of the file tells them apart.
  const located = matches.filter(({ source, externalId }) => isEndOf(findPath(source, externalId), name));
  const candidates = [exact, located].find((found) => found.length > 0) ?? matches;
  const [document, second] = candidates;
  if (second !== undefined) throw ambiguous(name, candidates);
  const failed = (await ledger.failures(FAILURES)).find(
    ({ tenant, itemId, source }) =>
      tenant === scope.tenant &&
      (document === undefined
        ? isPath(itemId, name)
        : itemId === document.itemId && source === document.source),
  );
  if (document !== undefined)
    return { kind: 'known', document, ...(failed?.error === undefined ? {} : { failure: failed.error }) };
  if (failed?.error !== undefined) return { kind: 'failed', itemId: failed.itemId, failure: failed.error };
  return { kind: 'unknown' };
}

const MOST_NAMES = 10_000;
const NAMES_AT_ONCE = 1_000;
/** A longer name is no slip of a hand. Letters. */
const LONGEST_NAME = 200;

/** The document of the tenant and project whose name was most likely meant: other separators or case, or a letter of five wrong. Of the first 10,000. */
export async function findNearName(
  ledger: GenerationReader,
  name: string,
  scope: Scope,
): Promise<string | undefined> {
  const wanted = comparable(name);
  if (wanted.length > LONGEST_NAME) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  const most = Math.max(1, Math.floor(wanted.length / 5));
  let after: string | undefined;
  for (let read = 0; read < MOST_NAMES; ) {
    const page = await ledger.documents(after, NAMES_AT_ONCE);
    for (const { tenant, project, externalId } of page) {
      if (tenant !== scope.tenant || (scope.project !== undefined && project !== scope.project)) continue;
      const end = comparable(endOf(externalId, name));
      if (Math.abs(end.length - wanted.length) > most) continue;
      const distance = editDistance(wanted, end);
      if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
        best = { name: externalId, distance };
    }
    read += page.length;
    after = page.at(-1)?.documentId;
    if (page.length < NAMES_AT_ONCE) break;
  }
  return best?.name;
}

const comparable = (name: string): string =>
  name
    .normalize()
    .toLowerCase()
    .replaceAll(/[\s_.-]+/gu, '-');

/** As many folders of a path as the name has. */
const endOf = (externalId: string, name: string): string =>
  externalId.split('/').slice(-name.split('/').length).join('/');

/** The path itself, its end, or a longer path that ends with it (a path from the working folder). */
const isPath = (externalId: string, name: string): boolean =>
  externalId === name || externalId.endsWith(`/${name}`) || name.endsWith(`/${externalId}`);

const isEndOf = (path: string | undefined, name: string): boolean =>
  path !== undefined && (path === name || path.endsWith(`/${name}`));

function ambiguous(name: string, documents: readonly LedgerDocument[]): RAGError {
  const names = documents.slice(0, NAMED).map(({ source, externalId }) => `${externalId} (${source})`);
  const more = documents.length > NAMED ? `, and ${documents.length - NAMED} more` : '';
  return new RAGError(
    'USAGE',
    `"${name}" names ${documents.length} documents: ${names.join(', ')}${more}. Give more of the path, or the document's id.`,
  );
}
