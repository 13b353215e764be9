import { RAGError } from './errors.js';
import { and, contains, eq, type Filter, or, range } from './filter.js';
import { nearestName } from './nearest-name.js';
import { isList, plainCopy, type Refuse, shownPath } from './plain-copy.js';

/** The group that stands for everyone in the tenant. A record whose groups are empty is visible to nobody. */
export const EVERYONE = '*';

/** Who is asking, or for whom a document is kept, as the engine works with it: nothing is left open. */
export interface Scope {
  /** The tenant. Nothing ever crosses it. */
  readonly tenant: string;
  /** A project inside the tenant; absent means every project of the tenant. */
  readonly project?: string | undefined;
  /** Groups of the principal. `EVERYONE` is implied. */
  readonly groups: readonly string[];
  /** Highest security level the principal may read. Records are kept at a level from 0 (public in the tenant) up. */
  readonly clearance: number;
}

/** A scope as a caller states it. What is left out grants nothing. */
export interface ScopeInput {
  /** The tenant; there is no scope without one. */
  readonly tenant: string;
  /** @default every project of the tenant */
  readonly project?: string | undefined;
  /** @default none beside `EVERYONE` */
  readonly groups?: readonly string[] | undefined;
  /** @default 0 */
  readonly clearance?: number | undefined;
}

/** The scope of a call that states none: what a person alone on one machine needs, and no more. */
export const LOCAL_SCOPE: Scope = Object.freeze({
  tenant: 'default',
  groups: Object.freeze([]),
  clearance: 0,
});

/**
 * Whose the results of costly work on a text are. A cache gives them to the same owner alone: what is found sooner, or is not paid for
 * again, would tell that another tenant has the text. Undefined for the tenant of who states none, whose caches are older than owners.
 */
export const cacheOwner = ({ tenant }: Pick<Scope, 'tenant'>): string | undefined =>
  tenant === LOCAL_SCOPE.tenant ? undefined : tenant;

const KEYS = ['tenant', 'project', 'groups', 'clearance'];

/**
 * The one border that every scope passes: the engine's methods call it, and so does `scopeFilter`, for code that bypasses
 * them. It gives a frozen copy: no later change of the caller's object reaches it, and no receiver can widen it.
 *
 * @throws RAGError `SCOPE_INVALID` for no tenant, a value of another type (`clearance: null`, NaN, text), an unknown key
 */
export function scopeOf(input: unknown): Scope {
  if (typeof input !== 'object' || input === null || isList(input))
    throw invalid(
      `A scope is an object such as { tenant: "acme", groups: ["hr"], clearance: 1 }, not ${kindOf(input)}.`,
    );
  const stated = plainCopy(input, wrong);
  for (const key of Object.keys(stated)) if (!KEYS.includes(key)) throw unknownKey(key);
  const { tenant, project, groups, clearance = 0 }: Partial<Record<keyof Scope, unknown>> = stated;
  if (tenant === undefined) throw invalid('A scope needs a tenant, such as { tenant: "default" }.');
  if (typeof clearance !== 'number' || !Number.isSafeInteger(clearance))
    throw invalid(`The clearance of a scope is a whole number, not ${kindOf(clearance)}.`);
  return Object.freeze({
    tenant: nameOf('tenant', tenant),
    ...(project === undefined ? {} : { project: nameOf('project', project) }),
    groups: Object.freeze(groupsOf(groups)),
    clearance,
  });
}

function groupsOf(groups: unknown): readonly string[] {
  if (groups === undefined) return [];
  if (!Array.isArray(groups))
    throw invalid(`The groups of a scope are a list of texts, not ${kindOf(groups)}.`);
  return groups.map((group: unknown) => nameOf('group', group));
}

// Half of a surrogate pair is stored as U+FFFD, and a NUL ends a text in some databases: two names could become one.
function nameOf(what: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`The ${what} of a scope is a text, not ${kindOf(value)}.`);
  if (value === '' || !value.isWellFormed() || /\p{Cc}/u.test(value))
    throw invalid(`The ${what} of a scope must not be empty and must hold no control characters.`);
  return value;
}

const wrong: Refuse = (path, expected, cause) =>
  invalid(
    `${path === '' ? 'A scope' : `The ${JSON.stringify(path)} of a scope`} must be ${expected}.`,
    cause,
  );

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value);
  if (isList(value)) return 'a list';
  return typeof value === 'number' ? String(value) : `of type ${typeof value}`;
};

function unknownKey(key: string): RAGError {
  const near = nearestName(key, KEYS);
  const known = near === undefined ? `Known: ${KEYS.join(', ')}.` : `Did you mean ${near}?`;
  const hint = OF_THE_REQUEST.has(key) ? inRequest(key) : known;
  return invalid(`A scope has no ${JSON.stringify(shownPath([key]))}. ${hint}`);
}

/** What other libraries take as a second argument. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['topK', 'filters', 'filter', 'options', 'signal']);

const inRequest = (key: string): string =>
  `It says who asks. ${key} goes into the first argument: search({ text: "...", ${key}: ... }), ask({ question: "...", ${key}: ... }).`;

const invalid = (message: string, cause?: unknown): RAGError =>
  new RAGError('SCOPE_INVALID', message, { cause });

/** Who may see a record. */
export interface AccessControl {
  /** Groups that may read; `[EVERYONE]` for all of the tenant; empty for nobody. */
  readonly groups: readonly string[];
  /** Security level; readable by a scope whose clearance is at least this. */
  readonly level: number;
}

export const OPEN_ACCESS: AccessControl = Object.freeze({ groups: Object.freeze([EVERYONE]), level: 0 });

/** The filter that admits what a scope may read, and nothing else. Throws as `scopeOf`. */
export function scopeFilter(scope: ScopeInput): Filter {
  const { clearance, groups, ...owner } = scopeOf(scope);
  return and(
    ...ownerFilters(owner),
    range('$level', { lte: clearance }),
    or(contains('$groups', EVERYONE), ...groups.map((group) => contains('$groups', group))),
  );
}

/** The filter that admits what is of the scope's tenant and project, whatever its access. Throws as `scopeOf`. */
export const ownedFilter = (scope: ScopeInput): Filter => and(...ownerFilters(scopeOf(scope)));

const ownerFilters = ({ tenant, project }: Pick<Scope, 'tenant' | 'project'>): Filter[] => [
  eq('$tenant', tenant),
  ...(project === undefined ? [] : [eq('$project', project)]),
];
