import { access } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { readRegularText } from '../platform/security/regular-file.js';
import { type DatasetLine, datasetError, datasetLines, parseObject, textField } from './dataset-lines.js';
import type { Judgments } from './metrics.js';

export interface DatasetDocument {
  readonly id: string;
  /** Empty where the set has none. */
  readonly title: string;
  readonly text: string;
  /** Passages of the larger document that this one is a piece of, where the set says so (see `withSurroundings`). */
  readonly surroundings?: readonly string[];
}

/** A document of a data set with its place in the larger document that it was cut from. */
interface PieceOfDocument extends DatasetDocument {
  readonly whole?: string;
  readonly index?: number;
}

/** `metadata.doc_id` and `metadata.index` of a corpus line, where a set of chunks states them. */
function placeOf(metadata: unknown): Pick<PieceOfDocument, 'whole' | 'index'> {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const whole = 'doc_id' in metadata ? metadata.doc_id : undefined;
  const index = 'index' in metadata ? metadata.index : undefined;
  return typeof whole === 'string' && typeof index === 'number' ? { whole, index } : {};
}

/** As an index that cut the documents itself would know them (see `codeChunks`). */
const REACHES = [1, 2] as const;

/** Gives each piece the passages around it, as it would have them if the engine had cut the larger document. */
function withSurroundings(pieces: readonly PieceOfDocument[]): DatasetDocument[] {
  const texts = new Map(pieces.map(({ whole, index, text }) => [keyOf(whole, index), text] as const));
  return pieces.map(({ whole, index, ...document }) => {
    if (whole === undefined || index === undefined) return document;
    const passage = (reach: number): string =>
      Array.from(
        { length: 2 * reach + 1 },
        (_, at) => texts.get(keyOf(whole, index - reach + at)) ?? '',
      ).join('\n');
    return { ...document, surroundings: REACHES.map(passage) };
  });
}

const keyOf = (whole: string | undefined, index: number | undefined): string =>
  JSON.stringify([whole, index]);

export interface DatasetQuery {
  readonly id: string;
  readonly text: string;
}

/** How results are compared with judgments: by document id, or by the document's text. */
export type ScoreBy = 'id' | 'text';

/** What a data set says about itself in `ragstone-dataset.json`; flags win over it. */
export interface DatasetSettings {
  /** Drop the query's own document from the results; see `isOwnDocument`. */
  readonly dropSelf?: boolean | undefined;
  readonly scoreBy?: ScoreBy | undefined;
}

/** A test collection: documents, queries, and judgments of one split. */
export interface RetrievalDataset {
  /** Name of the folder. */
  readonly name: string;
  readonly split: string;
  readonly documents: readonly DatasetDocument[];
  /** The split's judged queries with at least one relevant document, in the order of their file. */
  readonly queries: readonly DatasetQuery[];
  /** By query id. */
  readonly judgments: ReadonlyMap<string, Judgments>;
  /** Relevant documents that the corpus lacks: nothing can find them, and trec_eval counts them as missed all the same. */
  readonly missingDocuments: number;
  readonly settings: DatasetSettings;
}

export interface ReadDatasetOptions {
  /** Name of the qrels file without extension. Default `test`. */
  readonly split?: string;
  /** Name of the queries file. Default `queries-<split>.jsonl` where it exists, else `queries.jsonl`. */
  readonly queriesFile?: string;
}

/** The optional file in which a data set says how it is to be scored. */
export const SETTINGS_FILE = 'ragstone-dataset.json';

const SETTINGS_SCHEMA = z.strictObject({
  dropSelf: z.boolean().optional(),
  scoreBy: z.enum(['id', 'text']).optional(),
});

/**
 * Reads a folder in BEIR layout (Thakur et al. 2021): `corpus.jsonl` {_id, title, text}, `queries.jsonl` {_id, text},
 * `qrels/<split>.tsv` with a header and the columns query-id, corpus-id, score.
 *
 * @throws RAGError `DATASET_INVALID` naming file and line; `USAGE` for a split that is not a plain name.
 */
