import { readFileSync } from 'node:fs';
import type { DataSourceConfig, RAGConfig } from 'ragstone/backlog';
import { parse } from 'yaml';

/** The folder that the pipeline works in. */
export const PROJECT = new URL('../orchard/', import.meta.url);

/** The configuration of the document, section 5.1, to the letter. */
export const CONFIG_FILE = new URL('config/rag-config.yaml', PROJECT);

/** A variable with what it is where nobody set it, as the configuration writes them. */
const variable = (name: string, otherwise: string): string => `\${${name}:-${otherwise}}`;

/** Section 16.2, which section 5.1 has no place for: its names, with a variable for each. */
const ROLLOUT = {
  rag_enrichment: variable('RAG_ENRICHMENT', 'true'),
  rolloutPercentage: variable('ROLLOUT_PERCENTAGE', '100'),
  shadow: variable('ROLLOUT_SHADOW', 'false'),
};

/** What a file of configuration holds. */
export interface RagFile {
  readonly rag: Extract<RAGConfig, { readonly rag?: unknown }>['rag'] & {
    readonly sources: readonly DataSourceConfig[];
  };
}

/** Addresses of this machine that the document's configuration has no place for. */
export interface LocalServers {
  /** A Confluence site and an Azure DevOps project, as `npm run services` starts them. */
  readonly services?: string | undefined;
  /** A Chroma server that runs already, in place of one that is started on its folder. */
  readonly chroma?: string | undefined;
}

/**
 * The configuration, with how it is rolled out, and what it does not say of servers on this machine: where Chroma and Azure DevOps are, and that the
 * services may lie in a private network. Sites of the internet need none of the latter.
 */
export function readSettings({ services, chroma }: LocalServers = {}): RagFile {
  const { rag } = parse(readFileSync(CONFIG_FILE, 'utf8')) as RagFile;
  const rollout = ROLLOUT as object as RagFile['rag']['rollout'];
  return {
    rag: {
      ...rag,
      rollout,
      ...(chroma === undefined ? {} : { storage: { ...rag.storage, server: { url: chroma } } }),
      sources:
        services === undefined ? rag.sources : rag.sources.map((source) => onThisMachine(source, services)),
    },
  };
}

function onThisMachine(source: DataSourceConfig, services: string): DataSourceConfig {
  switch (source.type) {
    case 'confluence':
      return { ...source, allowPrivateNetwork: true };
    case 'azure_devops':
      return { ...source, allowPrivateNetwork: true, baseUrl: `${services}/azure` };
    default:
      return source;
  }
}

/** The variables of the document that the two services of `npm run services` need. */
export const serviceVariables = (services: string): Readonly<Record<string, string>> => ({
  CONFLUENCE_ENABLED: 'true',
  CONFLUENCE_URL: `${services}/confluence`,
  CONFLUENCE_USER: 'chef@orchard.example',
  CONFLUENCE_TOKEN: 'confluence-token',
  AZURE_ENABLED: 'true',
  AZURE_ORG: 'orchard',
  AZURE_PROJECT: 'Shop',
  AZURE_PAT: 'azure-token',
});
