import { isDeepStrictEqual } from 'node:util';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import { type AccessControl, OPEN_ACCESS } from '../../core/scope.js';
import { anyCase } from '../file-patterns.js';
import { watchUnmatched } from '../skipped-kinds.js';
import type { ReadResult, Source } from '../source.js';
import { type FileContent, type FileSelection, listFiles, readListedFile, rooted } from '../source-files.js';
import { findPbis, type PbiCandidate } from './find-pbis.js';
import { parsePbiFile } from './parse-pbi-file.js';
import { assertMarkedNames, type MetadataExtractor, toPbiDocument } from './pbi-document.js';
import { checkPbi, DEFAULT_PBI_SCHEMA, fieldOf, type PbiSchema, type SchemaMismatch } from './pbi-schema.js';

export interface PbiJsonSourceOptions extends FileSelection {
  /** Types of named fields. Default {@link DEFAULT_PBI_SCHEMA}; `id` and `title` are text and required in any case. */
  readonly schema?: PbiSchema | undefined;
  /** Beside {@link DEFAULT_PBI_EXTRACTORS}; one with the same `to` replaces that of them. */
  readonly extractors?: readonly MetadataExtractor[] | undefined;
  /** Metadata fields that stand in no text. @default none */
  readonly markedFields?: readonly string[] | undefined;
  /** Added to every document. */
  readonly metadata?: Metadata;
  /** `metadata.sourceType` where `metadata` gives none. Default `pbi`. */
  readonly sourceType?: string;
  /** A file without any place for PBIs (`findPbis` has the rule) is reported, or quietly gives nothing. Default `report`. */
  readonly unrecognised?: 'report' | 'ignore';
  /** Default: everyone in the tenant. */
  readonly access?: AccessControl;
}

// A list of ten thousand numbers where text is expected is one mistake, not ten thousand lines.
const MISMATCHES_SHOWN = 5;

/** What a folder stands for. */
export const JSON_TYPES = ['json', 'ndjson', 'jsonl'].map((extension) => `*.${anyCase(extension)}`);

/**
 * Product backlog items in the JSON outputs of a pipeline: one PBI, an array, NDJSON, or a wrapper such as
 * `final-output.json` (see `findPbis`). A file is one item; each of its PBIs is a document with the id `path#id`.
 *
 * Copies of a PBI inside one file are merged where they are equal; where they differ the first is kept and each later
 * one is reported as `DOCUMENT_DUPLICATE_ID`. The same PBI in several files is several documents. `.gitignore` files
 * are not honoured by default, because pipeline outputs are usually ignored by Git.
 *
 * @throws RAGError `CONFIG_INVALID` for an extractor that copies what is encrypted under a name that is not
 */
export function createPbiJsonSource(given: PbiJsonSourceOptions): Source {
  const { name, extractors = [], markedFields = [] } = given;
  assertMarkedNames(name, { extractors, markedFields });
  const options = rooted(given);
  const { selection, ...unmatched } = watchUnmatched(options);
  return {
    name: options.name,
    type: 'pbi_json',
    listing: 'complete',
    preferredChunking: 'pbi_aware',
    list: (listOptions) => listFiles(selection, { fileTypes: JSON_TYPES, gitignore: false }, listOptions),
    ...unmatched,
    read: (item, signal) =>
      readListedFile(options, item, {
        signal,
        toResult: (file) => new PbiFileReader(item.id, file, options).read(),
      }),
  };
}

/** Collects the documents and failures of one file. */
class PbiFileReader {
  readonly #path: string;
  readonly #file: FileContent;
  readonly #options: PbiJsonSourceOptions;
  readonly #documents: RawDocument[] = [];
  readonly #failures: { externalId: string; error: RAGError }[] = [];
  readonly #notices: string[] = [];
  readonly #firstOfId = new Map<string, PbiCandidate>();

