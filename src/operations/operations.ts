import { LOCAL_SCOPE, type Scope, type ScopeInput } from '../core/scope.js';
import type { AskRequest, Engine, EngineView } from './engine.js';
import type { ScopedGraphFacts } from './graph-facts.js';

/** What holds for each call of an operation. */
interface Operation {
  /** Whether it changes what is kept. */
  readonly access: 'read' | 'write';
  /** Its number of arguments; on an engine the scope stands behind them. */
  readonly takes: 0 | 1 | 2;
}

/** Methods of a view that give one outcome. */
type Outcomes<View> = {
  [Name in keyof View as View[Name] extends (...given: never[]) => Promise<unknown>
    ? Name
    : never]: View[Name];
};

/** Operations of an index as one scope sees it. Views, the audit log of programs and the way to a tenant's index are made of this table. */
const OPERATIONS = {
  index: { access: 'write', takes: 1 },
  push: { access: 'write', takes: 1 },
  delete: { access: 'write', takes: 1 },
  get: { access: 'read', takes: 1 },
  list: { access: 'read', takes: 1 },
  countDocuments: { access: 'read', takes: 0 },
  search: { access: 'read', takes: 1 },
  related: { access: 'read', takes: 1 },
  conflicts: { access: 'read', takes: 1 },
  context: { access: 'read', takes: 1 },
  embed: { access: 'read', takes: 1 },
  feedback: { access: 'write', takes: 1 },
  listFeedback: { access: 'read', takes: 1 },
  feedbackJudgments: { access: 'read', takes: 1 },
  explainMiss: { access: 'read', takes: 2 },
  ask: { access: 'read', takes: 1 },
  rollout: { access: 'read', takes: 0 },
  status: { access: 'read', takes: 0 },
  failures: { access: 'read', takes: 1 },
  retry: { access: 'write', takes: 1 },
  sourceStates: { access: 'read', takes: 0 },
  indexingStates: { access: 'read', takes: 1 },
  // Where it repairs it writes.
  verify: { access: 'read', takes: 1 },
  forget: { access: 'write', takes: 1 },
  letIn: { access: 'write', takes: 1 },
  checkReceipt: { access: 'read', takes: 1 },
  resumeForgetting: { access: 'write', takes: 0 },
} as const satisfies Readonly<Record<keyof Outcomes<EngineView>, Operation>>;

/** The same of `graph`. */
const FACT_OPERATIONS = {
  estimate: { access: 'read', takes: 1 },
  extract: { access: 'write', takes: 1 },
  summarize: { access: 'write', takes: 1 },
  status: { access: 'read', takes: 0 },
  summaries: { access: 'read', takes: 1 },
  entity: { access: 'read', takes: 1 },
} as const satisfies Readonly<Record<keyof ScopedGraphFacts, Operation>>;

/** One call. */
export interface OperationCall {
  /** `search`, `graph extract`. */
  readonly name: string;
  readonly access: Operation['access'];
  /** Its first argument. */
  readonly request: unknown;
}

/** Makes a call, on which view it likes. */
type MakeCall = <Outcome>(
  call: OperationCall,
  work: (view: EngineView) => Promise<Outcome>,
) => Promise<Outcome>;

/** A view whose calls are all made by `make`; the events of an answer have a way of their own. */
export function viewThrough(scope: Scope, make: MakeCall): Omit<EngineView, 'askStream'> {
  const calls = each(OPERATIONS, (name, { access }, given) =>
    make({ name, access, request: given[0] }, (view) => invoke(view, name, given)),
  );
  const graph = each(FACT_OPERATIONS, (name, { access }, given) =>
    make({ name: `graph ${name}`, access, request: given[0] }, (view) => invoke(view.graph, name, given)),
  );
  return { scope, ...calls, graph } as unknown as Omit<EngineView, 'askStream'>;
}

/** The methods of an engine that take a scope last, of the views that it has. */
export function engineThrough(
  viewFor: (scope: ScopeInput) => EngineView,
): Pick<Engine, keyof EngineView | 'as'> {
  // `null` is a scope that states something wrong.
  const viewOf = (given: readonly unknown[], { takes }: Operation): EngineView =>
    viewFor(given[takes] === undefined ? LOCAL_SCOPE : (given[takes] as ScopeInput));
  const calls = each(OPERATIONS, (name, operation, given) =>
    invoke(viewOf(given, operation), name, given.slice(0, operation.takes)),
  );
  const graph = each(FACT_OPERATIONS, (name, operation, given) =>
    invoke(viewOf(given, operation).graph, name, given.slice(0, operation.takes)),
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
  table: Readonly<Record<string, Operation>>,
  call: (name: string, operation: Operation, given: readonly unknown[]) => Promise<unknown>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, operation]) => [
      name,
      async (...given: unknown[]) => call(name, operation, given),
    ]),
  );

const invoke = <Outcome>(target: object, name: string, given: readonly unknown[]): Promise<Outcome> =>
  (target as Record<string, (...given: readonly unknown[]) => Promise<Outcome>>)[name]?.(
    ...given,
  ) as Promise<Outcome>;
