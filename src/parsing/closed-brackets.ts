/** Behind the bracket that closes one; brackets in texts of a line and in comments close nothing, unless nothing else does. */
export function endOfBracket(text: string, at: number, most: number): number | undefined {
  const ends = bracketsOf(text, text.charAt(at) === '<' ? '<>' : '{[(}])');
  const end = ends.written.get(at) ?? ends.plain.get(at);
  return end === undefined || end - at > most ? undefined : end;
}

type Ends = ReadonlyMap<number, number>;
interface Brackets {
  readonly written: Ends;
  readonly plain: Ends;
}
/** Of the last text, by the kind of brackets. */
let known: { readonly text: string; readonly brackets: Map<string, Brackets> } | undefined;

function bracketsOf(text: string, kind: string): Brackets {
  if (known?.text !== text) known = { text, brackets: new Map() };
  const own = known.brackets.get(kind) ?? {
    written: closedBy(text, kind, UNREAD_BRACKETS),
    plain: closedBy(text, kind),
  };
  known.brackets.set(kind, own);
  return own;
}

/** Texts in quotation marks, and comments. */
const UNREAD_BRACKETS = String.raw`(?<!\\)"(?:[^"\\\n]|\\.)*"|(?<=^|[ \t])(?:#|\/\/)[^\n]*`;

function closedBy(text: string, kind: string, unread = '(?!)'): Ends {
  const ends = new Map<number, number>();
  const open: number[] = [];
  const isOpening = (sign: string): boolean => kind.indexOf(sign) < kind.length / 2;
  const sign = new RegExp(`${unread}|[${kind.replace(/[[\]]/g, String.raw`\$&`)}]`, 'gm');
  for (const { 0: found, index } of text.matchAll(sign)) {
    if (found.length > 1 || !kind.includes(found)) continue;
    if (isOpening(found)) open.push(index);
    else {
      const opening = open.pop();
      if (opening !== undefined) ends.set(opening, index + 1);
    }
  }
  return ends;
}
