import type { ExpansionRoom } from '../expansion-room.js';

/** What a document lets a name stand for. */
interface Macro {
  readonly body: string;
  readonly arguments: number;
  /** Of the first argument, which then stands in brackets. */
  readonly byDefault: string | undefined;
}

/** What is known while a document is read. */
export interface ReadState {
  pictures: number;
  readonly inputs: string[];
  readonly facts: Map<string, string>;
  readonly unknown: Map<string, number>;
  readonly macros: Map<string, Macro>;
  readonly room: ExpansionRoom;
  /** Hyphens and quotation marks of code are what they are. */
  isCode: boolean;
}

const NAME_END = '(?![a-zA-Z])';

/** What may hide text, and what keeps its signs: code, to the end where nothing ends it, and addresses keep theirs of percent, and so does what a backslash stands before. */
const HIDING = new RegExp(
  [
    String.raw`\\begin\{(?<code>verbatim|Verbatim|lstlisting|minted|alltt)\}[\s\S]*?(?:\\end\{\k<code>\}|$)`,
    String.raw`\\(?:url|href|path|nolinkurl|lstinline)${NAME_END}\*?(?:\[[^\]\n]*\])?\{(?:[^{}\n]|\{[^{}\n]*\})*\}`,
    String.raw`\\(?:verb|path|lstinline)${NAME_END}\*?(?:\[[^\]\n]*\])?(?<mark>[^\s\w*{[])[^\n]*?\k<mark>`,
    String.raw`(?<begin>\\begin\{comment\})`,
    String.raw`(?<end>\\end\{comment\})`,
    String.raw`(?<never>\\iffalse${NAME_END})`,
    String.raw`\\newif${NAME_END}\s*\\if[a-zA-Z]*`,
    String.raw`(?<test>\\if(?!f${NAME_END}|thenelse)[a-zA-Z]*)`,
    String.raw`(?<other>\\else${NAME_END})`,
    String.raw`(?<fi>\\fi${NAME_END})`,
    String.raw`\\[^\n]`,
    String.raw`(?<comment>%[^\n]*(?:\n[^\S\n]*)?)`,
  ].join('|'),
  'g',
);

/**
 * LaTeX without what nobody is shown: comments, the environment `comment` and what stands behind `\iffalse`. A comment takes its line end along. What is
 * hidden and never ended is shown. Linear time.
 */
export function withoutHidden(text: string): string {
  let shown = '';
  let last = 0;
  let hidden: { readonly by: 'environment' | 'condition'; readonly from: number } | undefined;
  let depth = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(HIDING)) {
    if (hidden?.by === 'environment') {
      if (groups.end === undefined) continue;
      hidden = undefined;
    } else if (hidden !== undefined) {
      if (groups.test !== undefined || groups.never !== undefined) depth += 1;
      else if (groups.fi !== undefined) depth -= 1;
      const isOver = depth === 0 || (depth === 1 && groups.other !== undefined);
      if (!isOver) continue;
      hidden = undefined;
    } else {
      shown += text.slice(last, index);
      const isAtLine = index === 0 || text.charAt(index - 1) === '\n';
      if (groups.begin !== undefined) hidden = { by: 'environment', from: index + whole.length };
      else if (groups.never !== undefined) {
        hidden = { by: 'condition', from: index + whole.length };
        depth = 1;
      } else if (groups.comment === undefined) shown += whole;
      else if (!isAtLine) shown += '\n';
    }
    last = index + whole.length;
  }
  return shown + text.slice(hidden?.from ?? last);
}
