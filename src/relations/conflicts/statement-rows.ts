import type { GraphPage } from '../graph/graph.js';

/** The statements of a document, for one that has none yet. */
export interface StatementFilling {
  readonly documentId: string;
  /** Of which they were made. */
  readonly revision: string;
  /** See `packStatements`. */
  readonly packed: Uint8Array;
}

/** The statements of one generation. It knows tenants and not who may read what, as the graph. */
export interface StatementReader {
  /** Documents of a tenant that have been examined, in the order of their ids, with their present revision. */
  packed(tenant: string, page: GraphPage): Promise<readonly StatementFilling[]>;
  /** Documents of a tenant that have not, in the order of their ids. */
  unread(tenant: string, page: GraphPage): Promise<readonly string[]>;
}
