import type { Engine, Metadata, SearchQuery, SearchResponse, SearchResult } from 'ragstone';

/** What `ingest_text` of the document takes. */
export interface IngestedText {
  readonly text: string;
  /** `linkedin_3`: a text that comes again under it replaces the earlier one. */
  readonly document_id: string;
  readonly title?: string;
  /** `source` and `timestamp` (ISO-8601) are where the text is from and from when; others are kept and can be filtered by. */
  readonly metadata?: Metadata;
}

/** The document's log line of a search. */
export interface SearchLogLine {
  readonly message: 'RAG search completed';
  readonly query: string;
  readonly num_results: number;
  /** Milliseconds. */
  readonly latency_ms: number;
  /** 0 where nothing was found. */
  readonly top_score: number;
}

/** What takes the log lines. @default nobody */
export type Log = (line: SearchLogLine) => void;

/** The document's `RAGService` over an engine. */
export class RagService {
  readonly engine: Engine;
  readonly #log: Log;

  constructor(engine: Engine, log: Log = () => {}) {
    this.engine = engine;
    this.#log = log;
  }

  /** Takes texts in, without a full reindex; says how many had to be written. Throws what an index run fails with. */
  async ingestTexts(texts: readonly IngestedText[]): Promise<number> {
    const { stats } = await this.engine.index(
      texts.map(({ text, document_id, title, metadata = {} }) => ({
        // Documents link to each other by the names of their files.
        id: `${document_id}.md`,
        text,
        mediaType: 'text/markdown',
        ...(title === undefined ? {} : { title }),
        metadata: { ...metadata, document_id },
      })),
    );
    const [failed] = stats.errors;
    if (failed !== undefined) throw new Error(`${failed.item ?? failed.source}: ${failed.message}`);
    return stats.documentsProcessed;
  }

  ingestText(text: IngestedText): Promise<number> {
    return this.ingestTexts([text]);
  }

  /** Passages by the settings of `ragstone.yaml`, over which `options` go. Each search leaves a line in the log. */
  async search(
    query: string,
    { filter, options = {} }: Pick<SearchQuery, 'filter' | 'options'> = {},
  ): Promise<SearchResponse> {
    const response = await this.engine.search({ text: query, filter, options });
    const { results, tookMs } = response;
    this.#log({
      message: 'RAG search completed',
      query,
      num_results: results.length,
      latency_ms: tookMs,
      top_score: results[0]?.score ?? 0,
    });
    return response;
  }
}

/** The id under which the document of a passage was taken in. */
export const documentIdOf = ({ metadata }: Pick<SearchResult, 'metadata'>): string =>
  String(metadata.document_id);
