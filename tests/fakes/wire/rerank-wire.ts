import * as z from 'zod';
import { violationsBy } from './strict-request.js';
import { jsonReply, type WireFormat, type WireReply, type WireRequest } from './wire-server.js';

/** How a provider takes a query with documents and gives scores. */
export interface RerankWire extends WireFormat {
  documentsOf(request: WireRequest): readonly string[];
  body(results: readonly { readonly index: number; readonly relevance_score: number }[]): unknown;
}

type Result = Parameters<RerankWire['body']>[0][number];

/** Scores by `scoreOf`, best first, as all providers order them. */
export function rerankReply(
  wire: RerankWire,
  request: WireRequest,
  scoreOf: (document: string) => number,
): WireReply {
  const results = wire
    .documentsOf(request)
    .map((document, index): Result => ({ index, relevance_score: scoreOf(document) }))
    .sort((left, right) => right.relevance_score - left.relevance_score);
  return jsonReply(200, wire.body(results));
}

const base = {
  model: z.string(),
  query: z.string().min(1),
  documents: z.array(z.string()).min(1).max(1000),
};

interface Definition {
  readonly documentation: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema: z.ZodType<{ documents: string[] }>;
  readonly body: RerankWire['body'];
}

const define = ({ documentation, path, headers, schema, body }: Definition): RerankWire => ({
  documentation,
  violationsOf: violationsBy({ path, headers, schema }),
  documentsOf: (request) => schema.parse(request.body).documents,
  body,
  errorBody: (_status, message) => ({ message, detail: message }),
});

const BEARER = { authorization: 'Bearer test-key' };

export const cohereRerankWire: RerankWire = define({
  documentation: 'https://docs.cohere.com/v2/reference/rerank',
  path: '/v2/rerank',
  headers: BEARER,
  schema: z.strictObject({
    ...base,
    top_n: z.number().int().optional(),
    max_tokens_per_doc: z.number().int().optional(),
    priority: z.number().int().optional(),
  }),
  body: (results) => ({ id: 'r-1', results, meta: { billed_units: { search_units: 1 } } }),
});

export const voyageRerankWire: RerankWire = define({
  documentation: 'https://docs.voyageai.com/reference/reranker-api',
  path: '/v1/rerank',
  headers: BEARER,
  schema: z.strictObject({
    ...base,
    top_k: z.number().int().optional(),
    return_documents: z.boolean().optional(),
    truncation: z.boolean().optional(),
  }),
  body: (data) => ({ object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } }),
});

export const jinaRerankWire: RerankWire = define({
  documentation: 'https://jina.ai/reranker/',
  path: '/v1/rerank',
  headers: BEARER,
  schema: z.strictObject({
    ...base,
    top_n: z.number().int().optional(),
    return_documents: z.boolean().optional(),
  }),
  body: (results) => ({ model: 'jina-reranker-v2-base-multilingual', usage: { total_tokens: 26 }, results }),
});

/** vLLM follows Jina and Cohere, without a key; each result repeats its document. */
export const compatibleRerankWire: RerankWire = define({
  documentation: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  path: '/v1/rerank',
  headers: {},
  schema: z.strictObject({ ...base, top_n: z.number().int().optional() }),
  body: (results) => ({
    id: 'rerank-1',
    model: 'bge-reranker-v2-m3',
    usage: { total_tokens: 26 },
    results: results.map((result) => ({ ...result, document: { text: 'repeated' } })),
  }),
});
