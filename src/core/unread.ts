/** What a parser can meet in a document and not read. */
export type UnreadKind =
  | (
      | 'pictures'
      | 'charts'
      | 'drawings'
      | 'formulas'
      | 'embedded files'
      | 'attachments'
      | 'cells'
      | 'hidden parts'
      | 'headers and footers'
      | 'included files'
      | 'macros'
      | 'commands'
    )
  | ('pages without text' | 'letters without a meaning');

/** The field of a document's metadata with its counts. */
export const UNREAD_FIELD = 'unread';

/** How much of a document is not in its text, by kind; without those of which there is nothing. */
export type UnreadCounts = Readonly<Partial<Record<UnreadKind, number>>>;

/** `pictures: 3, pages without text: 1`, as they are listed. */
export const unreadInWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ');
