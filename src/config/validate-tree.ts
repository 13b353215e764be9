import type * as z from 'zod';
import { nearestName } from '../core/nearest-name.js';
import { isSecretKey } from '../core/secret.js';
import { type ConfigPath, formatPath, isRecord, valueAt } from './config-path.js';
import type { ExpandedTree } from './expand-tree.js';
import { findKeyElsewhere, knownKeysAt } from './json-schema.js';
import { configFileSchema } from './schema/index.js';

/** One reason why a configuration is refused. */
export interface ConfigProblem {
  readonly path: ConfigPath;
  /** Whether the key or its value is wrong. */
  readonly target: 'key' | 'value';
  readonly problem: string;
  /** The key or value that was probably meant. */
  readonly suggestion?: string;
}

type Parsed = z.output<typeof configFileSchema>;
type Issue = z.core.$ZodIssue;

/**
 * Checks an expanded tree against the schema; all problems at once. `stated` is what the configuration says itself, without
 * defaults.
 *
 * @param ownStrategies chunking strategies that a program hands in: the schema does not know their names
 */
export function validateTree(
  tree: ExpandedTree,
  ownStrategies: readonly string[] = [],
): { readonly config: Parsed; readonly stated: unknown } | { readonly problems: ConfigProblem[] } {
  const own = ownStrategiesIn(tree.value, ownStrategies);
  let value: unknown = without(own, tree.value ?? {});
  let result = configFileSchema.safeParse(value);
  if (!result.success) {
    value = readEnvironmentTexts(value, result.error.issues, tree);
    result = configFileSchema.safeParse(value);
  }
  if (result.success) {
    for (const { path, strategy } of own)
      for (const root of [result.data, value]) setAt(root, path, strategy);
    return { config: result.data, stated: value };
  }
  return { problems: result.error.issues.flatMap((issue) => explainIssue(issue, value, tree)) };
}

interface StatedStrategy {
  readonly path: ConfigPath;
  readonly strategy: string;
}

/** Where chunking states a strategy that is a program's own. */
function ownStrategiesIn(tree: unknown, own: readonly string[]): StatedStrategy[] {
  if (own.length === 0) return [];
  const sources = valueAt(tree, ['rag', 'sources']);
  const places: ConfigPath[] = [['rag']];
  if (Array.isArray(sources)) for (const index of sources.keys()) places.push(['rag', 'sources', index]);
  return places.flatMap((place) => {
    const path = [...place, 'chunking', 'strategy'];
    const strategy = valueAt(tree, path);
    return typeof strategy === 'string' && own.includes(strategy) ? [{ path, strategy }] : [];
  });
}

function without(stated: readonly StatedStrategy[], tree: unknown): unknown {
  if (stated.length === 0) return tree;
  const copy: unknown = structuredClone(tree);
  for (const { path } of stated) setAt(copy, path, undefined);
  return copy;
}

/**
 * Environment variables are texts. Where the schema wants a number or a truth value and the text came out of an expansion,
 * it is read as one. What was written into the file as quoted text stays text and is refused.
 */
function readEnvironmentTexts(value: unknown, issues: readonly Issue[], tree: ExpandedTree): unknown {
  const copy: unknown = structuredClone(value);
  const missing = new Set(tree.missing.map(({ path }) => formatPath(path)));
  for (const issue of issues) {
    const path = issue.path as ConfigPath;
    const text = valueAt(copy, path);
    if (text === undefined && missing.has(formatPath(path))) setAt(copy, path, '');
    if (issue.code !== 'invalid_type' || typeof text !== 'string') continue;
    if (tree.variables.has(formatPath(path))) setAt(copy, path, readScalar(text, issue.expected));
  }
  return copy;
}

function readScalar(text: string, expected: string): unknown {
  const trimmed = text.trim();
  if (expected === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if ((expected === 'number' || expected === 'int') && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed))
    return Number(trimmed);
  return text;
}

function setAt(root: unknown, path: ConfigPath, value: unknown): void {
  const parent = valueAt(root, path.slice(0, -1));
  const last = path.at(-1);
  if (last === undefined) return;
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (isRecord(parent)) parent[String(last)] = value;
}

function explainIssue(issue: Issue, root: unknown, { variables }: ExpandedTree): ConfigProblem[] {
  const path = issue.path as ConfigPath;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => explainUnknownKey([...path, key], root));
  const value = valueAt(root, path);
  const name = formatPath(path) || 'the configuration';
  if (value === undefined && isMissing(issue)) {
    const key = String(path.at(-1) ?? '');
    return [{ path, target: 'value', problem: `${name} is missing; set "${key}".` }];
  }
  const suggestion = typeof value === 'string' ? nearestName(value, allowedNames(issue)) : undefined;
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const from = variables.get(formatPath(path))?.used ?? [];
  const shown = from.length > 0 ? `what ${from.join(' and ')} holds` : describeValue(value, path);
  const problem = `${name} ${explainValue(issue, shown)}.${hint}`;
  return [{ path, target: 'value', problem, ...(suggestion === undefined ? {} : { suggestion }) }];
}

/** The names that a value could have been, where there is a list of them. */
function allowedNames(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)
    ? issue.options.map(String)
    : [];
}

const isMissing = (issue: Issue): boolean =>
  issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
  object: 'a block of settings',
  record: 'a block of settings',
};

/** @param shown the value in words */
function explainValue(issue: Issue, shown: string): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}, not ${shown}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}, not ${shown}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}, not ${shown}`
        : 'must not be empty';
    case 'too_big':
      return `must be at most ${issue.maximum}, not ${shown}`;
    case 'invalid_union':
      return allowedNames(issue).length > 0
        ? `must be one of ${allowedNames(issue).join(', ')}, not ${shown}`
        : issue.message;
    default:
      return issue.message;
  }
}

/** What the environment holds may be a secret, whatever the key: it is not described by this. */
function describeValue(value: unknown, path: ConfigPath): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a block of settings';
  if (isSecretKey(String(path.at(-1) ?? ''))) return `a ${typeof value === 'string' ? 'text' : typeof value}`;
  return typeof value === 'string' ? `the text "${value.slice(0, 60)}"` : String(value);
}

function explainUnknownKey(path: ConfigPath, root: unknown): ConfigProblem {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = knownKeysAt(parent, root);
  const suggestion = nearestName(key, known);
  const elsewhere = suggestion === undefined ? findKeyElsewhere(key) : undefined;
  const hint =
    suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : elsewhere !== undefined
        ? `Did you mean "${elsewhere}"?`
        : `Known here: ${known.join(', ')}.`;
  const found = suggestion ?? elsewhere;
  return {
    path,
    target: 'key',
    problem: `Unknown key "${formatPath(path)}". ${hint}`,
    ...(found === undefined ? {} : { suggestion: found }),
  };
}
