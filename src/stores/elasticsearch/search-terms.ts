import { createHash } from 'node:crypto';

/**
 * Terms that the servers' whitespace analyzer keeps as they are: it splits at what Java calls white space (more than a
 * space) and after 255 UTF-16 units. `~` is left to the hashes.
 */
const KEPT_TERM = /^(?!~)[^\s\p{C}\p{Z}]{1,200}$/u;
/** Whether any term of a text needs a closer look: something other than plain ASCII, or a long word. */
const NEEDS_CARE = /[^ !-}]|[^ ]{201}/;

/** `searchText` for the servers' whitespace analyzer: the same terms, with those it would cut replaced by their hash. */
export function indexedText(searchText: string): string {
  return NEEDS_CARE.test(searchText) ? searchText.split(' ').map(indexedTerm).join(' ') : searchText;
}

/** A term as `indexedText` leaves it in the index. */
export function indexedTerm(term: string): string {
  if (term === '' || KEPT_TERM.test(term)) return term;
  return `~${createHash('sha256').update(term, 'utf8').digest('base64url')}`;
}
