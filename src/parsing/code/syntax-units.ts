import type { Node } from 'web-tree-sitter';
import type { CodeUnit, TextRange } from '../../core/document.js';
import { boundRepeated, trimRange } from '../text-range.js';
import { definitionOf } from './definition-names.js';

/** Shorter nodes are not divided: they fit into any sensible chunk. */
const MIN_DIVISIBLE_LENGTH = 80;
/** On a longer line a node may be parted from what stands before it. */
const LONG_LINE = 300;
/** Deeper syntax is one piece; real code nests a few dozen nodes deep. */
const MAX_DEPTH = 200;

/** Bodies are no units of their own: their statements belong to what has the body. */
const BODY =
  /(?:^|_)(?:block|body|body_statement|compound_statement|statement_list|declaration_list)$|_list$/;
const COMMENT = /comment$/;
/** What stands before a definition, as a node beside it, and belongs to it. */
const ATTRIBUTE: ReadonlySet<string> = new Set([
  'attribute_item',
  'attribute_list',
  'decorator',
  'access_specifier',
]);

/** A line of the source, in UTF-16 offsets. */
interface Line {
  readonly start: number;
  readonly end: number;
  /** Where its text begins behind the indentation, and ends; both the end of the line where it is blank. */
  readonly text: TextRange;
}

interface Conversion {
  readonly text: string;
  readonly lines: readonly Line[];
}

/**
 * A file's definitions and statements, in order, each with the comments above it: what begins a line, or stands on a very
 * long one. Only white space is outside of them.
 */
export function unitsOf(root: Node, text: string): CodeUnit[] {
  const units = childUnits(root, { text, lines: linesOf(text) }, { end: text.length, depth: 0 });
  const [first, ...rest] = units;
  const covered = first === undefined ? text.length : first.start;
  if (text.slice(0, covered).trim() === '') return units;
  // Tokens without a node of their own may stand before the first unit.
  if (first === undefined) return [{ start: 0, end: text.trimEnd().length, children: [] }];
  return [{ ...first, start: 0 }, ...rest];
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    lines.push({ start, end, text: trimRange(text, { start, end }) ?? { start: end, end } });
    start = end + 1;
  }
  return lines;
}

interface Place {
  /** Where the parent ends: what stands behind its last child belongs to that child. */
  readonly end: number;
  readonly depth: number;
  /** Inside of a function a variable is no definition. */
  readonly isInFunction?: boolean;
}

function childUnits(node: Node, conversion: Conversion, place: Place): CodeUnit[] {
  const starts = unitStarts(node, conversion, place.depth);
  return starts.flatMap(({ node: child, start }, index): CodeUnit[] => {
    const end = start + conversion.text.slice(start, starts[index + 1]?.start ?? place.end).trimEnd().length;
    return end <= start ? [] : [toUnit(child, { start, end }, { conversion, place })];
  });
}

function toUnit(
  node: Node,
  { start, end }: TextRange,
  { conversion, place }: { conversion: Conversion; place: Place },
): CodeUnit {
  const name = nameIn(node, conversion, place);
  const isInFunction =
    place.isInFunction === true || /^(?:function|method|constructor) /.test(name.symbol ?? '');
  const isDivisible = end - start >= MIN_DIVISIBLE_LENGTH;
  const children = isDivisible
    ? childUnits(node, conversion, { end, depth: place.depth + 1, isInFunction })
    : [];
  const [only, ...others] = children;
  // A modifier around a definition (`export`, a decorator) is one unit with it.
  const isWrapped = only !== undefined && others.length === 0 && only.start === start;
  return isWrapped ? { ...only, start, end, ...name } : { start, end, ...name, children };
}

function nameIn(node: Node, { text, lines }: Conversion, { isInFunction = false }: Place): UnitName {
  const definition = definitionOf(node);
  if (definition === undefined || (definition.isValue === true && isInFunction)) return {};
  const { symbol, name, row } = definition;
  const line = lines[row];
  if (line === undefined) return { symbol, name };
  const signature = boundRepeated(text.slice(line.text.start, line.text.end));
  return { symbol, name, namedAt: line.start, signature };
}

type UnitName = Pick<CodeUnit, 'symbol' | 'name' | 'signature' | 'namedAt'>;

interface UnitStart {
  readonly node: Node;
  /** Start of its line, or of the comments above. */
  readonly start: number;
}

/** What may begin a unit below a node; comments and attributes are joined with what they stand above. */
function unitStarts(node: Node, conversion: Conversion, depth: number): UnitStart[] {
  const joined: UnitStart[] = [];
  for (const candidate of candidatesIn(node, conversion, depth)) {
    const last = joined.at(-1);
    const belongs = last !== undefined && isLeading(last.node) && isAdjacent(last, candidate, conversion);
    if (belongs) joined[joined.length - 1] = { node: candidate.node, start: last.start };
    else joined.push(candidate);
  }
  return joined;
}

/** The nodes that begin a line, or stand on a very long one; bodies and what begins inside a line are looked into. */
function candidatesIn(node: Node, conversion: Conversion, depth: number): UnitStart[] {
  if (depth >= MAX_DEPTH) return [];
  return node.namedChildren.flatMap((child) => {
    const start = startOf(child, conversion);
    if (start !== undefined && !BODY.test(child.type)) return [{ node: child, start }];
    return holdsLineStart(child, conversion) ? candidatesIn(child, conversion, depth + 1) : [];
  });
}

/** Offset of the line that the node begins, its indentation included. */
function startOf(node: Node, { lines }: Conversion): number | undefined {
  const line = lines[node.startPosition.row];
  if (line === undefined || node.startIndex <= line.text.start) return line?.start;
  return isLong(line) ? node.startIndex : undefined;
}

function holdsLineStart({ startPosition, endPosition }: Node, { lines }: Conversion): boolean {
  return startPosition.row < endPosition.row || isLong(lines[startPosition.row]);
}

const isLong = (line: Line | undefined): boolean => line !== undefined && line.end - line.start >= LONG_LINE;

const isLeading = ({ type }: Node): boolean => COMMENT.test(type) || ATTRIBUTE.has(type);

/** No blank line between the two; some grammars count a comment's line end to it. */
const isAdjacent = (above: UnitStart, below: UnitStart, { text }: Conversion): boolean =>
  !/\n[^\S\n]*\n/.test(text.slice(Math.max(0, above.node.endIndex - 1), below.start));
