import { type PlantedDocument, type PlantedDocuments, TOPICS } from './planted-documents.js';
import type { ProbeCaller, ProbeRequest } from './probe-exchange.js';
import type { ProbeRandom } from './probe-random.js';

/** What a request is drawn from. */
export interface Drawing {
  readonly caller: ProbeCaller;
  readonly random: ProbeRandom;
  readonly documents: PlantedDocuments;
  /** The document that is asked for. @default any */
  readonly sought?: PlantedDocument | undefined;
}

type Draw = (drawing: Drawing) => ProbeRequest;

const RAG = '/api/ai/rag';
/** What a document has beside its text. */
const PARTS = ['passages', 'versions', 'original'] as const;

const search: Draw = (drawing) =>
  post(`${RAG}/search`, {
    query: questionOf(drawing),
    tenantId: drawing.caller.tenant,
    minScore: 0,
    topK: 1 + drawing.random.below(50),
  });
const explain: Draw = (drawing) => post(`${RAG}/explain`, { query: questionOf(drawing), minScore: 0 });
const answer: Draw = (drawing) => post(`${RAG}/answer`, { question: questionOf(drawing) });
const context: Draw = (drawing) => post(`${RAG}/context`, { query: questionOf(drawing) });
const chat: Draw = (drawing) => post('/chat', { message: questionOf(drawing) });
const lookup: Draw = (drawing) => get(`${RAG}/documents/${encodeURIComponent(soughtOf(drawing).id)}`);
const part: Draw = (drawing) =>
  get(
    `${RAG}/documents/${encodeURIComponent(soughtOf(drawing).id)}/${drawing.sought === undefined ? drawing.random.of(PARTS) : 'passages'}`,
  );
const compare: Draw = (drawing) =>
  post(`${RAG}/compare`, {
    query: questionOf(drawing),
    a: { minScore: 0, topK: 50 },
    b: { mode: 'lexical' },
  });
const facets: Draw = ({ random }) =>
  post(`${RAG}/facets`, random.of([{}, { tags: ['probe'] }, { tags: [random.of(TOPICS)] }]));
const whoami: Draw = () => get(`${RAG}/caller`);
const related: Draw = (drawing) => post(`${RAG}/related`, { item: soughtOf(drawing).id });
const conflicts: Draw = () => post(`${RAG}/conflicts`, {});
const list: Draw = ({ random }) =>
  get(
    `${RAG}/documents?${random.of(['limit=1', 'limit=100', 'tag=probe', 'documentType=policy', `tag=${random.of(TOPICS)}`])}`,
  );
const stats: Draw = () => get('/rag/stats');
const tool: Draw = (drawing) => callTool(...drawTool(drawing));

/** Every way of reading, once. */
export const READS: readonly Draw[] = [
  search,
  explain,
  answer,
  context,
  chat,
  lookup,
  part,
  compare,
  facets,
  whoami,
  related,
  conflicts,
  list,
  stats,
  tool,
];

const KINDS = {
  search: [search, search, search, explain, context, compare],
  answer: [answer, chat],
  lookup: [lookup, part, related, whoami],
  list: [list, stats, conflicts, facets],
  tool: [tool],
  hostile: [hostileFilter, hostilePath, foreignTenant, foreignReplacement, misspelt, cursor, foreignHeaders],
} satisfies Record<string, readonly Draw[]>;

/** A kind of request that is drawn. */
export type RequestKind = keyof typeof KINDS;

/** A request of a kind. */
export const drawRequest = (kind: RequestKind, drawing: Drawing): ProbeRequest =>
  drawing.random.of<Draw>(KINDS[kind])(drawing);

/** What is asked of a document that may not be read, or of a tenant that is another one. */
interface Refused {
  readonly id: string;
  readonly tenant: string;
  readonly caller: ProbeCaller;
}

/** Requests whose replies must be the same for what is hidden and for what is not there. */
export const REFUSALS: readonly ((refused: Refused) => ProbeRequest)[] = [
  ({ id }) => get(`${RAG}/documents/${encodeURIComponent(id)}`),
  ...PARTS.map(
    (of) =>
      ({ id }: Refused) =>
        get(`${RAG}/documents/${encodeURIComponent(id)}/${of}`),
  ),
  ({ id }) => ({ method: 'DELETE', path: `${RAG}/documents/${encodeURIComponent(id)}` }),
  ({ id }) => ({ method: 'DELETE', path: `${RAG}/${encodeURIComponent(id)}` }),
  ({ id }) => ({ method: 'DELETE', path: `${RAG}/source/${encodeURIComponent(id)}` }),
  ({ id }) => callTool('get_document', { document_id: id }),
  ({ id }) => post(`${RAG}/related`, { item: id }),
  ({ id }) => callTool('related_documents', { document_id: id }),
  ({ id }) => callTool('related_documents', { document_id: id, by: 'references' }),
];

