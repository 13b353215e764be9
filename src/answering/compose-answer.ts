import type { ContextEntry, ContextPack } from '../context/context-pack.js';
import { neutralise, neutraliseAnswer } from '../context/neutralise.js';
import { DegradationLevel } from '../core/degradation.js';
import { distinctNotices, type Notice, statedNotices, toldNotices } from '../core/notice.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { Abstention, Answer, AnswerFallback, AnswerMode } from './answer.js';
import type { AnswerDraft, DraftSentence } from './answer-draft.js';
import type { AnswerRequest } from './answer-request.js';
import { placeOf, sourceOf, supportOfDraft } from './answer-sources.js';
import type { ChatOutcome } from './chat-answer.js';
import type { ConfidenceEvidence } from './confidence-features.js';
import { UNSURE_BELOW } from './confidence-weights.js';
import type { Evidence } from './find-evidence.js';
import type { StandaloneQuestion } from './follow-up.js';
import { checkWithModel, type ModelSupportOptions } from './model-support-check.js';
import { oneSidedNotices } from './one-sided.js';
import { outcomeOf } from './outcome.js';
import { apart, exactText, type QuotedPart, type QuotedRange, wholeStretch } from './quotation.js';
import type { RankedQuotation } from './rank-quotations.js';
import { isRefusal, REFUSAL_LINE } from './refusal.js';
import type { TextMeaning } from './support-features.js';
import { type UnsupportedPolicy, type VerifiedAnswer, verifyAnswer } from './verify-answer.js';

/** Everything that is known before an answer is written. */
export interface Findings {
  readonly request: AnswerRequest;
  readonly mode: AnswerMode;
  readonly standalone: StandaloneQuestion;
  readonly pack: ContextPack;
  /** What could be quoted, most likely to answer first, and what the confidence rests on beside it. */
  readonly evidence: ConfidenceEvidence;
  /** Names of the question that no passage holds. */
  readonly missing: readonly string[];
  readonly confidence: number;
  readonly degradationLevel: DegradationLevel;
  readonly notices: readonly Notice[];
  /** What is left of the limits of the answer, and how a run found the passages. */
  readonly run?: Evidence['run'];
}

/** What every answer says, with a language model or without. */
function common(findings: Findings): Omit<Answer, 'answer' | 'answerer'> {
  const { request, mode, standalone, pack, confidence, degradationLevel, notices, run } = findings;
  const { used, budget, counter } = pack.tokens;
  return {
    question: request.question,
    standaloneQuestion: standalone.text,
    mode,
    ...(run?.report === undefined ? {} : { agent: run.report }),
    outcome: 'answer',
    abstained: false,
    confidence,
    further: [],
    sources: pack.entries.map(sourceOf),
    ...withoutUndefined({ conflicts: pack.conflicts }),
    citations: [],
    support: [],
    isPartial: false,
    degradationLevel,
    context: { tokens: { used, budget, counter }, omitted: pack.omitted },
    ...toldNotices(notices),
    stages: {},
    tookMs: 0,
  };
}

const NOT_ANSWERED: Abstention = {
  reason: 'thin-evidence',
  detail: 'The passages found do not answer the question.',
};

/** Nearest places that are shown where there is no answer. */
const NEAREST_PLACES = 3;

/** No answer, the reason, and the nearest places. */
export function abstain(findings: Findings, abstention: Abstention): Answer {
  const [nearest, ...others] = apart(findings.evidence.quotations, NEAREST_PLACES);
  // A reader without an answer reads on: the nearest passage is quoted as an answer would be, the others by what decides.
  const further = [
    ...(nearest === undefined ? [] : [wholeStretch(nearest)]),
    ...others.map(({ entry, decisive }) => ({ entry, ...decisive })),
  ].map(placeOf);
  return {
    ...common(findings),
    outcome: outcomeOf(abstention, findings.confidence),
    answer: further.length > 0 ? `${abstention.detail} The nearest passages are listed.` : abstention.detail,
    answerer: 'none',
    abstained: true,
    abstention,
    further,
  };
}

/** As with a missing reranker: everything is there but what a model would have added. */
const levelWithoutModel = ({ degradationLevel }: Pick<Answer, 'degradationLevel'>): DegradationLevel =>
  Math.max(degradationLevel, DegradationLevel.NO_RERANKING);

/** The passage that answers best, quoted. `failure` says why no model wrote, where one was asked for. */
export function answerFromSentences(gathered: Findings, failure?: AnswerFallback): Answer {
  const draft = extractAnswer(gathered.evidence.quotations);
  const findings = draft === undefined ? gathered : withOneSided(gathered, draft);
  const base = common(findings);
  const degraded: Partial<Answer> =
    failure === undefined
      ? {}
      : {
          fallback: failure,
          degradationLevel: levelWithoutModel(base),
          ...toldNotices([
            ...findings.notices,
            {
              kind: 'model-failed',
              text: `The answer was extracted without the language model: ${failure.detail}`,
            },
          ]),
        };
  if (draft === undefined) return { ...abstain(findings, NOT_ANSWERED), ...degraded };
  return {
    ...base,
    ...supportOfDraft(draft),
    answer: draft.text,
    answerer: 'extractive',
    ...(findings.confidence < UNSURE_BELOW ? { isUnsure: true } : {}),
    ...withoutUndefined({ highlight: draft.decisive }),
    further: draft.further.map(placeOf),
    ...degraded,
  };
}

/** Places beside the quoted one that are named. */
const FURTHER_PLACES = 2;

/** The best quotation as an answer, and the next best places. */
interface ExtractedAnswer extends AnswerDraft {
  /** How the sentence that answers best is shown; absent where it is not shown in one stretch. */
  readonly decisive?: string;
  readonly further: readonly QuotedRange[];
}

