/**
 * What a notice is about. A program may act on a kind; the words of a notice may change. Faces that show notices to others than
 * maintainers of the index choose by the kind, and show nothing of one that they do not know.
 */
export const NOTICE_KINDS = [
  /** Retrieval is switched off. */
  'retrieval-off',
  /** The query holds no letter and no digit. */
  'query-wordless',
  /** The query, or passages that were near it, are in a script that the embedding model does not read, and were compared by their words. */
  'script-unread',
  /** The query seems to be in a language that the embedding model was not made for, and nothing matches well. */
  'language-unread',
  /** Of the query a part was searched for. */
  'query-cut',
  /** What phrases, minus signs and stars of the query did. */
  'query-operators',
  /** The words of the query were not checked for typing mistakes. */
  'words-unchecked',
  /** No passage passes the filters, or a name in them is of nothing. */
  'filters-empty',
  /** Documents of an earlier version keep fields where a filter may not find them. */
  'filters-incomplete',
  /** The tenant holds nothing that the scope may read. */
  'nothing-readable',
  /** Passages were found and left out, because they score less than a threshold. */
  'below-threshold',
  /** Of passages that say nearly the same an answer has the first. */
  'alike-left-out',
  /** Nothing was relevant enough, and less relevant passages were taken, or there are none either. */
  'search-widened',
  /** The index was searched as it was at a time. */
  'as-of',
  /** The tenant keeps documents that the scope may not read. */
  'documents-hidden',
  /** Encrypted metadata of what was found cannot be decrypted, and is left out. */
  'metadata-undecryptable',
  /** An index run or a rebuild has not ended. */
  'run-unfinished',
  /** The index is in another store than the configuration names. */
  'store-elsewhere',
  /** The store that is asked first does not answer, or has not everything yet; another one that has answered. */
  'store-failover',
  /** About the embedding model: another one stands in, its cache does not work. */
  'embedding-model',
  /** Another reranker stands in for the one that is configured. */
  'reranking-model',
  /** Queries are not read by what was learnt of the index. */
  'adaptation-off',
  /** Documents that an older version indexed are not in the graph. */
  'graph-incomplete',
  /** More is connected in the graph than was looked at. */
  'graph-cut',
  /** Not everything that is alike was compared. */
  'conflicts-cut',
  /** Documents have not been examined for duplicates and conflicts. */
  'conflicts-incomplete',
  /** Sources of an answer contradict each other. */
  'sources-conflict',
  /** A way of searching failed or did less than it should, and the others answered. */
  'search-degraded',
  /** A cache that processes share does not answer: the results are the same, and take longer. */
  'cache-unavailable',
  /** Something was left out of a search to keep the deadline of an answer. */
  'deadline',
  /** The results are those of an earlier question that means nearly the same. */
  'semantic-cache',
  /** Nothing could be searched, and what was written for such times is said. */
  'static-response',
  /** A passage holds text that reads like an instruction to a language model. */
  'passage-instructs',
  /** Something found no room in the context. */
  'context-cut',
  /** Earlier turns or instructions found no room in the prompt. */
  'prompt-cut',
  /** The follow-up was made to stand on its own without the language model. */
  'follow-up-by-rules',
  /** The answer was extracted without the language model. */
  'model-failed',
  /** The model's answer is not complete. */
  'answer-incomplete',
  /** The question compares two things, and the answer tells of one. */
  'answer-one-sided',
  /** Citations were dropped or added. */
  'citations-changed',
  /** The sources do not show that they say sentences of a language model: these are marked, or were removed. */
  'sentences-unsupported',
  /** Sentences of a language model were removed, because the sources say otherwise. */
  'sentences-removed',
  /** No sentence of a language model's answer was left, and a passage is quoted in its place. */
  'answer-removed',
  /** The model's check of the answer failed. */
  'support-check-failed',
  /** What a language model, a reranker or a program's own part said. */
  'of-a-part',
  /** A service has something to say and does not tell it to its callers. */
  'withheld',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something that a person should know beside results: its kind, and words for maintainers of the index. */
export interface Notice {
  readonly kind: NoticeKind;
  /** May name settings, paths and what a provider said. */
  readonly text: string;
}

/** Notices as responses hold them. */
export interface ToldNotices {
  /** What a person should know. */
  readonly notices: readonly string[];
  /** The kind of each notice, in the order of `notices`. */
  readonly noticeKinds: readonly NoticeKind[];
}

export const toldNotices = (notices: readonly Notice[]): ToldNotices => ({
  notices: notices.map(({ text }) => text),
  noticeKinds: notices.map(({ kind }) => kind),
});

/** Texts as notices of one kind. */
export const noticesOfKind = (kind: NoticeKind, texts: readonly string[]): Notice[] =>
  texts.map((text) => ({ kind, text }));

/** Notices of a part that need not say kinds. */
export interface StatedNotices {
  readonly notices: readonly string[];
  readonly noticeKinds?: readonly NoticeKind[] | undefined;
}

/** The notices of a response; what has no kind is of a part that says none. */
export const statedNotices = ({ notices, noticeKinds = [] }: StatedNotices): Notice[] =>
  notices.map((text, at) => ({ kind: noticeKinds[at] ?? 'of-a-part', text }));

/** Each text once. */
export const distinctNotices = (notices: readonly Notice[]): Notice[] => [
  ...new Map(notices.map((notice) => [notice.text, notice])).values(),
];
