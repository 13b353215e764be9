import { type ConfigPath, formatPath, isRecord } from './config-path.js';
import {
  type Environment,
  ExpansionSyntaxError,
  expandVariables,
  type MissingVariable,
  mentionsVariable,
} from './expand-variables.js';

/** Something wrong at one place of a configuration. */
export interface PlacedProblem {
  readonly path: ConfigPath;
  readonly problem: string;
}

/** A configuration whose texts are expanded. */
export interface ExpandedTree {
  readonly value: unknown;
  /** Variables by formatted path: of every text that mentions one. */
  readonly variables: ReadonlyMap<
    string,
    { readonly used: readonly string[]; readonly defaulted: readonly string[] }
  >;
  /** Places whose variable is not set. They are left out of `value`. */
  readonly missing: readonly (MissingVariable & { readonly path: ConfigPath })[];
  readonly problems: readonly PlacedProblem[];
}

// Deeper than any configuration; a list that holds itself through an alias has no end.
const MAX_DEPTH = 32;

/**
 * Expands variables in every text of a tree that is already parsed, so that a value can never become syntax. Keys stay as
 * they are. A key without a value (`retrieval:` with everything below commented out) counts as not there.
 */
export function expandTree(tree: unknown, environment: Environment): ExpandedTree {
  const variables = new Map<string, { used: readonly string[]; defaulted: readonly string[] }>();
  const missing: (MissingVariable & { path: ConfigPath })[] = [];
  const problems: PlacedProblem[] = [];

  const expandText = (text: string, path: ConfigPath): string | undefined => {
    try {
      const expansion = expandVariables(text, environment);
      const { used, defaulted } = expansion;
      if (used.length + defaulted.length > 0) variables.set(formatPath(path), { used, defaulted });
      for (const variable of expansion.missing) missing.push({ ...variable, path });
      return expansion.missing.length === 0 ? expansion.text : undefined;
    } catch (error) {
      if (!(error instanceof ExpansionSyntaxError)) throw error;
      problems.push({ path, problem: error.message });
      return undefined;
    }
  };

  const expand = (value: unknown, path: ConfigPath): unknown => {
    if (path.length > MAX_DEPTH) {
      problems.push({ path: path.slice(0, 4), problem: `is nested more than ${MAX_DEPTH} levels deep` });
      return undefined;
    }
    if (typeof value === 'string') return mentionsVariable(value) ? expandText(value, path) : value;
    if (Array.isArray(value))
      // A text that is not there leaves an empty one, so that the positions of the others stay.
      return value.map((item: unknown, index) => expand(item, [...path, index]) ?? '');
    if (!isRecord(value)) return value;
    const entries = Object.entries(value)
      .filter(([, child]) => child !== null && child !== undefined)
      .map(([key, child]): [string, unknown] => [key, expand(child, [...path, key])]);
    return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
  };

  return { value: expand(tree, []), variables, missing, problems };
}