/**
 * The quotation that answers best with its citation, and no language model: nothing in it was not written by the sources.
 * Undefined where there is nothing to quote.
 */
function extractAnswer(ranked: readonly RankedQuotation[]): ExtractedAnswer | undefined {
  const [best, ...others] = apart(ranked, 1 + FURTHER_PLACES);
  if (best === undefined) return undefined;
  const { entry } = best;
  const parts = best.ranges.map((part) => quoted(entry, part));
  const decisive = neutralise(exactText({ entry, ...best.decisive }));
  // Ranges are apart in a table alone: its head, and rows further down.
  const body = parts.map((part) => part.text).join('\n');
  const text = [...(best.isCut.before ? ['…'] : []), body, ...(best.isCut.after ? ['…'] : [])].join('\n\n');
  return {
    text: `${text}${endsInBlock(text) ? '\n\n' : ' '}[${entry.n}]`,
    sentences: parts,
    ...(decisive !== '' && text.includes(decisive) ? { decisive } : {}),
    further: others.map(({ entry: from, decisive: range }) => ({ entry: from, ...range })),
  };
}

function quoted(entry: ContextEntry, { start, end, isInsideCode }: QuotedPart): DraftSentence {
  const evidence = { entry, start, end };
  const quote = exactText(evidence);
  return { text: isInsideCode ? asCode(quote) : neutralise(quote), cites: [entry.n], evidence };
}

/** Lines out of the middle of a block of code, which nothing would show as code otherwise. */
function asCode(lines: string): string {
  const fence = '`'.repeat(Math.max(3, ...(lines.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  return neutralise(`${fence}\n${lines}\n${fence}`);
}

const endsInBlock = (text: string): boolean =>
  /(?:^|\n)(?: {4}|\t|\s{0,3}(?:`{3,}|~{3,}|\|.*\|\s*$|[-*+] |\d{1,9}[.)] |…$))[^\n]*$/.test(text);

function withOneSided(findings: Findings, { text, sentences }: AnswerDraft): Findings {
  const { standalone, pack, notices } = findings;
  const told = sentences.flatMap(({ evidence: { entry } }) => [entry.title ?? '', ...entry.headingPath]);
  return {
    ...findings,
    notices: [...notices, ...oneSidedNotices(standalone.text, [text, ...told], pack.entries)],
  };
}

export interface CheckOptions {
  readonly unsupported: UnsupportedPolicy;
  /** A language model that checks what the built-in check lets pass; none where that is off. */
  readonly checker?: ModelSupportOptions;
  readonly meaning?: TextMeaning;
}

/** Of what was claimed; a greeting or the beginning of a list alone is no answer. */
const isNothingLeft = ({ support }: VerifiedAnswer): boolean =>
  support.every(({ isRemoved, verdict }) => isRemoved || verdict === 'not-checked');

/** A passage in place of a model's answer of which nothing is left. */
function answerWithoutModels(findings: Findings, outcome: ChatOutcome, verified: VerifiedAnswer): Answer {
  const answer = answerFromSentences(findings);
  const detail = `The language model's answer was removed, because no sentence of it can stand beside the sources. ${verified.notices.join(' ')}`;
  return {
    ...answer,
    model: outcome.model,
    support: [...answer.support, ...verified.support.map((each) => ({ ...each, isRemoved: true }))],
    fallback: { reason: 'UNSUPPORTED_ANSWER', detail },
    degradationLevel: levelWithoutModel(answer),
    ...toldNotices(
      distinctNotices([
        ...statedNotices(answer),
        ...outcome.notices,
        { kind: 'answer-removed', text: detail },
      ]),
    ),
  };
}

/**
 * A model's answer, checked: without what its sources contradict, and what they do not show to say marked. Where nothing is left of it,
 * a passage is quoted.
 *
 * @throws RAGError `ABORTED`.
 */
export async function answerFromChat(
  findings: Findings,
  outcome: ChatOutcome,
  options: CheckOptions,
): Promise<Answer> {
  const told = toldNotices(outcome.notices);
  const base = { ...common(findings), model: outcome.model, ...told };
  if (isRefusal(outcome.text)) return { ...abstain(findings, NOT_ANSWERED), model: outcome.model, ...told };
  const verified = await verify(findings, { text: outcome.text.replace(REFUSAL_LINE, '') }, options);
  if (verified.text === '' || isNothingLeft(verified))
    return answerWithoutModels(findings, outcome, verified);
  return {
    ...base,
    // Once more: what stood apart may have come together where marks and sentences were taken out.
    answer: neutraliseAnswer(verified.text),
    answerer: 'chat',
    support: verified.support,
    citations: verified.citations,
    isPartial: outcome.isPartial,
    ...toldNotices([
      ...outcome.notices,
      ...statedNotices(verified),
      ...oneSidedNotices(findings.standalone.text, [verified.text], findings.pack.entries),
    ]),
  };
}

async function verify(
  { pack: { entries } }: Findings,
  { text }: Pick<ChatOutcome, 'text'>,
  { unsupported, meaning, checker }: CheckOptions,
): Promise<VerifiedAnswer> {
  const meant = meaning === undefined ? {} : { meaning };
  if (checker === undefined) return verifyAnswer(text, entries, { unsupported, ...meant });
  const lexical = verifyAnswer(text, entries, { unsupported: 'mark', ...meant });
  const { refuted, notices } = await checkWithModel(lexical.support, entries, checker);
  const verified = verifyAnswer(text, entries, { unsupported, refuted, ...meant });
  return { ...verified, ...toldNotices([...statedNotices(verified), ...notices]) };
}
