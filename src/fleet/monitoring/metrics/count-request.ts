import type { MetricSink } from './metric-definitions.js';

/** A request of HTTP that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The template of its route, without personal data: `/api/ai/rag/documents/:id`; undefined where there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly tookMs: number;
}

/** Without a route the method is not counted either, for callers choose it freely. */
export function countRequest({ method, route, status, tookMs }: AnsweredRequest, sink: MetricSink): void {
  const labels = route === undefined ? { route: 'unknown', method: 'any' } : { route, method };
  sink.add('rag_http_requests_total', 1, { ...labels, status: `${Math.floor(status / 100)}xx` });
  sink.observe('rag_http_request_duration_seconds', tookMs / 1_000, labels);
}
