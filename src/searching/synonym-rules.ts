import { stat } from 'node:fs/promises';
import { readSynonymRule, ruleLines, type SynonymRule } from '../analysis/synonyms.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { readRegularText } from '../security/regular-file.js';

interface ReadFile {
  /** Time and size of the file when it was read. */
  readonly state: string;
  readonly rules: readonly SynonymRule[];
}

interface WithSynonyms {
  readonly rag: { readonly retrieval: Pick<ResolvedConfig['rag']['retrieval'], 'synonyms'> };
}

const read = new Map<string, ReadFile>();

/**
 * The synonyms of a configuration, those of its file as it is now.
 *
 * @throws RAGError `CONFIG_INVALID` where the file cannot be read or a line of it is no rule.
 */
export async function synonymRules({ rag }: WithSynonyms): Promise<readonly SynonymRule[]> {
  const { rules, file } = rag.retrieval.synonyms;
  const stated = rules.flatMap((rule) => readSynonymRule(rule) ?? []);
  return file === undefined ? stated : [...stated, ...(await rulesOfFile(file))];
}

async function rulesOfFile(file: string): Promise<readonly SynonymRule[]> {
  try {
    const { mtimeMs, size } = await stat(file);
    const state = `${mtimeMs} ${size}`;
    const before = read.get(file);
    if (before?.state === state) return before.rules;
    const rules = ruleLines(await readRegularText(file)).map(({ line, rule }) => {
      const found = readSynonymRule(rule);
      if (found === undefined) throw invalid(`Line ${line} of ${file} is no synonym rule. ${HOW_TO_WRITE}`);
      return found;
    });
    read.set(file, { state, rules });
    return rules;
  } catch (error) {
    if (RAGError.isInstance(error)) throw error;
    throw invalid(`The file of synonyms ${file} (rag.retrieval.synonyms.file) cannot be read.`, error);
  }
}

export const HOW_TO_WRITE =
  'Write `k8s, kubernetes` for words that mean the same, or `pager => on-call phone` for one way.';

const invalid = (message: string, cause?: unknown): RAGError =>
  new RAGError('CONFIG_INVALID', message, {
    details: { key: 'rag.retrieval.synonyms.file' },
    ...(cause === undefined ? {} : { cause }),
  });
