import type { Metadata } from './metadata.js';
import type { AccessControl } from './scope.js';
import type { UnreadCounts } from './unread.js';

/** Media type of one product backlog item: a JSON object whose keys are the item's fields. */
export const PBI_MEDIA_TYPE = 'application/vnd.ragstone.pbi+json';

/** What a source hands over: the bytes or text of one document, not yet understood. */
export interface RawDocument {
  /** Identity inside the source, stable over revisions: a path relative to the source's root, a page id, a work item id. */
  readonly externalId: string;
  /** Media type that picks the parser: `text/markdown`, `application/vnd.ragstone.pbi+json`, `text/plain`. */
  readonly mediaType: string;
  /** Where it is now, where its identity is another: the path of a renamed file. Shown as `source`. Default: `externalId`. */
  readonly location?: string;
  /** What `filters.sourceType` compares, where the documents of one source differ in it. Default: the source's. */
  readonly sourceType?: string;
  readonly content: Uint8Array | string;
  /** Nobody else holds the bytes, so that they may be moved to another thread, after which they are gone here. @default false */
  readonly isMovable?: boolean;
  /** Known before parsing (for instance a work item's title); a parser may find a better one. */
  readonly title?: string;
  readonly url?: string;
  /** Titles above the document in its source, outermost first; they come before the headings of each chunk. */
  readonly headingPath?: readonly string[];
  /** Text beside the document where it is itself a piece of a larger one; matched with it, never shown. */
  readonly surroundings?: readonly string[];
  /** ISO-8601 UTC. */
  readonly createdAt?: string;
  /** ISO-8601 UTC. */
  readonly updatedAt?: string;
  /** Both are times of a file: dates that its text states come before them. @default false */
  readonly isDatedByFile?: boolean;
  readonly metadata: Metadata;
  readonly access: AccessControl;
}

/** Half-open character range `[start, end)` in UTF-16 code units of the stored text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Inclusive 1-based line range. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

export type BlockKind =
  | 'heading'
  | 'paragraph'
  | 'list'
  | 'code'
  | 'table'
  | 'quote'
  | 'html'
  | 'front-matter'
  /** One named field of a work item. */
  | 'field';

/** A structural piece of a document, in order, not overlapping; between blocks stands only white space. */
export interface Block extends TextRange {
  readonly kind: BlockKind;
  /** Level 1 to 6 of a heading. */
  readonly level?: number;
  /** Text of a heading, without markup; name of a field. */
  readonly label?: string;
  /** What must be repeated as context when the block is split: a fence's opening line, a table's header and rule rows. */
  readonly context?: string;
  /** Start of the first splittable line inside (after the fence line or header rows); absent where the block has none. */
  readonly bodyStart?: number;
  /** Offsets at which the block may be divided, in place of its lines: starts of a table's records. */
  readonly breaks?: readonly number[];
}

/** A stretch of source code that belongs together, from the comments that document it to its last token. */
export interface CodeUnit extends TextRange {
  /** Kind and name of a definition: `class Store`, `method upsert`; absent for statements. */
  readonly symbol?: string;
  /** The name alone. */
  readonly name?: string;
  /** The line that holds the name, repeated as context when the definition is divided. */
  readonly signature?: string;
  /** Offset of that line: comments and decorators stand above it. Present with a name. */
  readonly namedAt?: number;
  /** Where it may be divided: its members or statements in order. Text before the first one is its head. */
  readonly children: readonly CodeUnit[];
}

/** What the syntax tree says of a source file. */
export interface SourceCode {
  readonly language: string;
  /** Definitions and statements of the top level; between them stands only white space. */
  readonly units: readonly CodeUnit[];
}

/** A document understood: its stored text, byte-exact as citations will quote it, and its structure. */
export interface ParsedDocument {
  /** The stored text: decoded, without byte order mark, line ends as they were. */
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly title?: string;
  /** What the text itself declares: front matter fields, work item fields. */
  readonly metadata: Metadata;
  /** Source files whose language has a grammar. */
  readonly code?: SourceCode;
  /** Documents in pages: the text of each page in order, empty ranges included, so that the first is page 1. */
  readonly pages?: readonly TextRange[];
  /** What of it is not in the text, by kind: `{ pictures: 3 }`. */
  readonly unread?: UnreadCounts;
  /** What the parser had to leave out or repair, in words for the person who owns the document. */
  readonly warnings: readonly string[];
}
