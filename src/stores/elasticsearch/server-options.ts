import { RAGError } from '../../core/errors.js';

/** How to prove who is asking. Give values read from the environment; they are never in an error or a log. */
export type SearchServerAuth =
  | { readonly username: string; readonly password: string }
  /** Elasticsearch only: the encoded form that the server shows once. */
  | { readonly apiKey: string }
  /** A token of a service account or an identity provider. */
  | { readonly bearer: string };

export interface SearchServerOptions {
  /** Address with protocol and port: `https://search.example.org:9200`. A user and password in it are taken as `auth`. */
  readonly url: string;
  readonly auth?: SearchServerAuth;
  readonly tls?: {
    /** Certificate of the authority that signed the server's, in PEM, where the system does not know it. */
    readonly ca?: string;
    /** `false` accepts any certificate: for experiments only. @default true */
    readonly rejectUnauthorized?: boolean;
  };
  /** Begins the name of every index and alias: lower-case letters, digits, `-` and `_`, a letter first. @default 'ragstone-' */
  readonly indexPrefix?: string;
  /**
   * Primary shards of a new collection, fixed for its life. BM25 counts words per shard, so more than one makes scores
   * differ between shards of a small collection. @default 1
   */
  readonly shards?: number;
  /** Copies of each shard of a new collection. @default one as soon as there is a second node */
  readonly replicas?: number;
  /**
   * How a new collection finds vectors: `hnsw` by a graph (m = 16, ef_construction = 64), `flat` by comparing with each one,
   * which is exact. @default 'hnsw'
   */
  readonly vectorIndex?: VectorIndexKind;
  /**
   * Candidates that a graph search visits at least, up to 10,000: more is slower and nearer to exact. Over 20,000 chunks of
   * real text 200 found .968 of the ten nearest, 400 .974, 800 .986.
   * @default 800
   */
  readonly candidates?: number;
  /** Longest time one call to the server may take, retries included, in milliseconds; `optimize` has ten minutes. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

export type VectorIndexKind = 'hnsw' | 'flat';

const INDEX_PREFIX = /^[a-z][a-z0-9_-]{0,63}$/;
const MAX_CANDIDATES = 10_000;

/** Throws `CONFIG_INVALID` for options that no server could have. Never names a secret. */
export function assertServerOptions(options: SearchServerOptions): void {
  const { url, indexPrefix, shards, replicas, candidates, timeoutMs } = options;
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    throw new RAGError('CONFIG_INVALID', 'The address of the search server must be like https://host:9200.');
  if (indexPrefix !== undefined && !INDEX_PREFIX.test(indexPrefix))
    throw new RAGError(
      'CONFIG_INVALID',
      `Index prefix ${JSON.stringify(indexPrefix)} is not valid: use up to 64 lower-case letters, digits, "-" or "_", a letter first.`,
    );
  assertInteger('shards', shards, { from: 1, to: 1_024 });
  assertInteger('replicas', replicas, { from: 0, to: 1_024 });
  assertInteger('candidates', candidates, { from: 1, to: MAX_CANDIDATES });
  assertInteger('timeoutMs', timeoutMs, { from: 1, to: 2 ** 31 - 1 });
}

function assertInteger(
  name: string,
  value: number | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  if (value !== undefined && (!Number.isInteger(value) || value < from || value > to))
    throw new RAGError('CONFIG_INVALID', `${name} must be an integer from ${from} to ${to}, not ${value}.`);
}
