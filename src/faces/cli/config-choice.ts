import { InvalidArgumentError } from 'commander';
import { parse } from 'yaml';
import type { ComparedConfiguration } from '../../index.js';

/** The configuration that every command uses. */
export const CURRENT: ComparedConfiguration = { name: 'current' };

/**
 * A configuration as a command line names it: `current`, a YAML file, or `KEY=VALUE` (several with commas between) over
 * the current one. Whether keys and values are allowed is the loader's to say.
 */
export function parseConfigChoice(text: string): ComparedConfiguration {
  if (text === CURRENT.name) return CURRENT;
  if (!text.includes('=') || /\.ya?ml$/i.test(text)) return { name: text, configFile: text };
  const overrides: Record<string, unknown> = {};
  // A comma inside brackets belongs to a list.
  for (const part of text.split(/,(?![^[]*\])/)) setAt(overrides, part);
  return { name: text, overrides };
}

function setAt(tree: Record<string, unknown>, assignment: string): void {
  const equals = assignment.indexOf('=');
  const keys = assignment
    .slice(0, equals)
    .trim()
    .replace(/^rag\./, '')
    .split('.');
  if (equals < 1 || !keys.every((key) => /^[a-z]\w*$/i.test(key)))
    throw new InvalidArgumentError(
      `"${assignment}" must be KEY=VALUE, such as retrieval.rerank.enabled=true.`,
    );
  let block = tree;
  for (const key of keys.slice(0, -1)) {
    const below = block[key];
    const next: Record<string, unknown> = isBlock(below) ? below : {};
    block[key] = next;
    block = next;
  }
  block[keys.at(-1) ?? ''] = parse(assignment.slice(equals + 1));
}

const isBlock = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
