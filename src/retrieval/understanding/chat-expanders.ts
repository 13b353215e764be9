import * as z from 'zod';
import { analyzeQuery } from '../../core/analysis/lexical-analyzer.js';
import type { ChatModel } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import type { ExpandedQuery, ExpansionContext, ExpansionKind, QueryExpander } from './query-expander.js';

export type ChatExpansionKind = Extract<ExpansionKind, 'rewrite' | 'hyde' | 'multi-query'>;

/** Opens the configured language model on first use; undefined where none is configured. */
export type LoadChatModel = () => Promise<ChatModel | undefined>;

/** Longest text that is taken from a model: a passage, not an essay. */
const MAX_LENGTH = 2_000;

const MAX_OUTPUT_TOKENS = 400;

const text = z.string().trim().min(1).max(MAX_LENGTH);
const QUERIES = z.object({ queries: z.array(text).min(1).max(5) });
const PASSAGE = z.object({ passage: text });

const INSTRUCTIONS: Readonly<Record<ChatExpansionKind, string>> = {
  rewrite:
    'Rewrite the search query of the user once, in the words that documentation would use. Keep names, identifiers and numbers as they are. Do not answer it. Give one query.',
  'multi-query':
    'Write 3 search queries that ask the same as the user in other words, each from another side. Keep names, identifiers and numbers as they are. Do not answer.',
  hyde: 'Write a passage of documentation, at most 80 words, that answers the search query of the user. It is only used to find passages like it, so it may be wrong, but it must use the words that such a passage would use.',
};

const REASONS: Readonly<Record<ChatExpansionKind, string>> = {
  rewrite: 'The query in other words, by the language model.',
  'multi-query': 'The query from another side, by the language model.',
  hyde: 'A passage that the language model made up as an answer; only the direction of its vector is used.',
};

/**
 * Expansion by a language model: `rewrite`; `multi-query` (three wordings, all searched for); `hyde`, a made-up answer whose
 * vector is searched for (Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023). Only the
 * query is sent, no passage. Throws `CHAT_REJECTED` where no model is set up.
 */
export function createChatExpander(kind: ChatExpansionKind, load: LoadChatModel): QueryExpander {
  return {
    kind,
    expand: async (query, context) => {
      const model = await load();
      if (model === undefined) throw noModel(kind);
      const texts = await askFor(kind, { model, query: query.text, signal: context.signal });
      return Promise.all(texts.map((added) => expansionOf(kind, added, context)));
    },
  };
}

interface Question {
  readonly model: ChatModel;
  readonly query: string;
  readonly signal: AbortSignal | undefined;
}

async function askFor(kind: ChatExpansionKind, { model, query, signal }: Question): Promise<string[]> {
  const request = {
    messages: [
      { role: 'system', content: INSTRUCTIONS[kind] },
      { role: 'user', content: query },
    ],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  if (kind === 'hyde') return [(await model.generateObject(request, PASSAGE)).value.passage];
  const { queries } = (await model.generateObject(request, QUERIES)).value;
  return queries.slice(0, kind === 'rewrite' ? 1 : 3);
}

async function expansionOf(
  kind: ChatExpansionKind,
  added: string,
  { embedQuery, embedPassage, signal }: ExpansionContext,
): Promise<ExpandedQuery> {
  const base = { kind, text: added, reason: REASONS[kind] };
  if (kind === 'hyde') return { ...base, vector: await embedPassage(added, signal) };
  return { ...base, terms: analyzeQuery(added).terms, vector: await embedQuery(added, signal) };
}

const noModel = (kind: ChatExpansionKind): RAGError =>
  new RAGError(
    'CHAT_REJECTED',
    `${kind} asks a language model, and none is configured: set rag.chat.model, or take ${kind} out of rag.retrieval.expansion.languageModel.`,
  );
