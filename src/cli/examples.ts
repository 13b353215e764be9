import { widestLine } from './render/wrap.js';

const EXAMPLE = /^( {2}\$ \S.*?\S) {3,}(\S.*)$/gm;
const GAP = 3;

/** A help page in which what the examples do stands in one column, or below them where both do not fit in a line. */
export function layOutExamples(help: string, width: number): string {
  const commands = [...help.matchAll(EXAMPLE)].map(([, command = '']) => widestLine(command));
  const column = Math.max(0, ...commands) + GAP;
  const aligned = help.replaceAll(
    EXAMPLE,
    (_, command: string, purpose: string) => command + ' '.repeat(column - widestLine(command)) + purpose,
  );
  return widestLine(aligned) <= width ? aligned : help.replaceAll(EXAMPLE, '$1\n      $2');
}
