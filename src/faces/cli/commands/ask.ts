import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { AskRequest, CollapseMode, ConversationTurn } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import type { CliContext } from '../context.js';
import { choiceOption, countOption } from '../field-options.js';
import type { IndexView, ShownAnswer } from '../index-view.js';
import { withView } from '../open-engine.js';
import { numberBetween, wholeNumber } from '../parse-options.js';
import { doneByService } from '../refuse-on-server.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';
import {
  AS_OF,
  collapseOption,
  EXACT_WORDS,
  FILTERS_OF_SERVICES,
  type FilterOptions,
  toQuery,
  withFilterOptions,
} from '../search-options.js';

interface AskOptions extends FilterOptions, ScopeOptions {
  readonly chat?: boolean;
  readonly stream?: boolean;
  readonly explain?: boolean;
  readonly mode?: AskRequest['mode'];
  readonly maxSteps?: number;
  readonly deadlineMs?: number;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly answerer?: AskRequest['answerer'];
  readonly topK?: number;
  readonly collapse?: CollapseMode;
  readonly abstainBelow?: number;
  readonly exactWords?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone ask "how long are audit logs kept?"
  $ ragstone ask "how long are logs kept?" --stream
  $ ragstone ask --chat                                  a conversation; an empty line or Ctrl-D ends it
  $ ragstone ask "how do A and B differ?" --mode agentic --explain
  $ ragstone ask "which port does it use?" --json --answerer extractive

Without a language model (rag.chat.model) the answer is the passage that answers best, quoted.
Each [n] is a place in the sources, printed below as path:line from the working folder.`;

/** `ragstone ask QUESTION` */
export function registerAsk(program: Command, context: CliContext): void {
  const { mode, maxSteps, deadlineMs, answerer } = FIELDS.ask;
  const command = program
    .command('ask')
    .description('answer a question from the index, with citations')
    .argument('[question...]', 'what to answer, quotes may be left out; may be left out with --chat')
    .option('--chat', 'a conversation: further questions are read from the terminal')
    .option('--stream', 'print the answer as it is written')
    .option('--explain', 'show the time of each stage, and with --mode agentic each step')
    .addOption(choiceOption('--mode <mode>', 'how much is done to find', mode))
    .addOption(countOption('--max-steps <n>', 'with --mode agentic: most searches and other steps', maxSteps))
    .option(
      '--deadline-ms <ms>',
      `longest time: what is worth most in it is done (with --mode agentic default: ${deadlineMs.preset})`,
      wholeNumber(1),
    )
    .option('--max-cost <dollars>', 'most that the language model may cost', numberBetween(0, 1_000))
    .option('--max-tokens <n>', 'most tokens that the language model reads and writes', wholeNumber(0))
    .addOption(
      choiceOption('--answerer <who>', 'the language model, the best sentences, or what there is', answerer),
    )
    .option(
      '--top-k <n>',
      'passages that are searched (default: rag.answering.topK, else retrieval.topK, 5)',
      wholeNumber(1),
    );
  doneByService(command, [
    ...FILTERS_OF_SERVICES,
    'chat',
    'stream',
    'explain',
    'mode',
    'answerer',
    'topK',
    'abstainBelow',
    'maxSteps',
    'deadlineMs',
    'maxCost',
    'maxTokens',
    'exactWords',
    'collapse',
  ]);
  withScopeOptions(withFilterOptions(command))
    .option(
      '--abstain-below <confidence>',
      'withhold answers less sure than this, 0 to 1; 0 answers always',
      numberBetween(0, 1),
    )
    .addOption(collapseOption('rest on each document, or each backlog item and ticket, by one passage only'))
    .option(...EXACT_WORDS)
    .option(...AS_OF)
    .addHelpText('after', EXAMPLES)
    .action((words: readonly string[], options: AskOptions) =>
      runAsk(context, words.length === 0 ? undefined : words.join(' '), options),
    );
}

async function runAsk(context: CliContext, question: string | undefined, options: AskOptions): Promise<void> {
  if (options.chat === true && context.isJson)
    throw new RAGError('USAGE', '--chat is for people; with --json ask one question at a time.');
  if (question === undefined && options.chat !== true)
    throw new RAGError('USAGE', 'Say what to ask: ragstone ask "QUESTION", or ragstone ask --chat.');
  await withView(context, options, async (view) => {
    if (options.chat === true) await converse(context, view, { first: question, options });
    else if (question !== undefined) await answerOnce(context, view, { question, options, history: [] });
  });
}

interface Asked {
  readonly question: string;
  readonly options: AskOptions;
  readonly history: readonly ConversationTurn[];
}

async function answerOnce(context: CliContext, view: IndexView, asked: Asked): Promise<ShownAnswer> {
  const request = toRequest(asked, context.signal);
  const isStreamed = asked.options.stream === true && !context.isJson;
  const answer = isStreamed ? await streamed(context, view, request) : await view.ask(request);
  // Of a tenant that is named a notice says that it holds nothing.
  if (answer.abstention?.reason === 'nothing-found' && asked.options.tenant === undefined)
    await refuseEmptyIndex(view);
  if (context.isJson) {
    context.printJson(answer);
    return answer;
  }
  // An option of the library and the service, which the command does not have.
  for (const notice of answer.notices)
    context.warn(notice.replace(/; a search shows them with [^;]*(?=\.$)/, ''));
  const { renderAnswer } = await import('../render/answer.js');
  context.print(renderAnswer(answer, context));
  if (asked.options.explain === true) {
    if (answer.agent !== undefined) {
      const { renderSteps } = await import('../render/steps.js');
      context.print(context.colours.dim(renderSteps(answer.agent)));
    }
    const { renderStages } = await import('../render/stages.js');
    context.print(context.colours.dim(renderStages(answer.stages)));
  }
  return answer;
}

/** Where every file of a run failed there is an index, and nothing in it. A caller that may not see its state is told what was found. */
async function refuseEmptyIndex(view: IndexView): Promise<void> {
  const status = await view.status().catch(() => undefined);
  if (status?.documents !== 0) return;
  throw new RAGError(
    'INDEX_EMPTY',
    'Nothing is indexed: the index holds no document. `ragstone status` names what failed; then run `ragstone index FOLDER`.',
  );
}

/** Prints the text as it comes, to stderr, since it is not checked yet; the checked answer follows on stdout. */
async function streamed(context: CliContext, view: IndexView, request: AskRequest): Promise<ShownAnswer> {
  let hasText = false;
  for await (const event of view.askStream(request)) {
    if (event.type === 'text') {
      hasText = true;
      if (!context.isQuiet) context.side.write(event.text);
    } else if (event.type === 'reset' && hasText) context.note(`\n${event.reason}`);
    else if (event.type === 'answer') {
      if (hasText && !context.isQuiet) context.side.write('\n\n');
      return event.answer;
    }
  }
  throw new RAGError('INTERNAL', 'Answering ended without an answer.');
}

function toRequest({ question, options, history }: Asked, signal: AbortSignal): AskRequest {
  const { mode, answerer, topK, collapse, abstainBelow, exactWords, ...others } = options;
  const { maxSteps, deadlineMs, maxCost, maxTokens, ...narrowing } = others;
  const limits = withoutUndefined({ maxSteps, deadlineMs, maxCost, maxTokens });
  const { filter, filters, asOf } = toQuery(question, narrowing, signal);
  return {
    question,
    history,
    signal,
    mode,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    answerer,
    topK,
    ...(collapse === undefined ? {} : { options: { collapse } }),
    filter,
    asOf,
    filters,
    abstainBelow,
    exactWords,
  };
}

async function converse(
  context: CliContext,
  view: IndexView,
  { first, options }: { readonly first: string | undefined; readonly options: AskOptions },
): Promise<void> {
  const { readQuestions } = await import('../render/questions.js');
  const history: ConversationTurn[] = [];
  for await (const question of readQuestions(context, first)) {
    const answer = await answerOnce(context, view, { question, options, history });
    if (answer.standaloneQuestion !== question) context.note(`searched for: ${answer.standaloneQuestion}`);
    history.push({ role: 'user', content: question }, { role: 'assistant', content: answer.answer });
  }
}
