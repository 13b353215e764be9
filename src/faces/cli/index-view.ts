import type {
  Answer,
  AnswerEvent,
  AnswerSource,
  AskRequest,
  EngineView,
  IndexStatus,
  SearchQuery,
  SyncStatus,
} from '../../index.js';
import type { OperationName } from '../client/routes.js';

/** What a service keeps to itself may be absent. */
type Partly<Whole, Withheld extends keyof Whole> = Omit<Whole, Withheld> & Partial<Pick<Whole, Withheld>>;

/** An answer as it is shown: that of a service names no model and no revisions. */
export type ShownAnswer = Partly<Omit<Answer, 'sources' | 'citations' | 'further'>, 'context'> & {
  readonly sources: readonly Partly<AnswerSource, 'chunkIds' | 'revision'>[];
  readonly citations: readonly Omit<Answer['citations'][number], 'revision' | 'start' | 'end'>[];
  readonly further: readonly Omit<Answer['further'][number], 'revision' | 'start' | 'end'>[];
};

/** What a command shows while an answer comes about. */
export type ShownAnswerEvent =
  | Exclude<AnswerEvent, { readonly type: 'start' | 'answer' }>
  | { readonly type: 'start' }
  | { readonly type: 'answer'; readonly answer: ShownAnswer };

/** The state of an index as it is shown: a service tells nothing of its machine. */
export type ShownStatus = Partly<
  Omit<IndexStatus, 'following'>,
  'dataDir' | 'providerOrigin' | 'fingerprint' | 'bytes' | 'vectorIndex' | 'textIndex'
> & { readonly following?: Partly<SyncStatus, 'process'> | undefined };

/** Operations whose routes take and give the same. */
export type OperationCalls = {
  [Name in OperationName]: (
    request: Exclude<Parameters<EngineView[Name]>[0], string>,
  ) => ReturnType<EngineView[Name]>;
};

/** What commands ask of an index, whether it is of this machine or behind a service. */
export interface IndexView extends OperationCalls {
  search(query: SearchQuery): ReturnType<EngineView['search']>;
  ask(request: AskRequest): Promise<ShownAnswer>;
  askStream(request: AskRequest): AsyncIterable<ShownAnswerEvent>;
  explainMiss(query: SearchQuery, document: string): ReturnType<EngineView['explainMiss']>;
  status(): Promise<ShownStatus>;
}
