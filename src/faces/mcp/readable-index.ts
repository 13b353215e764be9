import type { EngineView } from '../../index.js';

/** What tools and resources may do with an index: read it, for one scope that was decided before. */
export type ReadableIndex = Pick<
  EngineView,
  'search' | 'ask' | 'related' | 'conflicts' | 'explainMiss' | 'get' | 'list' | 'status'
>;
