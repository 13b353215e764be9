import type { EngineView, OPERATIONS } from '../../operations/engine.js';

type ReadOperation = {
  [Name in keyof typeof OPERATIONS]: (typeof OPERATIONS)[Name]['access'] extends 'read' ? Name : never;
}[keyof typeof OPERATIONS];

/** What tools and resources may do with an index: read it, for one scope that was decided before. */
export type ReadableIndex = Pick<EngineView, ReadOperation>;
