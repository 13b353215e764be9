import type { Answer, AnswerEvent, EngineView } from '../../index.js';

/** Told of what a caller was not told. */
export type OnWithheld = (texts: readonly string[]) => void;

/**
 * An index as callers of the service may see it. What went wrong on the way to an answer is told in fixed sentences, for the words
 * of a provider or a store name accounts, models and settings; those words go to the log.
 */
export function callersView(view: EngineView, onWithheld: OnWithheld): EngineView {
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
    ask: async (request) => answerOf(await view.ask(request)),
    async *askStream(request): AsyncGenerator<AnswerEvent> {
      for await (const event of view.askStream(request)) {
        if (event.type === 'reset') yield { type: 'reset', reason: TAKEN_BACK };
        else yield event.type === 'answer' ? { type: 'answer', answer: answerOf(event.answer) } : event;
      }
    },
  };
}

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
