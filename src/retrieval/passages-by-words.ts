import type { Notice } from '../core/notice.js';
import { type Candidate, type FoundCandidate, withoutContribution } from './candidate.js';

/**
 * Passages in a script that the embedding model does not read, as a search met them: their vectors tell nothing of what they say, so what
 * the dense lane gave them is taken away, and what nothing else found is left out.
 */
export class PassagesByWords {
  readonly #reads: (text: string) => boolean;
  readonly #met = new Set<string>();

  /** @param reads whether the model knows the script of a text */
  constructor(reads: (text: string) => boolean) {
    this.#reads = reads;
  }

  /** The candidates in their order, each by what may be said of it. */
  take(candidates: readonly Candidate[]): Candidate[] {
    return candidates.flatMap((candidate) => {
      if (candidate.semanticScore === undefined || this.#reads(candidate.chunk.content)) return [candidate];
      this.#met.add(candidate.chunk.id);
      const { semanticScore: _, ...byWords } = withoutContribution(candidate, 'dense');
      const isFound =
        byWords.holdsIdentifier || byWords.keywordScore !== undefined || byWords.contributions.length > 0;
      return isFound ? [byWords] : [];
    });
  }

  /** @param near what was found first and what is shown: of what is far off nobody needs to know. */
  notices(near: readonly FoundCandidate[]): Notice[] {
    const count = new Set(near.map(({ chunk }) => chunk.id).filter((id) => this.#met.has(id))).size;
    if (count === 0) return [];
    const passages = count === 1 ? '1 passage is' : `${count} passages are`;
    return [
      {
        kind: 'script-unread',
        text: `${passages} in a script that the embedding model does not read, and compared with the query by words alone.`,
      },
    ];
  }
}
