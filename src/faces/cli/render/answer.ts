import { rewriteOutsideCode } from '../../../context/outside-code.js';
import { passageUnits } from '../../../core/analysis/passage-units.js';
import type { CliContext } from '../context.js';
import type { ShownAnswer } from '../index-view.js';
import { renderCorrection } from './correction.js';
import { degradationOf, renderStatic } from './degradation.js';
import { renderPlace } from './place.js';
import { formatDuration, oneLine, plural, withoutTabs } from './text.js';

type AnswerSource = ShownAnswer['sources'][number];
type Citation = ShownAnswer['citations'][number];
type FurtherPlace = ShownAnswer['further'][number];

const INDENT = '   ';
const QUOTE_LENGTH = 240;

/**
 * An answer for a terminal: how sure it is where it is not, the text, and its sources as `path:line` that a terminal can open, each
 * document once. Without an answer that is said on the first line.
 */
export function renderAnswer(asGiven: ShownAnswer, context: CliContext): string {
  const answer = numberedAsShown(asGiven);
  const correction = renderCorrection(answer.correction, context);
  const said = renderStatic(answer.staticResponses ?? []);
  if (said.length > 0) return [...said, context.colours.dim(summaryOf(answer))].join('\n\n');
  const sections =
    answer.outcome === 'answer'
      ? [...caution(answer, context), ...correction, ...answered(answer, context)]
      : [withheld(answer, context), ...correction, ...nearestPlaces(answer, context)];
  return [...sections, context.colours.dim(summaryOf(answer))].join('\n\n');
}

const uncheckedIn = ({ support }: ShownAnswer): ShownAnswer['support'] =>
  support.filter(({ verdict, isRemoved }) => verdict === 'unsupported' && !isRemoved);

/** Said before what is quoted: a number behind it comes too late. */
const caution = ({ isUnsure, answerer, confidence }: ShownAnswer, { colours }: CliContext): string[] =>
  isUnsure === true && answerer === 'extractive'
    ? [
        colours.yellow(
          `Perhaps (confidence ${confidence.toFixed(2)}): read the source before you rely on it.`,
        ),
      ]
    : [];

function answered(answer: ShownAnswer, context: CliContext): string[] {
  const { colours } = context;
  const { highlight } = answer;
  const text = withoutTabs(answer.answer);
  const shown = highlight === undefined ? text : emphasised(text, withoutTabs(highlight), colours.bold);
  // The text of an extracted answer is the quotation already.
  const isQuoted = answer.answerer === 'extractive';
  const cited = answer.sources.filter(({ n }) => answer.citations.some((citation) => citation.n === n));
  // What is unchecked is to be compared with the passages that it names.
  const named = answer.sources.filter(
    ({ n }) =>
      !cited.some((source) => source.n === n) && uncheckedIn(answer).some(({ cites }) => cites.includes(n)),
  );
  const documents = new Set(cited.map(({ documentId }) => documentId));
  const documentOf = ({ n }: FurtherPlace) => answer.sources.find((source) => source.n === n)?.documentId;
  const elsewhere = (place: FurtherPlace) => !documents.has(documentOf(place) ?? '');
  const sources = cited.map((source) => {
    const own = answer.citations.filter(({ n }) => n === source.n);
    if (!isQuoted) return renderSource(source, shownPlaces(own, 'line'), context);
    const beside = answer.further.filter((place) => documentOf(place) === source.documentId);
    const section = own[0] === undefined ? undefined : headingOf(own[0].quote, source);
    const named = beside.map((place) => {
      const heading = headingOf(place.quote, answer.sources.find(({ n }) => n === place.n) ?? source);
      return heading === section || heading === source.title ? place : { ...place, section: heading };
    });
    const places = [...shownPlaces([decidingPlace(own, highlight)], 'none'), ...shownPlaces(named, 'line')];
    return renderSource(source, places, context);
  });
  const toCompare = named.map((source) =>
    renderSource(
      source,
      shownPlaces([{ lines: source.lines, pages: source.pages, quote: source.chunk_text }], 'line'),
      context,
    ),
  );
  const further = isQuoted ? placesByDocument(answer, answer.further.filter(elsewhere), context) : [];
  return [
    shown,
    ...[[...sources, ...toCompare].join('\n')].filter((listed) => listed !== ''),
    ...(further.length > 0 ? [`${colours.dim('See also')}\n${further.join('\n')}`] : []),
  ];
}

/**
 * Sources are numbered by rank, which a reader never sees: here they are numbered as they appear, those of the text first. An answer
 * that cites ranges of numbers keeps its own.
 */
