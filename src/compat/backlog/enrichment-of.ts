import { eq, type Filter, or, type SearchResult } from '../../index.js';
import type { ContextEnrichment, PastDecision, SimilarWork, TechnicalDoc } from './context-enrichment.js';
import { decisionOf, learningsOf, withoutFrontMatter } from './telling-sentences.js';

/** Characters of a passage of a page. */
const SECTION_LENGTH = 200;

/** What was found of an item: other items, pages, and passages that may state a decision. */
export interface FoundPassages {
  readonly work: readonly SearchResult[];
  readonly pages: readonly SearchResult[];
  readonly decisions: readonly SearchResult[];
}

/**
 * What matches less well is left out, from 0 to 1. Measured by `npm run bench:similar-work` on items that are to learn from (66 of Hadoop, 250 of three Jira projects):
 * at 0.2 none of them loses what it should find, at 0.3 one in eighty does.
 */
const LEAST_SIMILAR = 0.2;

/** What matches better is worth a suggestion: `somewhat` or more. */
const WORTH_SUGGESTING = 0.5;

/** Search results in the shape of section 8. A passage that states a decision is named as one, beside where it stands already. */
export function enrichmentOf(found: FoundPassages): ContextEnrichment {
  const [work = [], pages = [], decisions = []] = [found.work, found.pages, found.decisions].map((results) =>
    results.filter(({ score }) => score >= LEAST_SIMILAR),
  );
  const enrichment = listsOf({ work, pages, decisions });
  const isNear = ({ score }: SearchResult): boolean => score >= WORTH_SUGGESTING;
  const near = listsOf({
    work,
    pages: pages.filter(isNear),
    decisions: decisions.filter(isNear),
  });
  return { ...enrichment, risk_flags: [], suggestions: suggestionsFor(near) };
}

type NearFindings = Pick<ContextEnrichment, 'similar_work' | 'past_decisions' | 'technical_docs'>;

/**
 * From this match on another item is worth a look before work begins: `match: 'strong'` of a result. However well it matches, it is called no
 * duplicate: of items that are as alike as can be few are (docs/backlog.md).
 */
const WORTH_READING = 70;

/** What to do with what was found, in sentences for a person; each names what it rests on. */
function suggestionsFor({ similar_work, past_decisions, technical_docs }: NearFindings): string[] {
  const [closest] = similar_work;
  const suggestions: string[] = [];
  if (closest !== undefined && closest.similarity >= WORTH_READING)
    suggestions.push(
      `Read ${closest.ref} "${closest.title}" (it matches by ${closest.similarity} %) before this is estimated.`,
    );
  const [decision] = past_decisions;
  if (decision !== undefined)
    suggestions.push(`Keep to what ${decision.ref} says, or change it on purpose: "${decision.decision}"`);
  const [page] = technical_docs;
  if (page !== undefined) suggestions.push(`Link "${page.title}" (${page.ref}) in this item.`);
  if (similar_work.length === 0 && page === undefined)
    suggestions.push('Nothing like this was found: ask who knows this area before this is estimated.');
  return suggestions;
}

/** How many passages of what was found are left out, and how well the best of them matches. */
export function tooWeakNotices({ work, pages, decisions }: FoundPassages): string[] {
  const found = [...work, ...pages, ...decisions];
  const shown = new Set(found.filter(({ score }) => score >= LEAST_SIMILAR).map(({ id }) => id));
  const weak = new Map(found.flatMap(({ id, score }) => (shown.has(id) ? [] : [[id, score] as const])));
  if (weak.size === 0) return [];
  const passages = weak.size === 1 ? '1 passage is' : `${weak.size} passages are`;
  return [
    `${passages} left out, matching by less than ${percent(LEAST_SIMILAR)} %; the best of them by ${percent(Math.max(...weak.values()))} %.`,
  ];
}

const percent = (score: number): number => Math.floor(100 * score);

function listsOf({
  work,
  pages,
  decisions,
}: FoundPassages): Pick<ContextEnrichment, 'similar_work' | 'past_decisions' | 'technical_docs'> {
  const passages = [...decisions, ...pages, ...work];
  return {
    similar_work: work.map(similarWork),
    past_decisions: [
      ...byRef(
        passages.flatMap((result) => pastDecision(result) ?? []),
        ({ ref }) => ref,
      ),
    ].flatMap(([, [first]]) => first ?? []),
    technical_docs: technicalDocs(pages),
  };
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

/** Fields by which an item is called, as its source has it, the first that there is. */
const ID_FIELDS = ['pbi_id', 'workItemId', 'bug_id', 'source'] as const;

/** The name that people use: the item's own id; else the path or id of its document. */
function refOf({ metadata }: SearchResult): string {
  const id = ID_FIELDS.map((field) => metadata[field]).find((value) => value !== undefined);
  return typeof id === 'string' || typeof id === 'number' ? String(id) : metadata.source;
}

/** What is called so, whether its source writes ids as text or as numbers. */
export const isCalled = (id: string): Filter =>
  or(...ID_FIELDS.flatMap((field) => [eq(field, id), ...(isNumeral(id) ? [eq(field, Number(id))] : [])]));

const isNumeral = (id: string): boolean => /^\d{1,15}$/.test(id);

const linkOf = ({ metadata }: SearchResult): string => metadata.url ?? '#';
