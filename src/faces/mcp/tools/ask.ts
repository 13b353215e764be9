import * as z from 'zod';
import {
  type Answer,
  type AnswerSource,
  dataBlocks,
  neutralise,
  neutraliseLine,
  tokensOf,
} from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import { DATA_NOTE } from '../output/data-note.js';
import { fittingLength, fittingOutput } from '../output/fit-tokens.js';
import { inertName, linesShape, pagesShape, placeOf, placeShape, renderPlace } from '../output/place.js';
import { degradationLevel, degradationNotices, rounded } from '../output/results.js';
import { filterShape, filtersOf, question } from './inputs.js';
import { defineTool, type ToolContext, type ToolOutput } from './tool.js';

const MAX_QUOTE = 400;

const mode = z
  .enum(FIELDS.ask.mode)
  .optional()
  .describe(
    'agentic: for questions that need two documents; parts are searched one by one and links followed, which takes a few times as long.',
  );

const output = z.object({
  note: z.string(),
  outcome: z
    .enum(['answer', 'perhaps', 'not-found'])
    .describe('perhaps: near passages and no claim. not-found: nothing readable tells of it.'),
  answered_by: z.enum(['language model', 'quotation', 'nobody']),
  confidence: z
    .number()
    .optional()
    .describe('Of an answer: estimated probability that the passages found answer the question.'),
  is_unsure: z
    .boolean()
    .optional()
    .describe(
      'true: the quotation is about as often wrong as right; check it against its source, do not state it as a fact.',
    ),
  answer: z.string(),
  sources: z.array(
    z.object({
      n: z.number(),
      ...placeShape,
      lines: linesShape,
      pages: pagesShape,
      is_cited: z.boolean().describe('false: the answer does not rest on it; another place to look.'),
    }),
  ),
  searched: z
    .object({ steps: z.array(z.string()), stopped: z.string() })
    .optional()
    .describe('With the mode agentic: what was looked for, and what ended it.'),
  unsupported: z
    .array(z.string())
    .describe(
      'Sentences of the answer that could not be checked; compare them with their source before you use them.',
    ),
  support: z
    .array(
      z.object({
        sentence: z.string(),
        verdict: z.enum(['supported', 'unsupported', 'contradicted', 'not-checked']),
        is_removed: z.boolean().describe('true: it is not in the answer; do not state it.'),
      }),
    )
    .describe(
      'Sentences of a language model. unsupported: marked (unchecked) in the answer; compare it with its source before you use it. contradicted: the source says otherwise.',
    ),
  degradation_level: degradationLevel,
  notices: z.array(z.string()),
});

export const askTool = defineTool({
  name: 'ask',
  title: 'Answer a question from the documents',
  description: `Answer one question from the indexed documents, with citations [n] to path and lines that were checked against the text. Use it for a fact ("how long are audit logs kept?"); use search to explore, to compare, or for several passages.
Where a language model is set up it writes the answer, which takes seconds and may cost money; otherwise the best passage is quoted, at once. With the outcome perhaps judge the nearest quotations yourself; not-found is an honest no: say so, or try search with other words.`,
  input: z.strictObject({ question, mode, ...filterShape }),
  output,
  async run({ question: asked, mode: stated, ...narrowing }, context) {
    const { index, signal } = context;
    const answer = await index.ask({
      question: asked,
      signal,
      ...(stated === undefined ? {} : { mode: stated }),
      ...filtersOf(narrowing),
    });
    return fittingOutput(context, (budget) => Promise.resolve(outputOf(answer, context, budget)));
  },
});

const ANSWERERS = { chat: 'language model', extractive: 'quotation', none: 'nobody' } as const;

