import type { AnswerEvent } from '../answering/answer-events.js';
import { LOCAL_SCOPE, type Scope, type ScopeInput } from '../core/scope.js';
import { checkedQuestion } from './answers.js';
import { type AskRequest, type Engine, type EngineView, FACT_OPERATIONS, OPERATIONS } from './engine.js';
import type { ScopedGraphFacts } from './graph-facts.js';
import type { Operation } from './operation.js';

type AnyOperation = Operation<never[], unknown, never>;

/** What each operation of a table does with what it is asked, after the check. */
type Handlers<Table, View> = {
  readonly [Name in keyof Table & keyof View]: Table[Name] extends Operation<infer _, infer Asked, infer __>
    ? (asked: Asked) => ReturnType<View[Name] extends (...given: never[]) => unknown ? View[Name] : never>
    : never;
};

/** What a view does. */
export interface ViewHandlers {
  readonly operations: Handlers<typeof OPERATIONS, EngineView>;
  readonly facts: Handlers<typeof FACT_OPERATIONS, ScopedGraphFacts>;
  readonly askStream: (asked: AskRequest) => AsyncIterable<AnswerEvent>;
}

/** A view that checks what each operation is asked, and hands it on. */
export function checkedView(scope: Scope, { operations, facts, askStream }: ViewHandlers): EngineView {
  const checking = (table: Readonly<Record<string, AnyOperation>>, handlers: object) =>
    each(table, (name, { check }, given) => invoke(handlers, name, [check(...(given as never[]))]));
  return {
    scope,
    ...checking(OPERATIONS, operations),
    graph: checking(FACT_OPERATIONS, facts),
    askStream: (request: string | AskRequest) => askStream(checkedQuestion(request)),
  } as unknown as EngineView;
}

/** One call. */
export interface OperationCall {
  /** `search`, `graph extract`. */
  readonly name: string;
  readonly access: 'read' | 'write';
  /** Its arguments. */
  readonly given: readonly unknown[];
  /** What the audit log keeps of it. */
  readonly logged: Logged;
}

type Logged = Pick<AnyOperation, 'asked' | 'writes' | 'gave'>;

/** Makes a call, on which view it likes. */
type MakeCall = <Outcome>(
  call: OperationCall,
  work: (view: EngineView) => Promise<Outcome>,
) => Promise<Outcome>;

/** Calls of a view without the events of an answer, which have a way of their own. */
export type Calls = Omit<EngineView, 'askStream' | 'scope'>;

/** Calls of a view that are all made by `make`. */
export function callsThrough(make: MakeCall): Calls {
  const calls = each(OPERATIONS, (name, { access, ...logged }, given) =>
    make({ name, access, given, logged }, (view) => invoke(view, name, given)),
  );
  const graph = each(FACT_OPERATIONS, (name, { access, ...logged }, given) =>
    make({ name: `graph ${name}`, access, given, logged }, (view) => invoke(view.graph, name, given)),
  );
  return { ...calls, graph } as unknown as Calls;
}

/** The methods of an engine that take a scope last, of the views that it has. */
export function engineThrough(
  viewFor: (scope: ScopeInput) => EngineView,
): Pick<Engine, keyof EngineView | 'as'> {
  // `null` is a scope that states something wrong.
  const viewOf = (given: readonly unknown[], { takes }: AnyOperation): EngineView =>
    viewFor(given[takes] === undefined ? LOCAL_SCOPE : (given[takes] as ScopeInput));
  const calls = each(OPERATIONS, (name, stated, given) =>
    invoke(viewOf(given, stated), name, given.slice(0, stated.takes)),
  );
  const graph = each(FACT_OPERATIONS, (name, stated, given) =>
    invoke(viewOf(given, stated).graph, name, given.slice(0, stated.takes)),
  );
  return {
    ...calls,
    graph,
    scope: LOCAL_SCOPE,
    as: viewFor,
    askStream: (request: string | AskRequest, scope: ScopeInput = LOCAL_SCOPE) =>
      viewFor(scope).askStream(request),
  } as unknown as Pick<Engine, keyof EngineView | 'as'>;
}

/** A method for each operation; what it throws rejects. */
const each = (
  table: Readonly<Record<string, AnyOperation>>,
  call: (name: string, stated: AnyOperation, given: readonly unknown[]) => Promise<unknown>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, stated]) => [
      name,
      async (...given: unknown[]) => call(name, stated, given),
    ]),
  );

const invoke = <Outcome>(target: object, name: string, given: readonly unknown[]): Promise<Outcome> =>
  (target as Record<string, (...given: readonly unknown[]) => Promise<Outcome>>)[name]?.(
    ...given,
  ) as Promise<Outcome>;
