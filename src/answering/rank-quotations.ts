import { asksForLink, leadsOn } from '../core/analysis/bare-links.js';
import { withoutIdentifiers } from '../core/analysis/identifiers.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { isMostlyLog } from '../core/analysis/stack-trace.js';
import { asksForField, isOutdated } from './asked-field.js';
import { askedIdentifier, type Holding, holdingOf } from './asked-identifier.js';
import { type AskedItems, askedItems } from './asked-items.js';
import { askedErrors, namesError } from './pasted-error.js';
import { exactText, isRemark, type Quotation, quotationsOf, textOfQuotation } from './quotation.js';
import {
  headedText,
  QUOTATION_FEATURES,
  type QuotationFeatures,
  quotationFeatures,
  type Reading,
  type Similarity,
} from './quotation-features.js';
import { QUOTATION_WEIGHTS } from './quotation-weights.js';
import type { RankedSentence } from './rank-sentences.js';

/** A quotation and how likely it is the one that answers. */
export interface RankedQuotation extends Quotation {
  readonly features: QuotationFeatures;
  /** Share among all quotations of the passages, in [0, 1]. */
  readonly probability: number;
}

/** Where nothing can tell meanings apart, words alone decide. */
const UNKNOWN: Similarity = async (_question, texts) => texts.map(() => 0);

/**
 * Prose of equal evidence goes before an example in it, which seldom tells what it means. Chosen by hand; on the train side it changes
 * nothing.
 */
const EXAMPLE_LOGIT = -1.2;

/**
 * What is of an item that the question names goes before what mentions it: always where the question says hardly anything else, among equals
 * where it says what it wants to know. The key alone tells nothing of it. Chosen by hand.
 */
const ASKED_LOGIT = 6;
const ASKED_ABOUT_LOGIT = 1.5;
const KEY_ALONE_LOGIT = -4;
/** What is said goes before where it is said. Chosen by hand. */
const LEADS_ON_LOGIT = -3;

/** A field of front matter that is not asked for goes behind the text of its page; what calls itself outdated, behind what does not. Chosen by hand. */
const UNASKED_FIELD_LOGIT = -4;
const OUTDATED_LOGIT = -2;
/** Steps go before what is said of them where a question asks how something is done. Chosen by hand. */
const STEPS_LOGIT = 1.5;
const ASKS_FOR_STEPS =
  /^\s*(?:how (?:do|can|could|should|would|must) (?:I|you|we|one)\b|how to\b|(?:what|which) (?:are the )?steps\b|what do (?:I|you|we) have to do\b)/i;
export const asksForSteps = (question: string): boolean => ASKS_FOR_STEPS.test(question);
export const holdsSteps = (quotation: Quotation): boolean => STEPS.test(textOfQuotation(quotation));
const STEPS = /^ {0,3}\d{1,9}[.)] [\s\S]*\n {0,3}\d{1,9}[.)] /m;

/** What is of another section than the identifier that a question is about goes behind what holds it, an item or row beside the one that does a little. Chosen by hand. */
const HOLDING_LOGITS: Readonly<Record<Holding, number>> = {
  own: 0,
  section: -1.5,
  unsaid: -3,
  none: -6,
};

/** What says no more than the question goes behind what does, but where a yes is asked for. Chosen by hand. */
const ECHO_LOGIT = -6;
const ASKS_FOR_YES =
  /^\s*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)\b/i;

/** A remark goes behind what it is beside where that holds as many words of the question. Chosen by hand. */
const REMARK_LOGIT = -6;
const ASKS_FOR_REMARK = /\b(?:comment|remark|note)(?:s|ed)?\b/i;

/** A trace or log goes behind prose that names its error, and that takes its place. Chosen by hand. */
const LOG_LOGIT = -8;
const TOLD_LOGIT = 3;

/** Quotations that the reader reads: the likeliest without it. Some 50 ms of two cores. */
const READ = 12;

