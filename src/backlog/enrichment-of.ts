import type { SearchResult } from '../index.js';
import type { ContextEnrichment, PastDecision, SimilarWork, TechnicalDoc } from './context-enrichment.js';
import { suggestionsFor } from './suggestions.js';
import { decisionOf, learningsOf, withoutFrontMatter } from './telling-sentences.js';

/** Characters of a passage of a page. */
const SECTION_LENGTH = 200;

/** What was found of an item: other items, pages, and passages that may state a decision. */
export interface FoundPassages {
  readonly work: readonly SearchResult[];
  readonly pages: readonly SearchResult[];
  readonly decisions: readonly SearchResult[];
}

/** Search results in the shape of section 8. A passage that states a decision is named as one, beside where it stands already. */
export function enrichmentOf({ work, pages, decisions }: FoundPassages): ContextEnrichment {
  const passages = [...decisions, ...pages, ...work];
  const found = {
    similar_work: work.map(similarWork),
    past_decisions: [
      ...byRef(
        passages.flatMap((result) => pastDecision(result) ?? []),
        ({ ref }) => ref,
      ),
    ].flatMap(([, [first]]) => first ?? []),
    technical_docs: technicalDocs(pages),
  };
  return { ...found, risk_flags: [], suggestions: suggestionsFor(found) };
}

const similarWork = (result: SearchResult): SimilarWork => ({
  ref: refOf(result),
  title: result.metadata.title ?? 'Similar PBI',
  similarity: Math.round(result.score * 100),
  learnings: learningsOf(result.content),
  link: linkOf(result),
});

function pastDecision(result: SearchResult): PastDecision | undefined {
  const { title = '', headingPath, updatedAt, createdAt } = result.metadata;
  const decision = decisionOf({ text: result.content, title, headings: headingPath });
  if (decision === undefined) return undefined;
  const date = updatedAt ?? createdAt;
  return {
    ref: refOf(result),
    title: title || 'Decision',
    decision,
    ...(date === undefined ? {} : { date: date.toISOString() }),
    link: linkOf(result),
  };
}

/** Pages in the order of their best passage, each with the passages that were found of it. */
const technicalDocs = (pages: readonly SearchResult[]): TechnicalDoc[] =>
  [...byRef(pages, refOf)].flatMap(([ref, passages]) => {
    const [best] = passages;
    if (best === undefined) return [];
    return {
      ref,
      title: best.metadata.title ?? 'Documentation',
      relevant_sections: passages.flatMap(sectionOf),
      link: linkOf(best),
    };
  });

/** Nothing where a passage is only the front matter of its page. */
function sectionOf({ content }: SearchResult): string[] {
  const text = withoutFrontMatter(content);
  return text === '' ? [] : [text.slice(0, SECTION_LENGTH)];
}

function byRef<Found>(found: readonly Found[], ref: (one: Found) => string): Map<string, Found[]> {
  const groups = new Map<string, Found[]>();
  for (const one of found) groups.set(ref(one), [...(groups.get(ref(one)) ?? []), one]);
  return groups;
}

/** The name that people use: the item's own id; else the path or id of its document. */
function refOf({ metadata }: SearchResult): string {
  const id = metadata.pbi_id ?? metadata.workItemId ?? metadata.bug_id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : metadata.source;
}

const linkOf = ({ metadata }: SearchResult): string => metadata.url ?? '#';
