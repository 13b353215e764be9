import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from '../config/expand-variables.js';
import { loadConfig } from '../config/load-config.js';
import { RAGError, systemErrorCode, throwIfAborted, toRAGError } from '../core/errors.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { StarterDocument } from '../evaluation/starter-questions/starter-document.js';
import { suggestQuestions } from '../evaluation/starter-questions/suggest-questions.js';
import { pathSource } from '../indexing/configured-sources.js';
import type { ConfiguredSource } from '../indexing/source-task.js';
import { isUnreadable } from '../sources/source.js';

/** Which folder questions are made of. */
export interface InitQuestionsOptions {
  /** Folder of documents, relative to `cwd`. */
  readonly folder: string;
  /** The file to write, relative to `cwd`. */
  readonly out: string;
  /** Replace a file that is there: it may hold questions that somebody wrote. @default false */
  readonly force?: boolean;
  /** @default 60 */
  readonly max?: number;
  /** @default 1 */
  readonly seed?: number;
  readonly configFile?: string;
  readonly cwd?: string;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal;
}

/** A question set that was started. */
export interface InitQuestionsReport {
  /** Absolute path of the file. */
  readonly file: string;
  readonly documents: number;
  readonly questions: number;
  /** Number of questions by type: `link`, `acronym`, `heading`. */
  readonly byType: Readonly<Record<string, number>>;
  /** What such questions can show, and what they cannot. */
  readonly caveat: string;
  readonly notices: readonly string[];
}

/** What is printed with every started question set. */
export const STARTER_CAVEAT =
  'These questions are in the words of the documents themselves. They can show that something broke: documents that are gone or unreadable, a lane that is off, chunks that are cut badly; so they suit `ragstone eval --gate`. They cannot show how well people find: headings stand beside the passages they ask for, so almost any setting finds them, and a setting that wins here may lose on real questions. Put real ones in their place: 50 from search logs, chats and tickets are worth more than all of these.';

/**
 * Writes a starter question set from the user's own folder, in the format that `evaluate` reads.
 *
 * @throws RAGError `USAGE` where the file is there already or the folder suggests no question.
 */
export async function initQuestions(options: InitQuestionsOptions): Promise<InitQuestionsReport> {
  const { folder, out, force = false, max, seed, configFile, cwd = process.cwd(), env, signal } = options;
  const config = await loadConfig({ cwd, env, file: configFile });
  const source = await pathSource(folder, config, cwd);
  const { documents, notices } = await readDocuments(source, signal);
  const questions = suggestQuestions(documents, withoutUndefined({ max, seed }));
  if (questions.length === 0)
    throw new RAGError(
      'USAGE',
      `The ${documents.length} documents of ${folder} suggest no question: there are neither headings of three words with text below them, nor links between documents, nor definitions of acronyms. Write questions by hand; docs/evaluation.md has the format.`,
    );
  const file = resolve(cwd, out);
  const text = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  await writeNew(file, text, force);
  const byType: Record<string, number> = {};
  for (const { type } of questions) byType[type] = (byType[type] ?? 0) + 1;
  return {
    file,
    documents: documents.length,
    questions: questions.length,
    byType,
    caveat: STARTER_CAVEAT,
    notices,
  };
}

async function readDocuments(
  { source, preparation: { parsers } }: ConfiguredSource,
  signal: AbortSignal | undefined,
): Promise<{ documents: StarterDocument[]; notices: string[] }> {
  const documents: StarterDocument[] = [];
  const notices: string[] = [];
  for await (const item of source.list(signal === undefined ? {} : { signal })) {
    throwIfAborted(signal);
    if (isUnreadable(item)) {
      notices.push(`${item.id}: ${item.error.message}`);
      continue;
    }
    try {
      const { documents: raws, failures } = await source.read(item, signal);
      notices.push(...failures.map(({ externalId, error }) => `${externalId}: ${error.message}`));
      for (const raw of raws) {
        const parsed = await parsers.get(raw.mediaType)?.parse(raw);
        if (parsed !== undefined) documents.push({ path: raw.externalId, ...parsed });
      }
    } catch (error) {
      const failure = toRAGError(error, 'DOCUMENT_UNREADABLE', `"${item.id}" could not be read.`);
      if (failure.reason === 'ABORTED') throw failure;
      notices.push(`${item.id}: ${failure.message}`);
    }
  }
  return { documents, notices };
}

async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const code = systemErrorCode(cause);
    const problem =
      code === 'EEXIST'
        ? 'is there already; --force replaces it'
        : `cannot be written (${code ?? 'unknown error'})`;
    throw new RAGError('USAGE', `${file} ${problem}.`, { cause, details: { file } });
  }
}
