import type { RAGIndexRequest, RAGSettingsInput } from '../../index.js';

type Settings = Required<RAGSettingsInput>;
type Retrieval = Required<NonNullable<Settings['retrieval']>>;

/** Names of section 4.1 for parts of a configuration. */
export type DataSourceConfig = NonNullable<Settings['sources']>[number];
export type RerankConfig = NonNullable<Retrieval['rerank']>;
export type CacheConfig = NonNullable<Retrieval['cache']>;
export type LocalStorageConfig = NonNullable<Required<NonNullable<Settings['storage']>>['local']>;
export type CloudStorageConfig = NonNullable<Required<NonNullable<Settings['storage']>>['cloud']>;
export type ChunkingConfig = NonNullable<Settings['chunking']>;
/** What `RAGService.index` takes. */
export type DataSource = NonNullable<RAGIndexRequest['sources']>[number];
