import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLError,
} from 'yaml';
import { RAGError } from '../core/errors.js';
import type { ConfigPath } from './config-path.js';

/** A place in a file, both numbers from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A YAML file as plain values, with the place each came from. */
export interface YamlFile {
  readonly value: unknown;
  /** Where a key stands (`key`) or its value begins; the nearest place above where the path itself is not in the file. */
  positionOf(path: ConfigPath, target?: 'key' | 'value'): FilePosition;
}

// A configuration has no use for more; a bomb has thousands.
const MAX_ALIASES = 100;

/**
 * Parses YAML 1.2, refusing what hides mistakes: duplicate keys, several documents, tabs as indentation, alias bombs.
 *
 * @throws RAGError `CONFIG_INVALID` with file, line and column.
 */
export function parseYamlFile(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  const toPosition = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refuse = (problem: string, position: FilePosition, cause?: unknown): never => {
    throw new RAGError('CONFIG_INVALID', `${file}:${position.line}:${position.column}: ${problem}`, {
      cause,
      details: { file, ...position },
    });
  };

  if (document === undefined) return { value: null, positionOf: () => ({ line: 1, column: 1 }) };
  const error = document.errors[0];
  if (error !== undefined) refuse(explainYamlError(error, text), toPosition(error.pos[0]), error);
  const second = documents[1];
  if (second !== undefined)
    refuse('The file holds several YAML documents; keep one.', toPosition(second.range[0]));
  const root: Node | null = document.contents;
  return {
    value: toPlainValue(
      () => document.toJS({ maxAliasCount: MAX_ALIASES }),
      (problem, cause) => refuse(problem, toPosition(root?.range?.[0] ?? 0), cause),
    ),
    positionOf: (path, target = 'value') => toPosition(offsetOf(root, path, target)),
  };
}

function toPlainValue(convert: () => unknown, refuse: (problem: string, cause: unknown) => never): unknown {
  try {
    return convert();
  } catch (error) {
    return refuse(
      error instanceof Error && error.message.includes('alias')
        ? `The file uses more than ${MAX_ALIASES} YAML aliases, or an alias of itself; write the values out.`
        : 'The file cannot be read as YAML.',
      error,
    );
  }
}

function explainYamlError({ code, message, pos: [at] }: YAMLError, text: string): string {
  if (code === 'TAB_AS_INDENT') return 'A tab is used as indentation; YAML allows blanks only.';
  if (code === 'DUPLICATE_KEY') return 'This key stands twice in the same block; remove one.';
  if (text[at - 1] === '$' && text[at] === '{')
    return `Not valid YAML: between { } a reference to the environment needs quotes, as in '\${NAME}'.`;
  return `Not valid YAML: ${message}`;
}

function offsetOf(root: Node | null, path: ConfigPath, target: 'key' | 'value'): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [depth, part] of path.entries()) {
    const isLast = depth === path.length - 1;
    if (isAlias(node) || !isCollection(node)) return offset;
    const child: unknown = isSeq(node) ? node.items[Number(part)] : undefined;
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part))
      : undefined;
    const next: unknown = isPair(pair) ? pair.value : child;
    if (next === undefined) return offset;
    const key: unknown = pair?.key;
    const place = isLast && target === 'key' && isNode(key) ? key : isNode(next) ? next : key;
    if (isNode(place) && place.range) offset = place.range[0];
    node = next;
  }
  return offset;
}
