/** Ways of searching, as every screen names them. */
export const LANES: Readonly<Record<string, string>> = {
  dense: 'meaning',
  lexical: 'words',
  identifier: 'identifiers',
  expansion: 'words added',
  rerank: 'closer look',
  graph: 'connections',
};

/** Steps of a search that may lose a document: the step, and what it is called where a document fails it. */
const STEPS: Readonly<Record<string, readonly [name: string, failed?: string]>> = {
  'not-indexed': ['indexed', 'not indexed'],
  failed: ['read', 'could not be read'],
  outdated: ['up to date', 'outdated'],
  scope: ['who may read it'],
  filter: ['filters'],
  'chunk-cut': ['cut into passages', 'cut apart'],
  truncated: ['read by the model', 'beyond what the model reads'],
  lexical: ['words'],
  vector: ['meaning'],
  fusion: ['words and meaning together'],
  rerank: ['closer look'],
  collapse: ['shown once'],
  'near-duplicate': ['near duplicates'],
  recency: ['age'],
  threshold: ['least score'],
  diversity: ['variety'],
  'top-k': ['number of results'],
};

/** `indexed` where a document passed, `not indexed` where it did not; a step of a later version by its own name. */
export function stepName(stage: string, status: 'passed' | 'noted' | 'lost' | 'off'): string {
  const [name = stage, failed = name] = (Object.hasOwn(STEPS, stage) ? STEPS[stage] : undefined) ?? [];
  return status === 'noted' || status === 'lost' ? failed : name;
}
