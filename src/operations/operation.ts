import type * as z from 'zod';

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
export interface Operation<
  Given extends readonly unknown[],
  Asked,
  Outcome,
  Access extends 'read' | 'write' = 'read' | 'write',
> {
  /** Whether it changes what is kept. */
  readonly access: Access;
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
  /** Of one that the service offers as it is; made when it is first served. */
  readonly route?: () => OperationRoute;
}

/** The route of an operation: a body is its request with the tenant, and answered with the id of its request; a query is its request alone. */
export interface OperationRoute {
  /** What its callers must be allowed. @default what it does: `read` or `write` */
  readonly access?: 'maintain';
  /** Which calls it shares a rate with. @default none */
  readonly limit?: 'ai-search' | 'ai-answer';
  readonly tag: string;
  readonly summary: string;
  /** No more than the check takes. */
  readonly request: z.ZodObject;
  /** What the answer holds, in one sentence. */
  readonly gives: string;
  /** The outcome without its notices. */
  readonly outcome: z.ZodObject;
}

/** States an operation. */
export const operation = <
  const Given extends readonly unknown[],
  Asked,
  Outcome,
  Access extends 'read' | 'write',
>(
  stated: Operation<Given, Asked, Outcome, Access>,
): Operation<Given, Asked, Outcome, Access> => stated;

/** A text alone is a query with that text. */
export const asQuery = <Query extends { readonly text: string }>(query: string | Query) =>
  typeof query === 'string' ? { text: query } : query;
