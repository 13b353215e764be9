import type { GraphReference } from '../graph.js';
import { boardsName, keyName, numberName } from '../names.js';

const KEY = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]{1,9}-\d{1,7}(?![A-Za-z0-9_])/g;
const NUMBER = /(?<![\w&/])(AB)?#(\d{1,9})(?![\w-])/g;

/** Keys (`PAY-142`) and numbers (`#142`, `AB#142`) of items that a text names. A key that no item has is an edge to nothing. */
export function mentionsOf(text: string, source: string): GraphReference[] {
  const keys = Array.from(text.matchAll(KEY), ([key]) => keyName(key));
  const numbers = Array.from(text.matchAll(NUMBER), ([, boards, number = '']) =>
    boards === undefined ? numberName(source, number) : boardsName(number),
  );
  return [...keys, ...numbers].map((target) => ({ kind: 'mention', target }));
}
