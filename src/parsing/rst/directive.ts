import { type DirectiveKind, directiveKindOf } from '../directive-kinds.js';
import type { Area } from './area.js';
import { fieldOf } from './marks.js';
import type { SourceLines } from './source-lines.js';

export interface Directive {
  readonly kind: DirectiveKind;
  /** Without its domain, in lower case. */
  readonly name: string;
  /** Behind the name, and on the lines below it. */
  readonly argument: string;
  readonly options: ReadonlyMap<string, { readonly line: number; readonly text: string }>;
  readonly line: number;
  /** First line below the argument and the options. */
  readonly bodyStart: number;
  readonly to: number;
}

const DIRECTIVE = /^\.\. +([A-Za-z][\w:.+-]{0,60}?) ?::(?:\s+(\S.*))?$/s;

/** The directive that begins at a line; undefined for other explicit markup. */
export function directiveAt(
  lines: SourceLines,
  area: Area,
  { line, to }: { line: number; to: number },
): Directive | undefined {
  const [, fullName, first = ''] = DIRECTIVE.exec(lines.at(area, line)) ?? [];
  if (fullName === undefined) return undefined;
  const { name, kind } = directiveKindOf(fullName);
  const argument = [first];
  const options = new Map<string, { line: number; text: string }>();
  let bodyStart = line + 1;
  for (; bodyStart < to && lines.at(area, bodyStart) !== ''; bodyStart += 1) {
    const text = lines.at(area, bodyStart).trim();
    const option = fieldOf(text);
    if (option !== undefined) options.set(option.name, { line: bodyStart, text: option.text });
    // What follows an option goes on with it.
    else if (options.size === 0) argument.push(text);
  }
  return {
    ...{ kind, name, options, line, bodyStart, to },
    argument: argument.filter((part) => part !== '').join('\n'),
  };
}
