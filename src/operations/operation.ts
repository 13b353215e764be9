/** What the audit log keeps of a question, where it keeps text and filters. */
export interface AskedOf {
  readonly text?: string | undefined;
  readonly filters?: object | undefined;
  readonly filter?: object | undefined;
}

/**
 * An operation of an index as one scope sees it: what holds for it in every face. A caller hands in `Given`, which may be anything;
 * the implementation gets `Asked`.
 */
export interface Operation<Given extends readonly unknown[], Asked, Outcome> {
  /** Whether it changes what is kept. */
  readonly access: 'read' | 'write';
  /** Its number of arguments; on an engine the scope stands behind them. */
  readonly takes: 0 | 1 | 2;
  /** The border of the engine: a copy in plain data, held against the types. Throws a `RAGError` for what does not fit. */
  readonly check: (...given: Given) => Asked;
  /** For the audit log, before the check: a question. */
  readonly asked?: (...given: Given) => AskedOf;
  /** For the audit log, before the check: ids of documents that it writes or deletes. */
  readonly writes?: (...given: Given) => readonly string[];
  /** For the audit log: ids of documents that it told of. */
  readonly gave?: (outcome: Outcome, ...given: Given) => readonly string[];
}

/** States an operation. */
export const operation = <const Given extends readonly unknown[], Asked, Outcome>(
  stated: Operation<Given, Asked, Outcome>,
): Operation<Given, Asked, Outcome> => stated;

/** A text alone is a query with that text. */
export const asQuery = <Query extends { readonly text: string }>(query: string | Query) =>
  typeof query === 'string' ? { text: query } : query;
