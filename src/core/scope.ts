import { and, contains, eq, type Filter, or, range } from './filter.js';

/** The group that stands for everyone in the tenant. A record whose groups are empty is visible to nobody. */
export const EVERYONE = '*';

/**
 * Who is asking, or for whom a document is kept. A required argument of every read and write: there is no call without it.
 */
export interface Scope {
  /** The tenant. Nothing ever crosses it. */
  readonly tenant: string;
  /** A project inside the tenant; absent means every project of the tenant. */
  readonly project?: string;
  /** Groups of the principal. `EVERYONE` is implied. */
  readonly groups: readonly string[];
  /** Highest security level the principal may read. Records are kept at a level from 0 (public in the tenant) up. */
  readonly clearance: number;
}

/** The scope of a person working alone on one machine. */
export const LOCAL_SCOPE: Scope = Object.freeze({
  tenant: 'default',
  groups: Object.freeze([]),
  clearance: Number.MAX_SAFE_INTEGER,
});

/** Who may see a record. */
export interface AccessControl {
  /** Groups that may read; `[EVERYONE]` for all of the tenant; empty for nobody. */
  readonly groups: readonly string[];
  /** Security level; readable by a scope whose clearance is at least this. */
  readonly level: number;
}

export const OPEN_ACCESS: AccessControl = Object.freeze({ groups: Object.freeze([EVERYONE]), level: 0 });

/** The filter that admits what a scope may read, and nothing else. */
export function scopeFilter(scope: Scope): Filter {
  return and(
    eq('$tenant', scope.tenant),
    ...(scope.project === undefined ? [] : [eq('$project', scope.project)]),
    range('$level', { lte: scope.clearance }),
    or(contains('$groups', EVERYONE), ...scope.groups.map((group) => contains('$groups', group))),
  );
}
