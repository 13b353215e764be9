/** A route of the service, as its OpenAPI document names it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces. */
  readonly path: string;
  /** It changes something: it is sent with an idempotency key, so that a repetition changes it once. */
  readonly isWrite?: true;
  /** The service sets it no time limit, and neither does the client. */
  readonly isLong?: true;
}

const RAG = '/api/ai/rag';

/** Every route, by the name of the method that calls it. A test holds them against the OpenAPI document. */
export const ROUTES = {
  search: { method: 'POST', path: `${RAG}/search` },
  answer: { method: 'POST', path: `${RAG}/answer` },
  context: { method: 'POST', path: `${RAG}/context` },
  related: { method: 'POST', path: `${RAG}/related` },
  conflicts: { method: 'POST', path: `${RAG}/conflicts` },
  explain: { method: 'POST', path: `${RAG}/explain` },
  compare: { method: 'POST', path: `${RAG}/compare`, isLong: true },
  explainMiss: { method: 'POST', path: `${RAG}/explain-miss` },
  embed: { method: 'POST', path: `${RAG}/embedding` },
  indexDocument: { method: 'POST', path: `${RAG}/index`, isWrite: true },
  indexDocuments: { method: 'POST', path: `${RAG}/index/batch`, isWrite: true },
  uploadFiles: { method: 'POST', path: `${RAG}/upload`, isWrite: true, isLong: true },
  listDocuments: { method: 'GET', path: `${RAG}/documents` },
  facets: { method: 'POST', path: `${RAG}/facets` },
  getDocument: { method: 'GET', path: `${RAG}/documents/{id}` },
  documentPassages: { method: 'GET', path: `${RAG}/documents/{id}/passages` },
  documentVersions: { method: 'GET', path: `${RAG}/documents/{id}/versions` },
  documentOriginal: { method: 'GET', path: `${RAG}/documents/{id}/original` },
  deleteDocument: { method: 'DELETE', path: `${RAG}/documents/{id}`, isWrite: true },
  deleteKnowledgeDocument: { method: 'DELETE', path: `${RAG}/{id}`, isWrite: true },
  deleteParts: { method: 'DELETE', path: `${RAG}/source/{id}`, isWrite: true },
  status: { method: 'GET', path: `${RAG}/status` },
  sources: { method: 'GET', path: `${RAG}/sources` },
  runs: { method: 'GET', path: `${RAG}/runs` },
  startRun: { method: 'POST', path: `${RAG}/runs`, isWrite: true },
  stopRuns: { method: 'DELETE', path: `${RAG}/runs`, isWrite: true },
  runEvents: { method: 'GET', path: `${RAG}/runs/events`, isLong: true },
  failures: { method: 'GET', path: `${RAG}/failures` },
  queries: { method: 'GET', path: `${RAG}/queries` },
  sendFeedback: { method: 'POST', path: `${RAG}/feedback`, isWrite: true },
  listFeedback: { method: 'GET', path: `${RAG}/feedback` },
  feedbackJudgments: { method: 'GET', path: `${RAG}/feedback/judgments` },
  listDeployments: { method: 'GET', path: `${RAG}/deployments` },
  getDeployment: { method: 'GET', path: `${RAG}/deployments/{tenantId}` },
  saveDeployment: { method: 'PUT', path: `${RAG}/deployments/{tenantId}`, isWrite: true },
  validateDeployment: { method: 'POST', path: `${RAG}/deployments/{tenantId}/validate` },
  moveDeployment: { method: 'POST', path: `${RAG}/deployments/{tenantId}/move`, isWrite: true, isLong: true },
  chat: { method: 'POST', path: '/chat' },
  indexSources: { method: 'POST', path: '/rag/index', isWrite: true, isLong: true },
  stats: { method: 'GET', path: '/rag/stats' },
  caller: { method: 'GET', path: `${RAG}/caller` },
  keys: { method: 'GET', path: `${RAG}/keys` },
  health: { method: 'GET', path: '/health/rag' },
  partsHealth: { method: 'GET', path: '/health/rag/parts' },
  deploymentHealth: { method: 'GET', path: '/health/rag/deployments' },
} as const satisfies Readonly<Record<string, Route>>;