function numberedAsShown(answer: ShownAnswer): ShownAnswer {
  const text = answer.answer.replaceAll('\r\n', '\n');
  const prose: string[] = [];
  rewriteOutsideCode(text, (part) => {
    prose.push(part);
    return part;
  });
  if (prose.some((part) => RANGE_OF_MARKS.test(part)) || answer.sources.length === 0) return answer;
  const cited = new Set([
    ...answer.citations.map(({ n }) => n),
    ...uncheckedIn(answer).flatMap(({ cites }) => cites),
  ]);
  const inText = prose
    .flatMap((part) => [...part.matchAll(MARK)])
    .flatMap(([, inside = '']) => inside.split(',').map(Number))
    .filter((n) => cited.has(n));
  const all = [...inText, ...cited, ...headed(answer, cited), ...answer.sources.map(({ n }) => n)];
  const numbers = new Map([...new Set(all)].map((n, index) => [n, index + 1]));
  const numberOf = (n: number): number => numbers.get(n) ?? n;
  const renumbered = <Place extends { readonly n: number }>(places: readonly Place[]): Place[] =>
    places.map((place) => ({ ...place, n: numberOf(place.n) }));
  // Of what a model wrote every mark is a citation, those of a list of sources too.
  const isMark = (n: number): boolean => (answer.answerer === 'chat' ? numbers : cited).has(n);
  return {
    ...answer,
    answer: rewriteOutsideCode(text, (part) =>
      part.replace(MARK, (mark, inside: string) => {
        const own = inside.split(',').map(Number);
        return own.every(isMark) ? `[${own.map(numberOf).join(', ')}]` : mark;
      }),
    ),
    sources: renumbered(answer.sources).sort((left, right) => left.n - right.n),
    citations: renumbered(answer.citations),
    further: renumbered(answer.further),
  };
}

/** Further places that open the entry of a document: the others stand below one and show no number. */
function headed({ sources, further }: ShownAnswer, cited: ReadonlySet<number>): number[] {
  const documentOf = (n: number) => sources.find((source) => source.n === n)?.documentId ?? '';
  const seen = new Set([...cited].map(documentOf));
  return further.flatMap(({ n }) => {
    const isSeen = seen.has(documentOf(n));
    seen.add(documentOf(n));
    return isSeen ? [] : [n];
  });
}

const RANGE_OF_MARKS = /\[[^\]]*\d\s*[-–]\s*\d[^\]]*\]/;
const MARK = /\[(\d+(?:\s*,\s*\d+)*)\]/g;

/** Where the words that decide stand: a quotation may begin with the function before the one that was asked for. */
function decidingPlace(citations: readonly Citation[], highlight: string | undefined): CitedPlace {
  const [first] = citations;
  const deciding =
    citations.find(({ quote }) => highlight !== undefined && quote.includes(highlight)) ?? first;
  const { lines = { start: 1, end: 1 }, pages, quote = '' } = deciding ?? {};
  const before = quote.slice(0, Math.max(0, quote.indexOf(highlight ?? '')));
  return { quote, pages, lines: { start: lines.start + before.split('\n').length - 1, end: lines.end } };
}

/** What is said instead of an answer. */
function withheld({ outcome, answer }: ShownAnswer, { colours }: CliContext): string {
  return colours.yellow(`${outcome === 'perhaps' ? 'Not sure. ' : ''}${withoutTabs(answer)}`);
}

/** The first is for reading, the others for choosing. */
function nearestPlaces(answer: ShownAnswer, context: CliContext): string[] {
  return placesByDocument(answer, answer.further, context, (place) =>
    place === answer.further[0] && answer.outcome === 'perhaps' ? 'whole' : 'line',
  );
}

/** Each document once, where its first place stands, with all its places. */
function placesByDocument(
  { sources }: ShownAnswer,
  places: readonly FurtherPlace[],
  context: CliContext,
  formOf: (place: FurtherPlace) => QuoteForm = () => 'line',
): string[] {
  const byDocument = new Map<string, { readonly source: AnswerSource; readonly places: ShownPlace[] }>();
  for (const place of places) {
    const source = sources.find(({ n }) => n === place.n);
    if (source === undefined) continue;
    const document = byDocument.get(source.documentId) ?? { source, places: [] };
    document.places.push(...shownPlaces([place], formOf(place)));
    byDocument.set(source.documentId, document);
  }
  return [...byDocument.values()].map((document) => renderSource(document.source, document.places, context));
}

