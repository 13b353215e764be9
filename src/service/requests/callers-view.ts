import type { Answer, AnswerEvent, EngineView, MissExplanation, MissStage } from '../../index.js';

/** Told of what a caller was not told. */
export type OnWithheld = (texts: readonly string[]) => void;

export interface CallersViewOptions {
  readonly onWithheld: OnWithheld;
  /** The caller keeps the index (`maintain`): explanations of a miss tell it settings, places and what failed. */
  readonly keepsIndex: boolean;
}

/**
 * An index as callers of the service may see it. What went wrong on the way to an answer is told in fixed sentences, for the words
 * of a provider or a store name accounts, models and settings; those words go to the log.
 */
export function callersView(view: EngineView, { onWithheld, keepsIndex }: CallersViewOptions): EngineView {
  const answerOf = (answer: Answer): Answer => callersAnswer(answer, onWithheld);
  return {
    ...view,
    search: async (query) => {
      const found = await view.search(query);
      // Why a lane is off is our own sentence.
      const lanes = found.lanes.map((lane) =>
        lane.reason === undefined || lane.status === 'off' ? lane : { ...lane, reason: FAILED },
      );
      return { ...found, lanes, notices: callersNotices(found.notices, onWithheld) };
    },
    context: async (query) => {
      const pack = await view.context(query);
      return { ...pack, notices: callersNotices(pack.notices, onWithheld) };
    },
    explainMiss: async (query, document) => {
      const explanation = await view.explainMiss(query, document);
      if (keepsIndex) return explanation;
      onWithheld([explanation.reason, ...explanation.remedies.map(({ setting }) => setting)]);
      return callersExplanation(explanation);
    },
    ask: async (request) => answerOf(await view.ask(request)),
    async *askStream(request): AsyncGenerator<AnswerEvent> {
      for await (const event of view.askStream(request)) {
        if (event.type === 'reset') yield { type: 'reset', reason: TAKEN_BACK };
        else yield event.type === 'answer' ? { type: 'answer', answer: answerOf(event.answer) } : event;
      }
    },
  };
}

/** Of a lost document the step, which a sentence of ours explains, and nothing that names settings, scopes or other documents. */
function callersExplanation(explanation: MissExplanation): MissExplanation {
  const { document, chunk: _, correction: __, ...rest } = explanation;
  const { lostAt } = rest;
  const told = {
    ...rest,
    reason: lostAt === undefined ? 'It is among the results.' : MISS_REASONS[lostAt],
    remedies: [],
    steps: [],
  };
  if (document === undefined) return told;
  const { path: ___, ...shown } = document;
  return { ...told, document: shown };
}

/** A step that is new has no sentence, and does not compile. */
const MISS_REASONS: Readonly<Record<MissStage, string>> = {
  'not-indexed': 'It is not indexed.',
  failed: 'It could not be indexed.',
  outdated: 'What is indexed of it is older than the document.',
  scope: 'It is not for this caller.',
  filter: 'The filters leave it out.',
  'chunk-cut': 'What the query asks for lies across two passages of it.',
  truncated: 'What the query asks for lies behind the part that the model of the index reads.',
  lexical: 'It holds too few of the words of the query.',
  vector: 'It is too far from the query in meaning.',
  fusion: 'Others are better by words and meaning together.',
  rerank: 'It was ranked lower when the first results were looked at more closely.',
  collapse: 'Another passage of the same document stands for it.',
  'near-duplicate': 'Another document says almost the same and stands for it.',
  recency: 'Newer ones were preferred.',
  threshold: 'It is below the least relevance that is shown.',
  diversity: 'It gave way to results that say something else.',
  'top-k': 'It comes after the last result that is shown.',
};

const FAILED = 'A part of the service did not do its work; its log says why.';
const TAKEN_BACK = 'What the language model wrote does not stand; the answer at the end does.';

function callersAnswer(answer: Answer, onWithheld: OnWithheld): Answer {
  const { fallback } = answer;
  const notices = callersNotices(answer.notices, onWithheld);
  if (fallback === undefined) return { ...answer, notices };
  onWithheld([fallback.detail]);
  return { ...answer, fallback: { reason: fallback.reason, detail: FAILED }, notices };
}

/** Of each notice what a caller may know, each sentence once. */
function callersNotices(notices: readonly string[], onWithheld: OnWithheld): string[] {
  const told = notices.map((notice) => [notice, callersNotice(notice)] as const);
  const withheld = told.flatMap(([notice, known]) => (known === notice ? [] : [notice]));
  if (withheld.length > 0) onWithheld(withheld);
  return [...new Set(told.map(([, known]) => known))];
}

function callersNotice(notice: string): string {
  if (ABOUT_THE_QUESTION.some((kind) => kind.test(notice))) return notice;
  const known = KNOWN_BEGINNINGS.map((kind) => kind.exec(notice)?.[1]).find((text) => text !== undefined);
  if (known === undefined) return FAILED;
  return known.endsWith('.') ? known : `${known}.`;
}

/** Notices about the question and its passages, which hold no words of a provider. What is not known here is withheld. */
const ABOUT_THE_QUESTION: readonly RegExp[] = [
  /^The query (?:has|names) \d+ /,
  /^The query has more distinct words /,
  /^No indexed passage passes the filters:/,
  /^There is no source(?: type)? /,
  /^Passages were found, but none reaches minSimilarity /,
  /^Nothing (?:reached the threshold of relevance|was found)[,;]/,
  /^Passage \[\d+\] \(.*\) holds text that reads like an instruction /s,
  /^Sentences were dropped from \d+ /,
  /^\d+ (?:passages?|earlier turns|sentences|of \d+ sentences) /,
  /^The model cited sources that do not exist /,
  /^The short form of the instructions was used/,
  /^Retrieval is switched off/,
];

/** Notices that begin with a sentence for everyone and go on with words for whoever keeps the index. */
const KNOWN_BEGINNINGS: readonly RegExp[] = [
  /^(The answer was extracted without the language model): /,
  /^(The follow-up was made to stand on its own by rules, without the language model): /,
  /^(The model's check of the answer failed, and the check without it stands): /,
  /^(The model's answer is not complete) /,
  /^(The query's words were not checked for typing mistakes): /,
  /^(The \w+ lane failed and the others answered): /,
  /^(This tenant keeps documents that this scope may not read, and they are not searched\.) /,
  /^((?:An index run|A rebuild) is under way or was interrupted[^.]*\.) /,
];
