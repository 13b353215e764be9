import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../../core/chunk.js';
import { occurrencesOf } from '../../core/occurrences.js';
import type { ExpandedQuery, QueryExpander } from './query-expander.js';

/** Candidates that are taken to be relevant: measured on train data, more of them drift from the subject. */
const FEEDBACK_PASSAGES = 3;

/** Words that are added. */
const FEEDBACK_TERMS = 5;

/** A word must be in as many of the passages: one alone may be about anything. */
const MIN_PASSAGES = 2;

/** Weight of the passages' mean beside the query's own vector. */
const FEEDBACK_SHARE = 0.5;

/**
 * Pseudo-relevance feedback for words: the likeliest terms of a relevance model over the first passages (RM1 of Lavrenko and
 * Croft, SIGIR 2001), which fusion mixes with the query as RM3 does (Abdul-Jaleel et al., TREC 2004).
 */
export function createWordFeedback(): QueryExpander {
  return {
    kind: 'feedback-words',
    expand: async ({ terms }, context) => {
      const chunks = await context.leading(FEEDBACK_PASSAGES);
      return asExpansion(feedbackTerms(chunks, terms));
    },
  };
}

const asExpansion = (terms: readonly string[]): ExpandedQuery[] =>
  terms.length === 0
    ? []
    : [
        {
          kind: 'feedback-words',
          text: terms.join(' '),
          reason: `Words that at least ${MIN_PASSAGES} of the first ${FEEDBACK_PASSAGES} passages share.`,
          terms,
        },
      ];

/** Terms of the passages by their mean relative frequency, without those of the query. */
export function feedbackTerms(chunks: readonly StoredChunk[], known: readonly string[]): string[] {
  const likelihood = new Map<string, { sum: number; passages: number }>();
  for (const chunk of chunks) {
    const terms = analyzeText(indexedTextOfStored(chunk));
    for (const [term, count] of occurrencesOf(terms)) {
      const { sum = 0, passages = 0 } = likelihood.get(term) ?? {};
      likelihood.set(term, { sum: sum + count / terms.length, passages: passages + 1 });
    }
  }
  const own = new Set(known);
  return [...likelihood]
    .filter(([term, { passages }]) => passages >= MIN_PASSAGES && !own.has(term))
    .sort(([termA, a], [termB, b]) => b.sum - a.sum || (termA < termB ? -1 : 1))
    .slice(0, FEEDBACK_TERMS)
    .map(([term]) => term);
}

/**
 * Pseudo-relevance feedback for vectors: the query's vector moved towards the mean of the first passages (Rocchio 1971, without
 * negative examples; for dense retrieval Li et al., "Pseudo Relevance Feedback with Deep Language Models", TOIS 2023).
 */
export function createVectorFeedback(): QueryExpander {
  return {
    kind: 'feedback-vectors',
    expand: async ({ text }, context) => {
      const chunks = await context.leading(FEEDBACK_PASSAGES, { includeVectors: true });
      const vectors = chunks.flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
      if (vectors.length === 0) return [];
      const vector = movedTowards(await context.embedQuery(text, context.signal), vectors);
      const reason = `The direction of the query, moved towards the first ${vectors.length} passages.`;
      return [{ kind: 'feedback-vectors', text, reason, vector }];
    },
  };
}

/** Rocchio's vector; not normalised, for cosine does not ask. */
export function movedTowards(query: Float32Array, passages: readonly Float32Array[]): Float32Array {
  const share = FEEDBACK_SHARE / passages.length;
  return query.map((value, i) => passages.reduce((sum, passage) => sum + share * (passage[i] ?? 0), value));
}