  constructor(path: string, file: FileContent, options: PbiJsonSourceOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  read(): ReadResult {
    const { parts, failures } = parsePbiFile(this.#path, this.#file.content);
    for (const { where, error } of failures) this.#fail(where, error);
    for (const { value, line } of parts) {
      const found = findPbis(value);
      const prefix = line === undefined ? '' : `line ${line}: `;
      if (!found.hasPlace) this.#reportUnrecognised(line === undefined ? '' : `line ${line}`);
      for (const { path, actual } of found.misplaced) {
        this.#reportMismatches(`${prefix}${path}`, [
          { path: `${prefix}${path}`, expected: 'object', actual },
        ]);
      }
      for (const candidate of found.candidates) {
        this.#takeCandidate({ ...candidate, path: prefix + candidate.path });
      }
    }
    return { documents: this.#documents, failures: this.#failures, notices: this.#notices };
  }

  #takeCandidate(candidate: PbiCandidate): void {
    const { pbi, path } = candidate;
    const id = fieldOf(pbi, 'id');
    const mismatches = checkPbi(pbi, path, this.#options.schema ?? DEFAULT_PBI_SCHEMA);
    if (typeof id !== 'string' || mismatches.length > 0) {
      this.#reportMismatches(typeof id === 'string' && id !== '' ? id : path, mismatches);
      return;
    }
    const first = this.#firstOfId.get(id);
    if (first === undefined) {
      this.#firstOfId.set(id, candidate);
      this.#documents.push(this.#toDocument(id, candidate));
    } else if (!isDeepStrictEqual(first.pbi, pbi)) this.#reportDuplicate(id, first.path, path);
  }

  #toDocument(id: string, { pbi }: PbiCandidate): RawDocument {
    const { metadata, sourceType = 'pbi', extractors, markedFields = [], access } = this.#options;
    return toPbiDocument(pbi, {
      externalId: this.#idOf(id),
      extractors: extractors ?? [],
      markedFields,
      metadata: { sourceType, ...metadata },
      access: access ?? OPEN_ACCESS,
    });
  }

  #reportMismatches(where: string, mismatches: readonly SchemaMismatch[]): void {
    const list = mismatches
      .slice(0, MISMATCHES_SHOWN)
      .map(({ path, expected, actual }) => `${path} must be ${expected}, is ${actual}`);
    if (mismatches.length > list.length) list.push(`and ${mismatches.length - list.length} more`);
    this.#fail(
      where,
      this.#error(
        'DOCUMENT_INVALID',
        `a PBI does not satisfy the schema: ${list.join('; ')}. Correct the file, or the \`schema\` of source "${this.#options.name}".`,
        { mismatches: list },
      ),
    );
  }

  #reportDuplicate(id: string, firstPath: string, path: string): void {
    this.#fail(
      `${id} (${path})`,
      this.#error(
        'DOCUMENT_DUPLICATE_ID',
        `the PBI at ${path} has the id of the one at ${firstPath} and differs from it. The first is kept; give the other an id of its own.`,
        { firstPath, path },
      ),
    );
  }

  #reportUnrecognised(where: string): void {
    if (this.#options.unrecognised === 'ignore') return;
    this.#notices.push(
      `${JSON.stringify(this.#path)}: ${where === '' ? 'the file' : where} holds no PBI. Expected an object with \`id\` and \`title\`, an array of them, or an array under \`pbis\` or a key ending in \`_pbis\`.`,
    );
  }

  #error(
    reason: 'DOCUMENT_INVALID' | 'DOCUMENT_DUPLICATE_ID',
    what: string,
    details: Readonly<Record<string, string | readonly string[]>>,
  ): RAGError {
    return new RAGError(reason, `${JSON.stringify(this.#path)}: ${what}`, {
      details: { file: this.#path, ...details },
    });
  }

  #fail(where: string, error: RAGError): void {
    this.#failures.push({ externalId: where === '' ? this.#path : this.#idOf(where), error });
  }

  #idOf(part: string): string {
    return `${this.#path}#${part}`;
  }
}
