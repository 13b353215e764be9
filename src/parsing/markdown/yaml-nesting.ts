import { CST, type Document, isCollection, isPair, Lexer, visit } from 'yaml';

/** The library reads each level in calls of its own, and a full stack may end the process. */
export const MAX_YAML_DEPTH = 64;
/** A key that is a mapping or a list is written out as text, with those in it anew for each level. */
const MAX_KEY_DEPTH = 8;

/** Each opens a level where it stands in no brackets, as in `- ? a: b`. */
const INDICATORS: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/** Whether YAML nests deeper than is read. Its marks tell, so that nothing has to be built. */
export function isTooDeep(yaml: string): boolean {
  // The line, and those above it that it is nested in by its indentation.
  const lines: { readonly indent: number; levels: number }[] = [];
  let depth = 0;
  let brackets = 0;
  let indent = 0;
  let isNewLine = true;
  let isScalar = false;
  for (const token of new Lexer().lex(yaml)) {
    const kind: string | null = isScalar ? null : CST.tokenType(token);
    isScalar = kind === 'scalar';
    if (kind === 'space' && isNewLine) indent = token.length;
    if (kind === 'space' || kind === 'comment' || isScalar) continue;
    if (isNewLine && kind !== 'newline' && brackets === 0) {
      for (let top = lines.at(-1); top !== undefined && top.indent >= indent; top = lines.at(-1)) {
        depth -= top.levels;
        lines.pop();
      }
      lines.push({ indent, levels: 0 });
    }
    const line = lines.at(-1);
    if (line !== undefined && brackets === 0 && INDICATORS.has(kind)) {
      line.levels += 1;
      depth += 1;
    }
    if (kind === 'flow-map-start' || kind === 'flow-seq-start') brackets += 1;
    else if (kind === 'flow-map-end' || kind === 'flow-seq-end') brackets = Math.max(0, brackets - 1);
    else if (kind === 'flow-error-end') brackets = 0;
    if (depth + brackets > MAX_YAML_DEPTH) return true;
    isNewLine = token.endsWith('\n');
    if (isNewLine) indent = 0;
  }
  return false;
}

/** Whether keys that are mappings or lists are in keys of that kind, again and again. */
export function hasDeepKeys(document: Document.Parsed): boolean {
  let isFound = false;
  visit(document, {
    Collection: (_, node, path) => {
      const around = [...path, node];
      const keys = around.filter((child, at) => {
        const pair = around[at - 1];
        return isPair(pair) && pair.key === child && isCollection(child);
      });
      if (keys.length <= MAX_KEY_DEPTH) return undefined;
      isFound = true;
      return visit.BREAK;
    },
  });
  return isFound;
}
