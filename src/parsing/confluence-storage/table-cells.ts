import type { ElementContent } from 'hast';
import { element, textOf } from './hast-builders.js';

const BLOCKS: ReadonlySet<string> = new Set([
  ...['p', 'div', 'ul', 'ol', 'li', 'blockquote', 'pre', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['section', 'details', 'summary', 'tr', 'tbody', 'thead'],
]);

export const isBlock = (node: ElementContent): boolean => node.type === 'element' && BLOCKS.has(node.tagName);

/** A Markdown cell is one line: blocks in it become lines with a break between, code keeps its text. */
export function flatCell(children: readonly ElementContent[]): ElementContent[] {
  const lines = linesOf(children).filter((line) =>
    line.some((node) => node.type === 'element' || textOf(node).trim() !== ''),
  );
  return lines.flatMap((line, index) => (index === 0 ? line : [element('br', []), ...line]));
}

function linesOf(children: readonly ElementContent[]): ElementContent[][] {
  const lines: ElementContent[][] = [[]];
  for (const child of children) {
    if (child.type !== 'element' || !BLOCKS.has(child.tagName)) {
      lines.at(-1)?.push(child);
      continue;
    }
    if (child.tagName === 'pre') lines.push(...codeLines(child));
    else lines.push(...linesOf(child.children));
    lines.push([]);
  }
  return lines;
}

const codeLines = (pre: ElementContent): ElementContent[][] =>
  textOf(pre)
    .split('\n')
    .map((line) => (line.trim() === '' ? [] : [element('code', [line])]));
