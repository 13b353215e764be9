import { extractIdentifiers } from '../../core/analysis/identifiers.js';
import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { contentTerms, questionParts } from '../../core/analysis/question-parts.js';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { titleOf } from '../../core/chunk-metadata.js';
import type { AgentRequest, AgentStopReason, AgentTools } from './agent.js';
import type { AgentRun, PlannedStep } from './agent-run.js';
import { externalStep } from './external-passages.js';
import { linkedIds, linksTo, type PassageLink } from './passage-links.js';

/** Times as many passages as are wanted are looked at of the whole question, for others than those of its best documents. */
const WHOLE = 3;
/** Passages that the search of a part gives. */
const DEPTH = 10;
/** Passages of a document that a link leads to. */
const OF_LINKED = 2;
/** Best passages whose links are read. */
const LINKING = 12;
/** Links that are followed. */
const MOST_FOLLOWED = 3;

/**
 * Steps without a language model, after that for the whole question: its parts, then what is missing. Names of the question that no
 * passage has are searched for with the title of the best document; links of good passages that share words with the question are
 * followed. A step that adds nothing ends it.
 */
export async function followRules(
  request: AgentRequest,
  tools: AgentTools,
  run: AgentRun,
): Promise<AgentStopReason> {
  for (const step of plannedSteps(request, tools, run)) {
    const outcome = await run.do(step);
    if (typeof outcome === 'string') return outcome;
  }
  const steps = new FollowingSteps(request, tools);
  for (;;) {
    const next = steps.next(run.evidence);
    if (next === undefined) return 'answered';
    const outcome = await run.do(next);
    if (typeof outcome === 'string') return outcome;
    if (outcome.new === 0) return 'no-new-evidence';
  }
}

/** The question as it is: the beginning of every run. */
export const wholeQuestion = ({ question, first, topK }: AgentRequest): PlannedStep => ({
  tool: 'search',
  why: 'the question as it is',
  query: question,
  call: (signal) => first({ topK: WHOLE * topK, signal }),
});

/** Each part of the question; where the index has nothing for it, what is outside, if that may be asked. */
function plannedSteps({ question }: AgentRequest, tools: AgentTools, run: AgentRun): PlannedStep[] {
  const parts = questionParts(question).map(({ text, kind }) => searchStep(tools, WHY[kind], text));
  const { external } = tools;
  if (!run.hasNothing || external === undefined) return parts;
  return [...parts, externalStep(external, 'the index has nothing for the question', question)];
}

const WHY = {
  sentence: 'a sentence of the question',
  clause: 'one of the things that are asked',
  compared: 'one side of the comparison',
} as const;

const searchStep = ({ search }: AgentTools, why: string, query: string): PlannedStep => ({
  tool: 'search',
  why,
  query,
  call: (signal) => search(query, { topK: DEPTH, signal }),
});

/** Steps that what was found leads to, one by one. */
class FollowingSteps {
  readonly #request: AgentRequest;
  readonly #tools: AgentTools;
  readonly #followed = new Set<string>();
  #isReformulated = false;

  constructor(request: AgentRequest, tools: AgentTools) {
    this.#request = request;
    this.#tools = tools;
  }

  next(evidence: readonly ScoredChunk[]): PlannedStep | undefined {
    return this.#reformulated(evidence) ?? this.#linked(evidence);
  }

  #reformulated(evidence: readonly ScoredChunk[]): PlannedStep | undefined {
    const { question, topK } = this.#request;
    const [best] = evidence;
    if (this.#isReformulated || best === undefined) return undefined;
    this.#isReformulated = true;
    const missing = missingNames(question, evidence.slice(0, topK));
    if (missing.length === 0) return undefined;
    const query = [...missing, titleOf(best.chunk) ?? ''].join(' ').trim();
    return searchStep(this.#tools, `no passage has: ${missing.join(', ')}`, query);
  }

  #linked(evidence: readonly ScoredChunk[]): PlannedStep | undefined {
    const { question, topK } = this.#request;
    if (this.#followed.size >= MOST_FOLLOWED) return undefined;
    const link = bestLink(question, evidence, { followed: this.#followed, topK });
    if (link === undefined) return undefined;
    this.#followed.add(keyOf(link));
    const { from, href, anchor } = link;
    return {
      tool: 'search',
      why: `link of ${String(from.metadata.source)}: ${anchor}`,
      query: `${question} (${href})`,
      call: (signal) => this.#tools.search(question, { topK: OF_LINKED, linked: { from, href }, signal }),
    };
  }
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/'’-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu;
const MOST_NAMES = 6;

/**
 * Names and identifiers of a question, as they stand in it, that no passage holds. Other words are left out: that no passage says "later"
 * tells nothing, and a search for it finds anything.
 */
export function missingNames(question: string, passages: readonly ScoredChunk[]): string[] {
  const texts = passages.map(({ chunk }) => indexedTextOfStored(chunk));
  const terms = new Set(texts.flatMap(analyzeText));
  const identifiers = new Set(texts.flatMap((text) => extractIdentifiers(text)));
  // `SHOP-512` is not held where `SHOP-481` is, though they share a term.
  const isHeld = (name: string): boolean => {
    const named = extractIdentifiers(name);
    if (named.length > 0) return named.some((identifier) => identifiers.has(identifier));
    const own = contentTerms(name);
    return own.length === 0 || own.some((term) => terms.has(term));
  };
  const missing = [...question.matchAll(WORD)]
    .filter((match) => isName(match[0], question, match.index))
    .map(([word]) => word)
    .filter((word) => !isHeld(word));
  return [...new Set(missing)].slice(0, MOST_NAMES);
}

/** An identifier, or a capital where no sentence begins. */
const isName = (word: string, text: string, at: number): boolean =>
  extractIdentifiers(word).length > 0 ||
  (/^\p{Lu}/u.test(word) && !/(?:^|[.?!:;]["')]?\s*)["'(]?$/.test(text.slice(0, at).trimEnd()));

const placeOf = ({ source, metadata }: StoredChunk): string => `${source} ${String(metadata.source)}`;

const keyOf = ({ from, href }: PassageLink): string => `${from.documentId} ${href}`;

/** The link with most of the question in it that leads to a document which is not shown yet. */
function bestLink(
  question: string,
  evidence: readonly ScoredChunk[],
  { followed, topK }: { readonly followed: ReadonlySet<string>; readonly topK: number },
): PassageLink | undefined {
  const shown = new Set(evidence.slice(0, topK).map(({ chunk }) => placeOf(chunk)));
  const isShown = ({ from, href }: PassageLink): boolean =>
    linkedIds(String(from.metadata.source), href).some((id) => shown.has(`${from.source} ${id}`));
  const links = evidence
    .slice(0, LINKING)
    .flatMap(({ chunk }) => linksTo(question, chunk))
    .filter((link) => !followed.has(keyOf(link)) && !isShown(link));
  return links.reduce<PassageLink | undefined>(
    (best, link) => (best === undefined || link.weight > best.weight ? link : best),
    undefined,
  );
}
