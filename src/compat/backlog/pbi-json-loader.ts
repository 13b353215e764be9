import { loadConfig } from '../../config/load-config.js';
import { RAGError } from '../../core/errors.js';
import type { RawDocument } from '../../index.js';
import { createSourceNamed } from '../../resources/assembly/open-sources.js';
import type { DataSource } from './document-names.js';

/** Section 2.2: content of a source. */
export interface IDocumentLoader {
  canLoad(source: DataSource): boolean;
  load(source: DataSource): Promise<RawDocument[]>;
  extractMetadata(document: RawDocument): RawDocument['metadata'];
}

/** Backlog items in JSON files: one object, a list, or one object a line. */
export class PBIJSONLoader implements IDocumentLoader {
  readonly #cwd: string;

  /** @param cwd folder that relative paths start from. Default: that of the process */
  constructor({ cwd = process.cwd() }: { readonly cwd?: string } = {}) {
    this.#cwd = cwd;
  }

  canLoad(source: DataSource): boolean {
    return typeof source === 'object' && 'type' in source && source.type === 'pbi_json';
  }

  /** Every item of a source of the type `pbi_json`. Throws `USAGE` for another one, and what the first item that cannot be read failed for. */
  async load(source: DataSource): Promise<RawDocument[]> {
    if (typeof source !== 'object' || !('type' in source) || source.type !== 'pbi_json')
      throw new RAGError('USAGE', 'PBIJSONLoader takes a configuration of a source of the type "pbi_json".');
    const config = await loadConfig({ config: { sources: [source] }, cwd: this.#cwd });
    const opened = (await createSourceNamed(source.name, config)).source;
    const loaded: RawDocument[] = [];
    for await (const item of opened.list()) {
      if ('error' in item) throw item.error;
      const { documents, failures } = await opened.read(item);
      for (const { error } of failures) throw error;
      loaded.push(...documents);
    }
    return loaded;
  }

  /** Facts of an item: `pbi_id`, `timestamp`, `quality_score` and what the source's `extractors` name. */
  extractMetadata({ metadata }: RawDocument): RawDocument['metadata'] {
    return metadata;
  }
}
