import { stat } from 'node:fs/promises';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { readSynonymRule, ruleLines, type SynonymRule } from '../core/analysis/synonyms.js';
import { RAGError } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import { readRegularText } from '../platform/security/regular-file.js';

interface ReadFile {
  /** Time and size of the file when it was read; absent where it could not be. */
  readonly state: string | undefined;
  readonly rules: readonly SynonymRule[];
  /** Why the file as it is now is not used. */
  readonly problem?: RAGError;
}

/** Rules, and what is wrong with the file that they were read from before. */
export interface SynonymRules {
  readonly rules: readonly SynonymRule[];
  readonly notices: readonly Notice[];
}

interface WithSynonyms {
  readonly rag: { readonly retrieval: Pick<ResolvedConfig['rag']['retrieval'], 'synonyms'> };
}

const read = new Map<string, ReadFile>();

/**
 * The synonyms of a configuration, those of its file as it is now; where it cannot be used, as it was when it last could, with a notice.
 *
 * @throws RAGError `CONFIG_INVALID` where the file cannot be read or a line of it is no rule, and this process never read it otherwise.
 */
export async function synonymRules({ rag }: WithSynonyms): Promise<SynonymRules> {
  const { rules, file } = rag.retrieval.synonyms;
  const stated = rules.flatMap((rule) => readSynonymRule(rule) ?? []);
  if (file === undefined) return { rules: stated, notices: [] };
  const { rules: ofFile, problem } = await rulesOfFile(file);
  const notice = (message: string): Notice => ({
    kind: 'search-degraded',
    text: `${message} The rules that were read before are used until it is put right.`,
  });
  return {
    rules: [...stated, ...ofFile],
    notices: problem === undefined ? [] : [notice(problem.message)],
  };
}

async function rulesOfFile(file: string): Promise<ReadFile> {
  const before = read.get(file);
  const state = await stateOf(file);
  if (before !== undefined && state !== undefined && before.state === state) return before;
  try {
    const rules = await readSynonymFile(file);
    const now = { state, rules };
    read.set(file, now);
    return now;
  } catch (error) {
    if (before === undefined || !RAGError.isInstance(error)) throw error;
    const now = { state, rules: before.rules, problem: error };
    read.set(file, now);
    return now;
  }
}

const stateOf = (file: string): Promise<string | undefined> =>
  stat(file).then(
    ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
    () => undefined,
  );

/** The rules of a file. @throws RAGError `CONFIG_INVALID` where it cannot be read or a line of it is no rule */
export async function readSynonymFile(file: string): Promise<readonly SynonymRule[]> {
  let text: string;
  try {
    text = await readRegularText(file);
  } catch (error) {
    throw invalid(`The file of synonyms ${file} (rag.retrieval.synonyms.file) cannot be read.`, error);
  }
  return ruleLines(text).map(({ line, rule }) => {
    const found = readSynonymRule(rule);
    if (found === undefined) throw invalid(`Line ${line} of ${file} is no synonym rule. ${HOW_TO_WRITE}`);
    return found;
  });
}

export const HOW_TO_WRITE =
  'Write `k8s, kubernetes` for words that mean the same, or `pager => on-call phone` for one way.';

const invalid = (message: string, cause?: unknown): RAGError =>
  new RAGError('CONFIG_INVALID', message, {
    details: { key: 'rag.retrieval.synonyms.file' },
    ...(cause === undefined ? {} : { cause }),
  });
