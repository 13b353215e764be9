import type { StoreMeasurement } from './measure-store.js';

interface Recommendation {
  readonly situation: string;
  readonly store: string;
  readonly because: string;
}

/** The size whose figures are shown. */
const SIZE = 100_000;

/** What to take, by size and team. The reasons are judgement; the figures beside them are filled in from the last run. */
const RECOMMENDATIONS: readonly Recommendation[] = [
  {
    situation: 'one person, a CI job or a package inside an application; up to about 100,000 chunks',
    store: 'libsql',
    because: 'the default: one file, nothing to install, exact; a revision of a document is one transaction',
  },
  {
    situation: 'one machine, more than that, up to millions of chunks, or an index on S3',
    store: 'lancedb',
    because: 'no server, a graph on disk that is quick to build',
  },
  {
    situation: 'one machine, many searches a second',
    store: 'usearch',
    because: 'a graph, mapped into memory, over the same file as the default: the quickest search',
  },
  {
    situation: 'a team that runs PostgreSQL already',
    store: 'postgres',
    because:
      'backups, roles and transactions that the team knows; a revision is one transaction for everyone',
  },
  {
    situation: 'a team that runs Elasticsearch already',
    store: 'elasticsearch',
    because: 'text and vectors in one cluster',
  },
  {
    situation: 'a team that runs OpenSearch already',
    store: 'opensearch',
    because: 'the same adapter in the other dialect',
  },
  {
    situation: 'many tenants that must lie apart in the server too',
    store: 'weaviate',
    because: 'a shard for each tenant, made and dropped by itself',
  },
  {
    situation: 'an application that has a Chroma collection already',
    store: 'chroma',
    because: 'other readers find the names they know; slow to write',
  },
];

/** The table, with figures where the store was measured at the size. */
export function renderRecommendations(results: readonly StoreMeasurement[]): string {
  const rows = RECOMMENDATIONS.map(({ situation, store, because }) => {
    const measured = results.find((result) => result.store === store && result.size === SIZE);
    return `| ${situation} | \`${store}\` | ${because} | ${measured === undefined ? '' : figures(measured)} |`;
  });
  return ['| situation | store | because | figures |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const figures = ({ size, search, filtered, recordsPerSecond, memoryMiB }: StoreMeasurement): string =>
  [
    `${size.toLocaleString('en')} chunks: p50 ${search.p50Ms} ms`,
    `filtered ${filtered.p50Ms} ms`,
    `${recordsPerSecond.toLocaleString('en')} records/s written`,
    ...(memoryMiB === undefined ? [] : [`${memoryMiB} MiB of memory`]),
  ].join(', ');