/** Words that are typed wrong are put right by what is indexed, which must be the caller's own. */
function misspelt(drawing: Drawing): ProbeRequest {
  const { handle } = soughtOf(drawing);
  const at = 3 + drawing.random.below(handle.length - 3);
  return post(`${RAG}/search`, {
    query: `the rules called ${handle.slice(0, at)}${handle.slice(at + 1)}`,
    tenantId: drawing.caller.tenant,
    minScore: 0,
  });
}

function hostileFilter({ caller, random, documents }: Drawing): ProbeRequest {
  const { owner, id } = documents.any(random);
  const hostile = random.of([
    `' OR 1=1 --`,
    `") OR tenant = "${owner.tenant}`,
    `*`,
    `probe' UNION SELECT * FROM store_chunks --`,
    `{"$ne":null}`,
    `probe\u0000${owner.tenant}`,
    `\\' || tenant == '${owner.tenant}`,
    id,
  ]);
  return post(`${RAG}/search`, {
    query: random.of(TOPICS),
    tenantId: caller.tenant,
    minScore: 0,
    ...random.of([{ tags: [hostile] }, { documentTypes: [hostile] }, { tags: ['probe', hostile] }]),
  });
}

function hostilePath({ random, documents }: Drawing): ProbeRequest {
  const { id, owner } = documents.any(random);
  const trick = random.of([
    `..%2f${owner.tenant}%2f${id}`,
    `${encodeURIComponent(owner.tenant)}/${id}`,
    `%2e%2e/%2e%2e/${id}`,
    `push:${id}`,
    `${id}%00`,
    `${id}?tenantId=${encodeURIComponent(owner.tenant)}`,
    `*`,
    `%25`,
  ]);
  return get(`${RAG}/documents/${trick}`);
}

/** A tenant in the body that is not that of the key. */
function foreignTenant({ random, documents }: Drawing): ProbeRequest {
  const { owner } = documents.any(random);
  return post(`${RAG}/search`, { query: random.of(TOPICS), tenantId: owner.tenant, minScore: 0 });
}

/** A document of another tenant's id, for the caller's own tenant. */
function foreignReplacement(drawing: Drawing): ProbeRequest {
  const { random, documents, caller } = drawing;
  const { id, owner } = documents.any(random);
  const tenantId = owner.tenant === caller.tenant ? `${owner.tenant}-not` : owner.tenant;
  return post(`${RAG}/index`, { id, tenantId, content: 'Overwritten.' });
}

function cursor({ random, documents }: Drawing): ProbeRequest {
  const { id, owner } = documents.any(random);
  const forged = random.of([id, JSON.stringify({ after: id, tenant: owner.tenant }), `${owner.tenant}/`]);
  const stated = random.below(2) === 0 ? forged : Buffer.from(forged).toString('base64url');
  return get(`${RAG}/documents?limit=50&cursor=${encodeURIComponent(stated)}`);
}

/** Headers by which other services are told who calls. */
function foreignHeaders(drawing: Drawing): ProbeRequest {
  const { tenant } = drawing.documents.any(drawing.random).owner;
  return {
    ...list(drawing),
    headers: {
      'x-tenant-id': tenant,
      'x-tenant': tenant,
      'x-forwarded-user': tenant,
      'x-original-url': '/health/rag',
    },
  };
}

const soughtOf = ({ sought, documents, random }: Drawing): PlantedDocument => sought ?? documents.any(random);

function questionOf(drawing: Drawing): string {
  const { random, sought } = drawing;
  const { handle } = soughtOf(drawing);
  const topic = random.of(TOPICS);
  const form = sought === undefined ? random.below(4) : 0;
  const forms = [
    `what is the phrase of ${handle} for ${topic}?`,
    `who asks about ${topic}`,
    `${topic} ${random.of(TOPICS)}`,
    handle,
  ];
  return forms[form] ?? topic;
}

function drawTool(drawing: Drawing): [name: string, input: object] {
  const { id } = soughtOf(drawing);
  const query = questionOf(drawing);
  return drawing.random.of<[string, object]>([
    ['search', { query }],
    ['ask', { question: query }],
    ['explain', { query }],
    ['get_document', { document_id: id }],
    ['related_documents', { document_id: id }],
    ['related_documents', { document_id: id, by: 'references' }],
    ['find_conflicts', {}],
    ['list_sources', {}],
  ]);
}

const callTool = (name: string, input: object): ProbeRequest => ({
  ...post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  headers: { accept: 'application/json, text/event-stream' },
});

const get = (path: string): ProbeRequest => ({ method: 'GET', path });
const post = (path: string, body: object): ProbeRequest => ({ method: 'POST', path, body });
