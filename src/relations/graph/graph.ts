/**
 * The graph of an index, as it is kept: for each document the names under which others can refer to it, and the references that it makes
 * itself. An edge is a reference and a name that are equal. Edges are found when they are asked for and never stored, so that it does not
 * matter which document came first, and what is deleted leaves nothing behind.
 */

/**
 * `link`: a link in the text. `mention`: the key or number of an item in the text. `relation`: what metadata says of other items
 * (parent, links, duplicates). `import`: a file that a source file loads. `symbol`: a name that a source file defines. `commit`: a commit that
 * changed several files. `person`, `component`: who and what a document is about, which it shares with others. `entity`: what a language
 * model found named in it (`facts.ts`), which is kept apart from the rows of documents.
 */
export const REFERENCE_KINDS = [
  'link',
  'mention',
  'relation',
  'import',
  'symbol',
  'commit',
  'person',
  'component',
  'entity',
] as const;

export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** References of these kinds name no document: who makes the same one is a neighbour. */
export const SHARED_KINDS: ReadonlySet<ReferenceKind> = new Set(['commit', 'person', 'component', 'entity']);

export interface GraphReference {
  readonly kind: ReferenceKind;
  /** A name, as `names.ts` writes it. */
  readonly target: string;
}

/** What is kept of one document. */
export interface GraphRows {
  /** In text order, each once. */
  readonly names: readonly string[];
  /** In the order of kinds and names, each once; none to a name of the document itself. A link to a section names its page beside it. */
  readonly references: readonly GraphReference[];
}

/** Rows of the graph for a document that has none yet. */
export interface GraphFilling {
  readonly documentId: string;
  /** Of which they were made. */
  readonly revision: string;
  readonly graph: GraphRows;
}

/** A document that was found by a name. */
export interface NameHit {
  readonly name: string;
  readonly documentId: string;
}

export interface ReferenceHit extends NameHit {
  readonly kind: ReferenceKind;
}

/** Where a page begins, and how long it is for each name. */
export interface GraphPage {
  readonly limit: number;
  /** Documents after this one, in the order of their ids. */
  readonly after?: string | undefined;
}

/**
 * The graph of one generation. It knows tenants and no access: before anything of it is shown, the scoped collection is asked about
 * each document (`walk.ts`).
 */
export interface GraphReader {
  /** Rows of documents by id; one that is unknown, or that no rows were made of yet, is left out. */
  rows(documentIds: readonly string[]): Promise<ReadonlyMap<string, GraphRows>>;
  /** Documents of a tenant that are called so, in the order of their ids. */
  named(tenant: string, names: readonly string[], page: GraphPage): Promise<readonly NameHit[]>;
  /** Documents of a tenant that refer to the names, in the order of their ids. */
  referring(tenant: string, names: readonly string[], page: GraphPage): Promise<readonly ReferenceHit[]>;
  /** Of each document the first chunk that the store holds for certain; one without is left out. */
  firstChunks(documentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Documents of a tenant without rows, in the order of their ids: an older version wrote them. */
  unread(tenant: string, page: GraphPage): Promise<readonly string[]>;
}