export interface RankingOptions {
  readonly similarity?: Similarity | undefined;
  readonly reading?: Reading | undefined;
  /** Errors that were pasted: what names one goes first, the one that fewest name before others. */
  readonly errors?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** The item or row that holds the identifier decides in its list or table. */
function quotationsAbout(question: string, sentences: readonly RankedSentence[]): Quotation[] {
  const identifier = askedIdentifier(question);
  if (identifier === undefined) return quotationsOf(sentences);
  const isHolder = ({ sentence }: RankedSentence): boolean => identifier.standsIn(exactText(sentence));
  return quotationsOf(
    [...sentences.filter(isHolder), ...sentences.filter((each) => !isHolder(each))],
    identifier.standsIn,
  );
}

/** All that could be quoted, most likely to answer first; quotations may overlap. */
export async function rankQuotations(
  question: string,
  sentences: readonly RankedSentence[],
  { similarity = UNKNOWN, reading, errors = [], signal }: RankingOptions = {},
): Promise<RankedQuotation[]> {
  const quotations = quotationsAbout(question, sentences);
  const features = await quotationFeatures(question, quotations, (asked, texts) =>
    similarity(asked, texts, signal),
  );
  const unread = ranked({ question, errors }, quotations, features);
  if (reading === undefined) return unread;
  const first = unread.slice(0, READ);
  const cosines = await reading(question, first.map(headedText), signal);
  const least = Math.min(...cosines.filter((cosine) => cosine !== undefined));
  if (!Number.isFinite(least)) return unread;
  return ranked(
    { question, errors },
    unread,
    unread.map((quotation, at) => ({ ...quotation.features, reading: cosines[at] ?? least })),
  );
}

function ranked(
  { question, errors }: { readonly question: string; readonly errors: readonly string[] },
  quotations: readonly Quotation[],
  features: readonly QuotationFeatures[],
): RankedQuotation[] {
  const asked = askedItems(question);
  const wantsLink = asksForLink(question);
  const ofErrors = errorLogits(errors, quotations);
  const ofLogs = logLogits(errors.length > 0 ? errors : askedErrors(question), quotations);
  const ofIdentifier = identifierLogits(question, quotations);
  const ofRemarks = remarkLogits(question, quotations);
  const logits = features.map((own, index) =>
    QUOTATION_FEATURES.reduce(
      (sum, name) => sum + QUOTATION_WEIGHTS[name] * own[name],
      addedLogit(quotations[index], asked) +
        (ofErrors[index] ?? 0) +
        (ofLogs[index] ?? 0) +
        (ofIdentifier[index] ?? 0) +
        (ofRemarks[index] ?? 0) +
        (wantsLink ? 0 : leadingLogit(quotations[index])) +
        pageLogit(question, quotations[index]),
    ),
  );
  const highest = logits.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
  const odds = logits.map((logit) => Math.exp(logit - highest));
  const total = odds.reduce((sum, each) => sum + each, 0);
  return quotations
    .flatMap((quotation, index) => {
      const own = features[index];
      return own === undefined
        ? []
        : [{ ...quotation, features: own, probability: (odds[index] ?? 0) / total }];
    })
    .sort((a, b) => b.probability - a.probability);
}

function addedLogit(quotation: Quotation | undefined, asked: AskedItems): number {
  const added = isExample(quotation) ? EXAMPLE_LOGIT : 0;
  if (quotation === undefined || !asked.has(quotation.entry)) return added;
  if (isKeyAlone(quotation)) return added + KEY_ALONE_LOGIT;
  return added + (asked.isAskedFor ? ASKED_LOGIT : ASKED_ABOUT_LOGIT);
}

const leadingLogit = (quotation: Quotation | undefined): number =>
  quotation !== undefined && leadsOn(quotation.sentence.sentence.text) ? LEADS_ON_LOGIT : 0;

function pageLogit(question: string, quotation: Quotation | undefined): number {
  if (quotation === undefined) return 0;
  const { entry, sentence, decisive } = quotation;
  const isField = sentence.sentence.kind === 'field';
  const ofField =
    isField && !asksForField(question, exactText({ entry, ...decisive })) ? UNASKED_FIELD_LOGIT : 0;
  const ofSteps = asksForSteps(question) && holdsSteps(quotation) ? STEPS_LOGIT : 0;
  const isEcho = !ASKS_FOR_YES.test(question) && saysNoMore(textOfQuotation(quotation), question);
  return (
    ofField +
    ofSteps +
    (isEcho ? ECHO_LOGIT : 0) +
    (isOutdated(question, entry.metadata.status) ? OUTDATED_LOGIT : 0)
  );
}

/** Of words that tell nothing where they stand alone; `off` and `never` do. */
const JOINING = new Set(
  'a an the this that these our your of for to in at by with from about and or is are was were be'.split(' '),
);

function saysNoMore(text: string, question: string): boolean {
  const asked = new Set(analyzeText(question));
  return (text.match(/[\p{L}\p{M}\p{N}'’_.-]+/gu) ?? []).every((word) => {
    const terms = analyzeText(word);
    if (terms.length === 0) return JOINING.has(word.toLowerCase()) || !/[\p{L}\p{N}]/u.test(word);
    return terms.every((term) => asked.has(term));
  });
}

function identifierLogits(question: string, quotations: readonly Quotation[]): number[] {
  const identifier = askedIdentifier(question);
  if (identifier === undefined) return [];
  return quotations.map(({ entry, decisive }) => HOLDING_LOGITS[holdingOf(identifier, entry, decisive)]);
}

function remarkLogits(question: string, quotations: readonly Quotation[]): number[] {
  const remarks = quotations.map((each) => isRemark(textOfQuotation(each)));
  if (!remarks.includes(true) || ASKS_FOR_REMARK.test(question)) return [];
  const asked = new Set(analyzeText(question));
  const held = quotations.map((each) => {
    const { source, pieces } = each.entry;
    const headings = pieces.flatMap(({ text }) => text.match(/^#{1,6} .*$/gm) ?? []);
    const terms = new Set(analyzeText([headedText(each), source, ...headings].join('\n')));
    return [...asked].filter((term) => terms.has(term));
  });
  return quotations.map(({ entry }, at) => {
    const isBeside = (other: Quotation, index: number): boolean =>
      remarks[index] === false &&
      other.entry.documentId === entry.documentId &&
      (held[at] ?? []).every((term) => held[index]?.includes(term));
    return remarks[at] === true && quotations.some(isBeside) ? REMARK_LOGIT : 0;
  });
}

function errorLogits(errors: readonly string[], quotations: readonly Quotation[]): number[] {
  const texts = errors.length === 0 ? [] : quotations.map(headedText);
  const logits = texts.map(() => 0);
  for (const error of errors) {
    const holders = texts.flatMap((text, at) => (namesError(error, text) ? [at] : []));
    const own = ASKED_LOGIT / Math.sqrt(holders.length);
    for (const at of holders) logits[at] = Math.max(logits[at] ?? 0, own);
  }
  return logits;
}

function logLogits(errors: readonly string[], quotations: readonly Quotation[]): number[] {
  if (errors.length === 0) return [];
  const entries = [...new Set(quotations.map(({ entry }) => entry))];
  const logs = new Set(
    entries.filter(({ pieces }) => isMostlyLog(pieces.map(({ text }) => text).join('\n'))),
  );
  const tells = quotations.map(
    (each) =>
      !logs.has(each.entry) &&
      each.sentence.sentence.kind !== 'code-line' &&
      errors.some((error) => namesError(error, headedText(each))),
  );
  if (logs.size === 0 || !tells.includes(true)) return [];
  return quotations.map(({ entry }, at) => {
    if (tells[at] === true) return TOLD_LOGIT;
    return logs.has(entry) ? LOG_LOGIT : 0;
  });
}

/** `id: PBI-7` */
const isKeyAlone = (quotation: Quotation): boolean =>
  (withoutIdentifiers(textOfQuotation(quotation)).match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < 2;

/** Code in a text, not a file of code. */
const isExample = (quotation: Quotation | undefined): boolean =>
  quotation?.sentence.sentence.kind === 'code-line' && quotation.entry.metadata.symbols === undefined;