const emphasised = (text: string, part: string, style: (text: string) => string): string => {
  const at = text.indexOf(part);
  if (part === '' || at < 0) return text;
  // A style ends with its line on some terminals.
  const bold = part
    .split('\n')
    .map((line) => style(line))
    .join('\n');
  return `${text.slice(0, at)}${bold}${text.slice(at + part.length)}`;
};

type CitedPlace = Pick<Citation, 'lines' | 'quote'> & {
  readonly pages?: Citation['pages'] | undefined;
  /** Its heading, where that is not the one of what it stands beside. */
  readonly section?: string | undefined;
};

/** The heading that a quotation stands below in its passage. */
function headingOf(quote: string, { chunk_text: text, headingPath }: AnswerSource): string | undefined {
  const at = text.indexOf(quote);
  const above = passageUnits(text).filter(({ kind, start }) => kind === 'heading' && start <= at);
  const last = above.at(-1);
  if (last === undefined) return headingPath.at(-1);
  return oneLine(text.slice(last.start, last.end).replace(/^#+\s+|\s+#+\s*$|\n[=-]+\s*$/g, ''));
}

/** What is shown of a place's words: nothing, as much as one line takes, or all with its own lines. */
type QuoteForm = 'none' | 'line' | 'whole';

type ShownPlace = CitedPlace & { readonly form: QuoteForm };

/** Each once: several sentences may rest on one place. */
const shownPlaces = (places: readonly CitedPlace[], form: QuoteForm): ShownPlace[] => {
  const keyOf = ({ lines, quote }: CitedPlace): string => `${lines.start}\n${quote}`;
  return [...new Map(places.map((place) => [keyOf(place), place])).values()].map(
    ({ lines, pages, section, quote }) => ({
      lines,
      pages,
      section,
      quote,
      form,
    }),
  );
};

function renderSource(source: AnswerSource, places: readonly ShownPlace[], context: CliContext): string {
  const { colours } = context;
  const title = [source.title, ...source.headingPath].filter((part) => part !== undefined).map(oneLine);
  const number = colours.dim(`[${source.n}]`);
  return [
    title.length > 0 ? `${number} ${colours.bold(title.join(' > '))}` : number,
    ...places.flatMap(({ lines, pages, section, quote, form }) => [
      INDENT +
        colours.cyan(
          renderPlace({ id: source.source, origin: source.origin, lines: `${lines.start}`, pages }, context),
        ) +
        (section === undefined ? '' : colours.dim(` (${section})`)),
      ...(form === 'line' ? [INDENT + colours.dim(shortened(oneLine(quote)))] : []),
      ...(form === 'whole' ? indented(quote) : []),
    ]),
    ...flaggedIn(source).map((line) => INDENT + colours.yellow(line)),
  ].join('\n');
}

/** An older service tells the signals alone. */
function flaggedIn({ flags, flagged = [flags.join(', ')] }: AnswerSource): string[] {
  const [first = '', ...others] = flagged;
  if (flags.length === 0) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [`reads like an instruction to a language model: ${oneLine(first)}${more}`];
}

const indented = (text: string): string[] =>
  withoutTabs(text)
    .split('\n')
    .map((line) => (line === '' ? line : INDENT + line));

/** Cut between words. */
function shortened(text: string): string {
  if (text.length <= QUOTE_LENGTH) return text;
  const cut = text.slice(0, QUOTE_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), QUOTE_LENGTH / 2))} …`;
}

const OUTCOMES = {
  answer: 'answer',
  perhaps: 'no sure answer, perhaps in these places',
  'not-found': 'not found',
} as const;

function summaryOf(answer: ShownAnswer): string {
  const { answerer, outcome, confidence, support, tookMs, model, isPartial } = answer;
  const shown = support.filter(({ isRemoved }) => !isRemoved);
  const removed = support.length - shown.length;
  const supported = shown.filter(({ verdict }) => verdict === 'supported').length;
  const checked = shown.filter(({ verdict }) => verdict !== 'not-checked').length;
  const unchecked = uncheckedIn(answer).length;
  const who = { chat: model?.id ?? 'language model', extractive: 'quoted', none: OUTCOMES[outcome] }[
    answerer
  ];
  return [
    who,
    // Of no answer there is nothing to be confident of.
    ...(outcome === 'answer' ? [`confidence ${confidence.toFixed(2)}`] : []),
    ...(answerer === 'chat' ? [`${supported} of ${plural(checked, 'sentence')} supported`] : []),
    ...(unchecked > 0 ? [`${unchecked} unchecked`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(isPartial ? ['not complete'] : []),
    ...degradationOf(answer),
    formatDuration(tookMs),
  ].join(', ');
}
