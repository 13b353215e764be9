import { type Answer, type AnswerEvent, type AskRequest, type EngineView, RAGError } from '../../index.js';

/** Asks an index. Whoever insists on a language model where none is set up asked for what the service does not have: `REQUEST_INVALID`. */
export async function askIndex(view: EngineView, request: AskRequest): Promise<Answer> {
  try {
    return await view.ask(request);
  } catch (error) {
    throw refusalOf(error, request);
  }
}

/** The same as it comes about. */
export async function* askIndexStream(view: EngineView, request: AskRequest): AsyncGenerator<AnswerEvent> {
  try {
    yield* view.askStream(request);
  } catch (error) {
    throw refusalOf(error, request);
  }
}

function refusalOf(error: unknown, { answerer }: AskRequest): unknown {
  const isNoModel =
    answerer === 'chat' &&
    RAGError.isInstance(error) &&
    error.reason === 'CONFIG_INVALID' &&
    error.details?.key === 'rag.chat.model';
  if (!isNoModel) return error;
  return new RAGError(
    'REQUEST_INVALID',
    'body/answerer: this service has no language model. Take `auto` or `extractive`.',
    { cause: error },
  );
}