export async function readRetrievalDataset(
  folder: string,
  { split = 'test', queriesFile }: ReadDatasetOptions = {},
): Promise<RetrievalDataset> {
  for (const name of [split, queriesFile ?? 'queries.jsonl']) assertPlainName(name);
  const settings = await readSettings(folder);
  const judgments = await readJudgments(join(folder, 'qrels', `${split}.tsv`));
  const documents = withSurroundings(await readDocuments(join(folder, 'corpus.jsonl')));
  const file = join(folder, queriesFile ?? (await defaultQueriesFile(folder, split)));
  const queries = await readJudgedQueries(file, judgments);
  const name = basename(resolve(folder));
  const known = new Set(documents.map(({ id }) => id));
  const missingDocuments = [...judgments.values()]
    .flatMap((judged) => [...judged])
    .filter(([id, grade]) => grade > 0 && !known.has(id)).length;
  return { name, split, documents, queries, judgments, missingDocuments, settings };
}

function assertPlainName(name: string): void {
  if (/^[\w][\w.-]*$/.test(name)) return;
  throw new RAGError(
    'USAGE',
    `${JSON.stringify(name)} must be a plain file name inside the data set's folder, without path separators.`,
  );
}

async function readSettings(folder: string): Promise<DatasetSettings> {
  const file = join(folder, SETTINGS_FILE);
  try {
    return SETTINGS_SCHEMA.parse(JSON.parse(await readRegularText(file)));
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return {};
    throw new RAGError(
      'DATASET_INVALID',
      `${file} must be a JSON object with "dropSelf" (true or false) and "scoreBy" ("id" or "text"), both optional.`,
      { cause, details: { file } },
    );
  }
}

async function defaultQueriesFile(folder: string, split: string): Promise<string> {
  const own = `queries-${split}.jsonl`;
  return access(join(folder, own)).then(
    () => own,
    () => 'queries.jsonl',
  );
}

async function readDocuments(file: string): Promise<PieceOfDocument[]> {
  const documents: PieceOfDocument[] = [];
  const seen = new Set<string>();
  for await (const line of datasetLines(file)) {
    const object = parseObject(line);
    const id = idField(object, line, seen);
    const title = object.title === undefined || object.title === null ? '' : textField(object, 'title', line);
    documents.push({ id, title, text: textField(object, 'text', line), ...placeOf(object.metadata) });
  }
  return documents;
}

async function readJudgedQueries(
  file: string,
  judgments: ReadonlyMap<string, Judgments>,
): Promise<DatasetQuery[]> {
  const queries: DatasetQuery[] = [];
  const seen = new Set<string>();
  for await (const line of datasetLines(file)) {
    const object = parseObject(line);
    const id = idField(object, line, seen);
    if (hasRelevant(judgments.get(id))) queries.push({ id, text: textField(object, 'text', line) });
  }
  for (const [id, judged] of judgments) {
    if (seen.has(id) || !hasRelevant(judged)) continue;
    throw new RAGError(
      'DATASET_INVALID',
      `${file} lacks the query ${JSON.stringify(id)} that the judgments name.`,
      {
        details: { file, query: id },
      },
    );
  }
  return queries;
}

const hasRelevant = (judged: Judgments | undefined): boolean =>
  judged !== undefined && [...judged.values()].some((grade) => grade > 0);

// Some published sets write ids as numbers in JSON and as text in the judgments.
function idField(object: Readonly<Record<string, unknown>>, line: DatasetLine, seen: Set<string>): string {
  const raw = object._id;
  const id = typeof raw === 'number' ? String(raw) : textField(object, '_id', line);
  if (id === '') throw datasetError(line, 'the field "_id" is empty');
  if (seen.has(id)) throw datasetError(line, `the _id ${JSON.stringify(id)} is there twice`);
  seen.add(id);
  return id;
}

async function readJudgments(file: string): Promise<Map<string, Map<string, number>>> {
  const judgments = new Map<string, Map<string, number>>();
  let isFirst = true;
  for await (const line of datasetLines(file)) {
    const [query, document, score, ...rest] = line.text.split('\t');
    const grade = Number(score?.trim() || Number.NaN);
    const isHeader = isFirst && query === 'query-id';
    isFirst = false;
    if (isHeader) continue;
    if (!query || !document || !Number.isFinite(grade) || rest.length > 0) {
      throw datasetError(
        line,
        'expected three columns separated by tabs: query-id, corpus-id, score (a number)',
      );
    }
    const judged = judgments.get(query) ?? new Map<string, number>();
    judgments.set(query, judged.set(document, grade));
  }
  if (judgments.size === 0) throw datasetError({ file, line: 1 }, 'there are no judgments');
  return judgments;
}