function outputOf(answer: Answer, context: ToolContext, budget: number): ToolOutput<z.output<typeof output>> {
  const places = placesOf(answer);
  const length = fittingLength(answer.answer, Math.floor(budget / 2), context.counter);
  const body = length === answer.answer.length ? answer.answer : `${answer.answer.slice(0, length)} …`;
  const quotes = places.flatMap(({ source, lines, pages, quote, isCited }) => {
    if (quote === undefined) return [];
    const label = isCited ? `[${source.n}]` : `${renderPlace(sourcePlace(source, context), lines, pages)}:`;
    return [`${label} ${shortened(neutraliseLine(quote))}`];
  });
  const { support, isCut } = supportWithin(answer, {
    budget: Math.floor(budget / 3),
    counter: context.counter,
  });
  const named = (is: (each: ToldSentence) => boolean): string[] =>
    support.filter(is).map(({ sentence }) => sentence);
  const unchecked = named(({ verdict, is_removed }) => verdict === 'unsupported' && !is_removed);
  const removed = named(({ is_removed }) => is_removed);
  const [block = '', ...removedBlock] = dataBlocks([
    { body: [neutraliseAnswered(answer, body), ...quotes].join('\n\n'), attributes: { kind: 'answer' } },
    ...(removed.length === 0 ? [] : [{ body: removed.join('\n'), attributes: { kind: 'removed' } }]),
  ]);
  const sources = places.map(({ source, lines, pages, isCited }) => ({
    n: source.n,
    ...sourcePlace(source, context),
    lines,
    ...(pages === undefined ? {} : { pages }),
    is_cited: isCited,
  }));
  const answeredBy = ANSWERERS[answer.answerer];
  const isUnsure = answer.isUnsure === true;
  const sure = answer.outcome === 'answer' ? { confidence: rounded(answer.confidence) } : {};
  const notices = noticesOf(answer, { isCut: length < answer.answer.length || isCut });
  const list = sources.map(
    ({ n, lines, pages, is_cited, ...place }) =>
      `${is_cited ? `[${n}]` : 'See also'} ${renderPlace(place, lines, pages)} | document_id ${place.document_id}`,
  );
  return {
    text: [
      `${saidOf(answer)}${sure.confidence === undefined ? '' : ` Answered by: ${answeredBy}. Confidence ${sure.confidence}.`}`,
      ...notices,
      ...(unchecked.length === 0 ? [] : [`Unchecked, compare with the sources: ${unchecked.join(' | ')}`]),
      ...(answer.agent === undefined ? [] : [searchedText(searchedOf(answer.agent))]),
      ...(list.length === 0 ? [] : [list.join('\n')]),
      DATA_NOTE,
      block,
      ...removedBlock.map((said) => `Removed from the answer, do not state it:\n${said}`),
    ].join('\n\n'),
    structured: {
      note: DATA_NOTE,
      outcome: answer.outcome,
      answered_by: answeredBy,
      ...sure,
      ...(isUnsure ? { is_unsure: true } : {}),
      answer: block,
      sources,
      ...(answer.agent === undefined ? {} : { searched: searchedOf(answer.agent) }),
      unsupported: unchecked,
      support,
      degradation_level: answer.degradationLevel,
      notices,
    },
  };
}

type ToldSentence = z.output<typeof output>['support'][number];

/** What a language model said, in order; a quotation is its own proof. Where not all of it fits, what is not supported goes first. */
function supportWithin(
  { answerer, support }: Answer,
  { budget, counter }: { readonly budget: number; readonly counter: ToolContext['counter'] },
): { readonly support: ToldSentence[]; readonly isCut: boolean } {
  const said = support
    .filter(({ isRemoved }) => answerer === 'chat' || isRemoved)
    .map(({ sentence, verdict, isRemoved }) => ({
      sentence: shortened(neutraliseLine(sentence)),
      verdict,
      is_removed: isRemoved,
    }));
  const isFine = ({ verdict, is_removed }: ToldSentence): boolean =>
    !is_removed && (verdict === 'supported' || verdict === 'not-checked');
  const fitting = new Set<ToldSentence>();
  let left = budget;
  for (const each of said.toSorted((a, b) => Number(isFine(a)) - Number(isFine(b)))) {
    left -= tokensOf(counter, JSON.stringify(each));
    if (left < 0) break;
    fitting.add(each);
  }
  return { support: said.filter((each) => fitting.has(each)), isCut: fitting.size < said.length };
}

