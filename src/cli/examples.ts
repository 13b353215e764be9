import { widestLine } from './render/wrap.js';

const EXAMPLE = /^( {2}\$ \S.*?\S) {3,}(\S.*)$/;

/** A help page in which what an example does stands below it, where both do not fit in a line. */
export function layOutExamples(help: string, width: number): string {
  if (widestLine(help) <= width) return help;
  return help.replaceAll(new RegExp(EXAMPLE, 'gm'), '$1\n      $2');
}
