import { oneLine } from '../../core/one-line.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { ExpansionRoom } from '../expansion-room.js';
import { scriptText } from '../raised-text.js';
import {
  HEADINGS,
  LAYOUT,
  LISTS,
  MARKS,
  MATH,
  TABLES,
  UNSAID,
  VERBATIM,
  WITH_ARGUMENT,
} from './tex-commands.js';
import { TexCursor } from './tex-cursor.js';
import { accented, LIGATURES, SYMBOLS } from './tex-signs.js';
import { type ReadState, withoutHidden } from './tex-source.js';

/** What a LaTeX document says, as Markdown. */
export interface TexDocument {
  readonly markdown: string;
  readonly title?: string;
  readonly author?: string;
  readonly date?: string;
  readonly pictures: number;
  /** Files that it would read in its place. */
  readonly inputs: readonly string[];
  /** Commands that may stand for text, or were given some, and are defined elsewhere; how often each. */
  readonly unknown: ReadonlyMap<string, number>;
}

const MAX_DEPTH = 100;
/** Lists in lists that are indented; LaTeX sets six at the most. */
const MAX_INDENTS = 6;

/** @param source LaTeX with levelled line ends */
export function readTexSource(source: string): TexDocument {
  const begin = source.indexOf('\\begin{document}');
  const end = source.lastIndexOf('\\end{document}');
  const preamble = begin < 0 ? '' : withoutHidden(source.slice(0, begin));
  const body = source.slice(begin < 0 ? 0 : begin + '\\begin{document}'.length, end < 0 ? undefined : end);
  const state: ReadState = {
    ...{ pictures: 0, inputs: [], facts: new Map(), macros: new Map(), isCode: false, unknown: new Map() },
    room: new ExpansionRoom(MAX_EXPANSION),
  };
  new TexReader(preamble, state).read();
  state.unknown.clear();
  const written = new TexReader(withoutHidden(body), state).read();
  const { facts, pictures, inputs } = state;
  const [title, author, date] = ['title', 'author', 'date'].map((fact) => said(facts.get(fact)));
  return {
    markdown: [title === undefined ? '' : `# ${title}`, facts.get('abstract') ?? '', written]
      .filter((part) => part !== '')
      .join('\n\n')
      .replace(/(?<![^\S\n])[^\S\n]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    ...withoutUndefined({ title, author, date }),
    pictures,
    inputs,
    unknown: state.unknown,
  };
}

const said = (fact: string | undefined): string | undefined => {
  const text = fact?.replace(/\s+,/g, ',').trim();
  return text === '' ? undefined : text;
};

/** What is put in for a name at once, in UTF-16 code units, its arguments with it. */
const MAX_EXPANSION = 20_000;

/** An option that is text, and no setting: `[see the appendix]`. */
const IN_WORDS = /^[^=]*\p{L}{2}[^=]*\s[^=]*\p{L}{2}[^=]*$/u;

class TexReader extends TexCursor {
  readonly #lists: string[] = [];

  constructor(
    text: string,
    readonly state: ReadState,
    readonly depth = 0,
  ) {
    super(text);
  }

  read(): string {
    let result = '';
    while (this.at < this.text.length) result += this.#next();
    return result;
  }

  #inner(text: string): string {
    return this.depth >= MAX_DEPTH ? text : new TexReader(text, this.state, this.depth + 1).read();
  }

  #next(): string {
    const sign = this.text.charAt(this.at);
    if (sign === '\\') return this.#command();
    if (sign === '$') return this.#math();
    this.at += 1;
    if (sign === '{' || sign === '}') return '';
    if (sign === '~') return ' ';
    if (sign === '\n' && this.#lists.length > 0) this.skipBlanks();
    for (const [written, shown] of this.state.isCode ? [] : LIGATURES)
      if (sign === written.charAt(0) && this.text.startsWith(written, this.at - 1)) {
        this.at += written.length - 1;
        return shown;
      }
    return sign;
  }

  /** A formula stays as it is written. */
  #math(): string {
    const mark = this.text.startsWith('$$', this.at) ? '$$' : '$';
    const end = this.text.indexOf(mark, this.at + mark.length);
    const stop = end < 0 ? this.text.length : end + mark.length;
    const formula = this.text.slice(this.at, stop);
    this.at = stop;
    return formula;
  }

  #command(): string {
    const match = /\\(?:([a-zA-Z]+)\*?|([\s\S]))/y;
    match.lastIndex = this.at;
    const found = match.exec(this.text);
    if (found === null) {
      this.at += 1;
      return '';
    }
    const [whole, word, sign = ''] = found;
    this.at += whole.length;
    if (word === undefined) return this.#sign(sign);
    const accent = word.length === 1 ? accented(word, this.#peekLetter()) : undefined;
    if (accent !== undefined) {
      this.#takeLetter();
      return accent;
    }
    return this.#word(word);
  }

  #sign(sign: string): string {
    if (sign === '\\') {
      this.optional();
      return '\n';
    }
    if (sign === '[' || sign === '(') return this.#formulaTo(sign === '[' ? '\\]' : '\\)');
    const accent = accented(sign, this.#peekLetter());
    if (accent !== undefined) {
      this.#takeLetter();
      return accent;
    }
    if (/[,;: \n]/.test(sign)) return ' ';
    return /[&%$#_{}]/.test(sign) ? sign : '';
  }

  #formulaTo(end: string): string {
    const stop = this.text.indexOf(end, this.at);
    const formula = this.text.slice(this.at, stop < 0 ? undefined : stop);
    this.at = stop < 0 ? this.text.length : stop + end.length;
    return `$${formula.trim()}$`;
  }

  /** The letter that an accent stands on: `e` or `{e}`. */
  #peekLetter(): string {
    return (
      /^\s*\{?(\\?[a-zA-Z])\}?/.exec(this.text.slice(this.at, this.at + 8))?.[1]?.replace('\\', '') ?? ''
    );
  }

  #takeLetter(): void {
    this.at +=
      /^\s*(?:\{\\?[a-zA-Z]\}|\\?[a-zA-Z])/.exec(this.text.slice(this.at, this.at + 8))?.[0].length ?? 0;
  }

  #word(word: string): string {
    const level = HEADINGS[word];
    if (level !== undefined) {
      this.optional();
      return `\n\n${'#'.repeat(level)} ${oneLine(this.#inner(this.argument()))}\n\n`;
    }
    if (word === 'lstinline') this.optional();
    const isDelimited = this.text.charAt(this.at) !== '{';
    if (word === 'verb' || ((word === 'lstinline' || word === 'path') && isDelimited)) return this.#verb();
    const mark = MARKS[word];
    if (mark !== undefined) {
      const inside = this.#marked(this.argument(), mark === '`').trim();
      return inside === '' ? '' : `${mark}${inside}${mark}`;
    }
    if (/^(?:(?:re)?new|provide)command$|^DeclareRobustCommand$/.test(word)) return this.#define();
    if (/^[egx]?def$/.test(word)) return this.#defineInTex();
    if (word === 'textsuperscript' || word === 'textsubscript')
      return scriptText(word === 'textsuperscript' ? 'sup' : 'sub', this.#inner(this.argument()));
    if (word === 'SI' || word === 'qty') return this.#quantity();
    if (word === 'and') return ', ';
    if (word === 'begin') return this.#environment();
    if (word === 'item') return this.#item();
    if (word === 'title' || word === 'author' || word === 'date') {
      this.optional();
      this.state.facts.set(word, oneLine(this.#inner(this.argument())));
      return '';
    }
    if (word === 'href') {
      const target = this.argument();
      return `[${this.#inner(this.argument())}](<${target}>)`;
    }
    if (word === 'url' || word === 'path') return this.argument();
    if (/^(?:cite\w*|\w*cite|ref|eqref|autoref|cref|Cref|pageref)$/.test(word)) return this.#reference();
    if (word === 'footnote') return ` (${oneLine(this.#inner(this.argument()))})`;
    if (word === 'caption') {
      this.optional();
      return `\n\n${oneLine(this.#inner(this.argument()))}\n\n`;
    }
    if (word === 'includegraphics') {
      this.state.pictures += 1;
      this.optional();
      this.argument();
      return '';
    }
    if (word === 'input' || word === 'include') {
      this.state.inputs.push(this.argument());
      return '';
    }
    if (word === 'end') {
      this.#lists.pop();
      this.argument();
      return '\n';
    }
    if (word === 'multicolumn' || word === 'multirow') {
      this.argument();
      this.argument();
      return this.#inner(this.argument());
    }
    const unsaid = UNSAID[word];
    if (unsaid !== undefined) {
      this.optional();
      for (let left = unsaid; left > 0; left -= 1) {
        this.argument();
        this.optional();
      }
      return '';
    }
    const symbol = SYMBOLS[word];
    if (symbol !== undefined) {
      // A blank ends the command.
      if (/[^\S\n]/.test(this.text.charAt(this.at)) && !/\w/.test(symbol)) this.at += 1;
      return symbol;
    }
    if (word === 'par') return '\n\n';
    const expanded = this.#expanded(word);
    if (expanded !== undefined) return expanded;
    // Empty braces end a name that stands for a text, which is defined elsewhere.
    if (this.text.startsWith('{}', this.at)) return word;
    const option = this.optional();
    // What stands in braces is read as text.
    const isName = option === '' && this.text.charAt(this.at) !== '{' && !LAYOUT.has(word);
    if (isName || IN_WORDS.test(option))
      this.state.unknown.set(word, (this.state.unknown.get(word) ?? 0) + 1);
    this.skipBlanks();
    return '';
  }

  #marked(text: string, isCode: boolean): string {
    const was = this.state.isCode;
    this.state.isCode ||= isCode;
    const inside = this.#inner(text);
    this.state.isCode = was;
    return inside;
  }

  /** A number with its unit (package siunitx). */
  #quantity(): string {
    this.optional();
    const amount = this.#inner(this.argument());
    const unit = this.argument()
      .replace(/\\per(?![a-z])/g, ' per ')
      .replace(/\\([a-zA-Z]+)/g, '$1');
    return `${amount} ${oneLine(this.#inner(unit))}`;
  }

  /** `\newcommand{\name}[2][default]{body}`. */
  #define(): string {
    if (this.text.charAt(this.at) === '*') this.at += 1;
    const name = /^\\([a-zA-Z]+)$/.exec(this.argument().trim())?.[1];
    const count = Number(this.optional() || 0);
    const byDefault = this.text.charAt(this.at) === '[' ? this.optional() : undefined;
    const body = this.argument();
    if (name !== undefined && count >= 0 && count <= 9)
      this.state.macros.set(name, { body, arguments: count, byDefault });
    return '';
  }

  /** `\def\name#1#2{body}`; what stands between its arguments in other ways is not known. */
  #defineInTex(): string {
    const [whole, name, parameters = ''] =
      /^\s*\\([a-zA-Z]{1,40})([^{}\\\n]{0,40})/.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (whole === undefined || name === undefined) return '';
    this.at += whole.length;
    const body = this.argument();
    const count = parameters.split('#').length - 1;
    if (/^(?:\s*#\d)*\s*$/.test(parameters))
      this.state.macros.set(name, { body, arguments: count, byDefault: undefined });
    return '';
  }

  /** What a name stands for that the document defines, as often as there is room for it; undefined for others. */
  #expanded(word: string): string | undefined {
    const macro = this.state.macros.get(word);
    if (macro === undefined || this.depth >= MAX_DEPTH) return undefined;
    const { body, byDefault } = macro;
    const start = this.at;
    const values: string[] = [];
    if (byDefault !== undefined) {
      const isStated = this.text.charAt(this.at) === '[';
      values.push(isStated ? this.optional() : byDefault);
    }
    while (values.length < macro.arguments) values.push(this.argument());
    const length =
      body.length +
      (body.match(/#\d/g) ?? []).reduce((sum, mark) => sum + (values[Number(mark[1]) - 1] ?? '').length, 0);
    if (!this.state.room.take({ length })) {
      this.at = start;
      return undefined;
    }
    // Blanks behind a name end it.
    if (macro.arguments === 0 && !/\\xspace\s*$/.test(body)) this.skipBlanks();
    return this.#inner(body.replace(/#(\d)/g, (_, at: string) => values[Number(at) - 1] ?? ''));
  }

  #reference(): string {
    this.optional();
    this.optional();
    return `[${this.argument()}]`;
  }

  #verb(): string {
    const mark = this.text.charAt(this.at);
    const end = this.text.indexOf(mark, this.at + 1);
    if (end < 0) return '';
    const code = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return `\`${code}\``;
  }

  #item(): string {
    const label = this.optional();
    this.skipBlanks();
    const mark = this.#lists.at(-1) ?? '- ';
    const indent = '  '.repeat(Math.min(MAX_INDENTS, Math.max(0, this.#lists.length - 1)));
    return `\n${indent}${mark}${label === '' ? '' : `**${this.#inner(label)}** `}`;
  }

  #environment(): string {
    const name = this.argument();
    if (VERBATIM.has(name)) return this.#code(name);
    if (LISTS[name] !== undefined) {
      this.optional();
      this.#lists.push(LISTS[name]);
      return '\n';
    }
    const inside = (): string => this.until(name);
    if (TABLES.has(name)) {
      if (name === 'tabular*' || name === 'tabularx' || name === 'tabulary') this.argument();
      this.optional();
      this.argument();
      return this.#table(inside());
    }
    if (MATH.has(name))
      return `\n\n$${inside()
        .replace(/\\label\{[^{}]*\}/g, '')
        .trim()}$\n\n`;
    this.optional();
    if (WITH_ARGUMENT.has(name)) this.argument();
    return `\n${this.#inner(inside())}\n`;
  }

  #code(name: string): string {
    const options = this.optional();
    const language = name === 'minted' ? this.argument() : (/language=(\w+)/.exec(options)?.[1] ?? '');
    return `\n\n\`\`\`${language}\n${this.until(name).replace(/^\n|\s+$/g, '')}\n\`\`\`\n\n`;
  }

  #table(content: string): string {
    const rows = content
      .split(/\\\\(?:\[[^\]]*\])?|\\tabularnewline/)
      .map((row) =>
        row.replace(/\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)\b/g, '').trim(),
      )
      .filter((row) => row !== '')
      .map((row) => row.split(/(?<!\\)&/).map((cell) => oneLine(this.#inner(cell)).replaceAll('|', '\\|')));
    const columns = Math.max(0, ...rows.map((row) => row.length));
    const [head, ...body] = rows.map((row) => `| ${row.join(' | ')} |`);
    return head === undefined ? '' : `\n\n${[head, `|${' - |'.repeat(columns)}`, ...body].join('\n')}\n\n`;
  }
}