/** Queries are words of the question, or of a language model that has read the documents: names to a reader, and nothing else. */
const searchedOf = ({ steps, stopped }: NonNullable<Answer['agent']>) => ({
  steps: steps.map(({ tool, query, new: fresh }) => `${tool} ${inertName(query)}: ${fresh} new`),
  stopped,
});

const searchedText = ({ steps, stopped }: ReturnType<typeof searchedOf>): string =>
  `Searched in steps: ${steps.join(' | ')}. Stopped: ${stopped}.`;

const SAID = {
  answer: 'A language model answered from the documents; what they do not show in so many words is marked.',
  perhaps: 'No sure answer; judge the nearest passages yourself.',
  'not-found': 'Nothing that may be read here tells of it.',
} as const;

const saidOf = ({ outcome, answerer, isUnsure, staticResponses }: Answer): string => {
  if (staticResponses !== undefined) return SAID_STATIC;
  if (outcome === 'answer' && answerer === 'extractive' && isUnsure !== true) return SAID_QUOTED;
  return isUnsure === true ? SAID_UNSURE : SAID[outcome];
};

const SAID_QUOTED =
  'The passage that answers best is quoted. The confidence is an estimate by its words: judge whether it answers.';

const SAID_STATIC =
  'Nothing can be searched now. What follows was written for such times and is in no document: do not cite it as one.';

const SAID_UNSURE =
  'Perhaps: the nearest passage is quoted, and it is about as often wrong as right. Judge whether it answers before you use it, and say that it is not sure.';

interface CitedPlace {
  readonly source: AnswerSource;
  readonly lines: Answer['citations'][number]['lines'];
  readonly pages: Answer['citations'][number]['pages'];
  readonly isCited: boolean;
  /** Absent where the answer is the quotation, or stands without it. */
  readonly quote?: string;
}

/** Where the answer stands, then where else to look. */
function placesOf({ outcome, answerer, citations, further, sources, support }: Answer): CitedPlace[] {
  const cited = sources.flatMap((source) => {
    const citation = citations.find(({ n }) => n === source.n);
    if (citation === undefined) return [];
    const { lines, pages, quote } = citation;
    const place = { source, lines, pages, isCited: true };
    return [answerer === 'extractive' ? place : { ...place, quote }];
  });
  const unchecked = new Set(
    support.flatMap(({ verdict, isRemoved, cites }) =>
      verdict === 'unsupported' && !isRemoved ? cites : [],
    ),
  );
  const named = sources.flatMap((source) => {
    if (!unchecked.has(source.n) || cited.some((place) => place.source === source)) return [];
    return [{ source, lines: source.lines, pages: source.pages, isCited: true, quote: source.chunk_text }];
  });
  const others = further.flatMap(({ n, lines, pages, quote }) => {
    const source = sources.find((candidate) => candidate.n === n);
    if (source === undefined || cited.some((place) => place.source === source)) return [];
    const place = { source, lines, pages, isCited: false };
    // Beside an answer the place is enough: a model would take the quotation for a part of it.
    return [outcome === 'answer' ? place : { ...place, quote }];
  });
  return [...cited, ...named, ...others];
}

const sourcePlace = ({ documentId, ...source }: AnswerSource, context: ToolContext) =>
  placeOf({ ...source, id: documentId }, context);

// Citations of an answer are ours; a text that is only quoted has none.
const neutraliseAnswered = ({ answerer }: Answer, text: string): string =>
  answerer === 'none' ? neutralise(text) : text;

const shortened = (text: string): string => (text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

const noticesOf = (answer: Answer, { isCut }: { readonly isCut: boolean }): string[] => {
  const { correction, fallback, notices, noticeKinds } = answer;
  return [
    ...(correction === undefined ? [] : [`Read as "${inertName(correction.searchedFor)}".`]),
    // That an answer was removed is a notice already.
    ...(fallback === undefined || noticeKinds.includes('answer-removed') ? [] : [inertName(fallback.detail)]),
    // The text of the answer is what was written for outages.
    ...degradationNotices({ ...answer, staticResponses: [] }),
    ...(isCut
      ? ['The answer or the list of its sentences was cut; read its sources with get_document.']
      : []),
    ...notices.map(inertName),
  ];
};
