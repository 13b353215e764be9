/** A request to the service, as `fetch` would send it. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT';
  /** From the root of the routes: `/api/ai/rag/search`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface ProbeReply {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who calls: a key or token that may read and write, and what it stands for. */
export interface ProbeCaller {
  /** The header `authorization`. */
  readonly authorization: string;
  readonly tenant: string;
  /** @default none */
  readonly groups?: readonly string[] | undefined;
  /** @default 0 */
  readonly clearance?: number | undefined;
}
