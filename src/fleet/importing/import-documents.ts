import type { Environment } from '../../config/expand-variables.js';
import { loadConfig } from '../../config/load-config.js';
import { groupedBy } from '../../core/grouped-by.js';
import { LOCAL_SCOPE, type ScopeInput } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine, IndexResult } from '../../operations/engine.js';
import type { CreateEngineOptions } from '../../operations/engine-options.js';
import { openForeignDocuments } from '../../resources/assembly/open-foreign-documents.js';
import type { ForeignDocument } from '../../stores/foreign-documents.js';
import { pushedDocument } from './pushed-document.js';

/** Documents that are pushed together. */
const BATCH = 200;
/** Another writer is waited for this long, in milliseconds. */
const WAIT_MS = 600_000;
/** How many documents a notice names. */
const NAMED = 5;

export interface ImportRequest {
  /** Where the other program keeps its documents: a configuration whose `provider` is `chroma` or `postgres`. */
  readonly from: { readonly configFile: string };
  /** Name of the collection in Chroma, or of the table. @default `rag.storage.local.collection` where it is stated, else `rag_documents` of PostgreSQL */
  readonly collection?: string | undefined;
  /** The index that takes them: what `createEngine` takes for it. */
  readonly to?: Omit<CreateEngineOptions, 'cwd' | 'env'> | undefined;
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  /** Only says what would be imported. @default false */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an import did. */
export interface ImportResult {
  /** What was read. */
  readonly from: string;
  /** Records there. */
  readonly records: number;
  readonly documents: number;
  /** Of these, those that were written, those that were here already, and those that could not be taken in. */
  readonly imported: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Documents without any text, which are left out. */
  readonly empty: number;
  readonly errors: IndexResult['stats']['errors'];
  /** What a person must know, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Takes in what a prototype left behind: documents of a Chroma collection or of a table `rag_documents`, under their ids, with their
 * metadata. Pieces are joined to documents, cut and embedded anew. What is here already and has not changed stays as it is, so an import
 * that was killed goes on where it is called again. The prototype's database is only read.
 *
 * @throws RAGError `COLLECTION_NOT_FOUND`, `CONFIG_INVALID` where there is nothing that can be imported; what `createEngine` throws
 */
export async function importDocuments(
  request: ImportRequest,
  scope: ScopeInput = LOCAL_SCOPE,
): Promise<ImportResult> {
  const { from, to, cwd, env, collection, dryRun = false, signal, onProgress } = request;
  const config = await loadConfig({ file: from.configFile, cwd, env });
  const foreign = await openForeignDocuments(config, collection);
  try {
    const tally = new Tally();
    const engine = dryRun ? undefined : await createEngine({ ...to, cwd, env });
    try {
      let done = 0;
      for await (const documents of foreign.documents(signal)) {
        for (const some of slicesOf(documents, BATCH)) await take(some, { engine, scope, signal, tally });
        done += documents.reduce((sum, { pieces }) => sum + pieces.length, 0);
        onProgress?.({ done, total: foreign.records });
      }
    } finally {
      await engine?.close();
    }
    return tally.result(foreign);
  } finally {
    await foreign.close();
  }
}

interface Taking {
  readonly engine: Engine | undefined;
  readonly scope: ScopeInput;
  readonly signal: AbortSignal | undefined;
  readonly tally: Tally;
}

/** Each project is a scope of its own. */
async function take(documents: readonly ForeignDocument[], taking: Taking): Promise<void> {
  const { engine, scope, signal, tally } = taking;
  for (const [project, own] of groupedBy(documents, ({ project }) => project)) {
    tally.found(own);
    const pushed = own.map(pushedDocument).filter(({ text = '' }) => text.trim() !== '');
    if (engine === undefined || pushed.length === 0) continue;
    const request = {
      documents: pushed,
      options: { waitMs: WAIT_MS },
      ...(signal === undefined ? {} : { signal }),
    };
    tally.wrote(await engine.index(request, project === undefined ? scope : { ...scope, project }));
  }
}

class Tally {
  #documents = 0;
  #imported = 0;
  #unchanged = 0;
  #failed = 0;
  readonly #errors: IndexResult['stats']['errors'][number][] = [];
  readonly #empty: string[] = [];
  readonly #incomplete: string[] = [];
  readonly #projects = new Set<string>();
  readonly #notices = new Set<string>();

  found(documents: readonly ForeignDocument[]): void {
    for (const { id, project, pieces, missing } of documents) {
      this.#documents++;
      if (pieces.every(({ text }) => text.trim() === '')) this.#empty.push(id);
      else if (missing > 0) this.#incomplete.push(id);
      if (project !== undefined) this.#projects.add(project);
    }
  }

  wrote({ stats, notices = [] }: IndexResult): void {
    this.#imported += stats.documentsProcessed;
    this.#unchanged += stats.documentsUnchanged;
    this.#failed += stats.documentsFailed;
    this.#errors.push(...stats.errors);
    for (const notice of notices) this.#notices.add(notice);
  }

  result({ place, records }: { readonly place: string; readonly records: number }): ImportResult {
    const notices = [...this.#notices];
    if (this.#incomplete.length > 0)
      notices.push(
        `Pieces are missing there of ${named(this.#incomplete)}: what there is of them was taken. Index their sources again.`,
      );
    if (this.#empty.length > 0) notices.push(`There is no text in ${named(this.#empty)}: left out.`);
    if (this.#projects.size > 0)
      notices.push(`Documents of projects were kept in their projects: ${named([...this.#projects])}.`);
    return {
      from: place,
      records,
      documents: this.#documents,
      imported: this.#imported,
      unchanged: this.#unchanged,
      failed: this.#failed,
      empty: this.#empty.length,
      errors: this.#errors,
      notices,
    };
  }
}

function named(names: readonly string[]): string {
  const shown = names
    .slice(0, NAMED)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} others` : shown;
}
