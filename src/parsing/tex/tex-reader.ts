import { oneLine } from '../../core/one-line.js';
import { accented, SYMBOLS } from './tex-signs.js';

/** What a LaTeX document says, as Markdown. */
export interface TexDocument {
  readonly markdown: string;
  readonly title?: string;
  readonly author?: string;
  readonly pictures: number;
  /** Files that it would read in its place. */
  readonly inputs: readonly string[];
}

const HEADINGS: Readonly<Record<string, number>> = {
  ...{ part: 1, chapter: 1, section: 2, subsection: 3, subsubsection: 4, paragraph: 5, subparagraph: 6 },
};
/** What stands around the content of a command. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ textbf: '**', textit: '_', emph: '_', textsl: '_', texttt: '`', lstinline: '`' },
};
/** Commands whose arguments are of the layout. */
const UNSAID: Readonly<Record<string, number>> = {
  ...{
    label: 1,
    vspace: 1,
    hspace: 1,
    usepackage: 1,
    documentclass: 1,
    bibliographystyle: 1,
    bibliography: 1,
  },
  ...{
    pagestyle: 1,
    thispagestyle: 1,
    setlength: 2,
    addtolength: 2,
    setcounter: 2,
    newcommand: 2,
    renewcommand: 2,
  },
  ...{ definecolor: 3, color: 1, hypersetup: 1, index: 1, cline: 1, cmidrule: 1, arraystretch: 0 },
};
const VERBATIM: ReadonlySet<string> = new Set(['verbatim', 'Verbatim', 'lstlisting', 'minted', 'alltt']);
const LISTS: Readonly<Record<string, string>> = { itemize: '- ', enumerate: '1. ', description: '- ' };
const TABLES: ReadonlySet<string> = new Set(['tabular', 'tabular*', 'tabularx', 'longtable', 'tabulary']);
const MATH: ReadonlySet<string> = new Set([
  ...[
    'equation',
    'equation*',
    'align',
    'align*',
    'gather',
    'gather*',
    'multline',
    'multline*',
    'displaymath',
    'math',
    'eqnarray',
    'eqnarray*',
  ],
]);
/** Environments whose first argument is of the layout. */
const WITH_ARGUMENT: ReadonlySet<string> = new Set([
  'minipage',
  'multicols',
  'thebibliography',
  'wrapfigure',
  'adjustbox',
]);
const MAX_DEPTH = 100;
/** Lists in lists that are indented; LaTeX sets six at the most. */
const MAX_INDENTS = 6;

/** @param source LaTeX with levelled line ends */
export function readTexSource(source: string): TexDocument {
  const begin = source.indexOf('\\begin{document}');
  const end = source.lastIndexOf('\\end{document}');
  const preamble = begin < 0 ? '' : withoutComments(source.slice(0, begin));
  const body = source.slice(begin < 0 ? 0 : begin + '\\begin{document}'.length, end < 0 ? undefined : end);
  const state: ReadState = { pictures: 0, inputs: [], facts: new Map() };
  new TexReader(preamble, state).read();
  const written = new TexReader(withoutComments(body), state).read();
  const { facts, pictures, inputs } = state;
  const [title, author] = [facts.get('title'), facts.get('author')];
  return {
    markdown: [title === undefined ? '' : `# ${title}`, facts.get('abstract') ?? '', written]
      .filter((part) => part !== '')
      .join('\n\n')
      .replace(/[^\S\n]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { author }),
    pictures,
    inputs,
  };
}

/** A comment takes its line end along. Code, to the end where nothing ends it, and addresses keep their signs of percent, and so does what a backslash stands before. */
const withoutComments = (text: string): string =>
  text.replace(
    COMMENT,
    (whole: string, _code: string, _mark: string, comment: string | undefined, at: number) => {
      if (comment === undefined) return whole;
      return at === 0 || text.charAt(at - 1) === '\n' ? '' : '\n';
    },
  );

const COMMENT = new RegExp(
  [
    String.raw`\\begin\{(?<code>verbatim|Verbatim|lstlisting|minted|alltt)\}[\s\S]*?(?:\\end\{\k<code>\}|$)`,
    String.raw`\\(?:url|href|path|nolinkurl|lstinline)(?![a-zA-Z])\*?(?:\[[^\]\n]*\])?\{(?:[^{}\n]|\{[^{}\n]*\})*\}`,
    String.raw`\\(?:verb|path|lstinline)(?![a-zA-Z])\*?(?:\[[^\]\n]*\])?(?<mark>[^\s\w*{[])[^\n]*?\k<mark>`,
    String.raw`\\[^\n]`,
    String.raw`(?<comment>%[^\n]*(?:\n[^\S\n]*)?)`,
  ].join('|'),
  'g',
);

interface ReadState {
  pictures: number;
  readonly inputs: string[];
  readonly facts: Map<string, string>;
}

class TexReader {
  #at = 0;
  readonly #lists: string[] = [];

  constructor(
    readonly text: string,
    readonly state: ReadState,
    readonly depth = 0,
  ) {}

  read(): string {
    let result = '';
    while (this.#at < this.text.length) result += this.#next();
    return result;
  }

  #inner(text: string): string {
    return this.depth >= MAX_DEPTH ? text : new TexReader(text, this.state, this.depth + 1).read();
  }

  #next(): string {
    const sign = this.text.charAt(this.#at);
    if (sign === '\\') return this.#command();
    if (sign === '$') return this.#math();
    this.#at += 1;
    if (sign === '{' || sign === '}') return '';
    if (sign === '~') return ' ';
    if (sign === '\n' && this.#lists.length > 0) this.#skipBlanks();
    for (const [written, shown] of LIGATURES)
      if (sign === written.charAt(0) && this.text.startsWith(written, this.#at - 1)) {
        this.#at += written.length - 1;
        return shown;
      }
    return sign;
  }

  #skipBlanks(): void {
    while (/[^\S\n]/.test(this.text.charAt(this.#at))) this.#at += 1;
  }

  /** A formula stays as it is written. */
  #math(): string {
    const mark = this.text.startsWith('$$', this.#at) ? '$$' : '$';
    const end = this.text.indexOf(mark, this.#at + mark.length);
    const stop = end < 0 ? this.text.length : end + mark.length;
    const formula = this.text.slice(this.#at, stop);
    this.#at = stop;
    return formula;
  }

  #command(): string {
    const match = /\\(?:([a-zA-Z]+)\*?|([\s\S]))/y;
    match.lastIndex = this.#at;
    const found = match.exec(this.text);
    if (found === null) {
      this.#at += 1;
      return '';
    }
    const [whole, word, sign = ''] = found;
    this.#at += whole.length;
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
      this.#optional();
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
    const stop = this.text.indexOf(end, this.#at);
    const formula = this.text.slice(this.#at, stop < 0 ? undefined : stop);
    this.#at = stop < 0 ? this.text.length : stop + end.length;
    return `$${formula.trim()}$`;
  }

  /** The letter that an accent stands on: `e` or `{e}`. */
  #peekLetter(): string {
    return (
      /^\s*\{?(\\?[a-zA-Z])\}?/.exec(this.text.slice(this.#at, this.#at + 8))?.[1]?.replace('\\', '') ?? ''
    );
  }

  #takeLetter(): void {
    this.#at +=
      /^\s*(?:\{\\?[a-zA-Z]\}|\\?[a-zA-Z])/.exec(this.text.slice(this.#at, this.#at + 8))?.[0].length ?? 0;
  }

  #word(word: string): string {
    const level = HEADINGS[word];
    if (level !== undefined) {
      this.#optional();
      return `\n\n${'#'.repeat(level)} ${oneLine(this.#inner(this.#argument()))}\n\n`;
    }
    if (word === 'lstinline') this.#optional();
    const isDelimited = this.text.charAt(this.#at) !== '{';
    if (word === 'verb' || ((word === 'lstinline' || word === 'path') && isDelimited)) return this.#verb();
    const mark = MARKS[word];
    if (mark !== undefined) {
      const inside = this.#inner(this.#argument()).trim();
      return inside === '' ? '' : `${mark}${inside}${mark}`;
    }
    if (word === 'begin') return this.#environment();
    if (word === 'item') return this.#item();
    if (word === 'title' || word === 'author' || word === 'date') {
      this.#optional();
      this.state.facts.set(word, oneLine(this.#inner(this.#argument())));
      return '';
    }
    if (word === 'href') {
      const target = this.#argument();
      return `[${this.#inner(this.#argument())}](<${target}>)`;
    }
    if (word === 'url' || word === 'path') return this.#argument();
    if (/^(?:cite\w*|\w*cite|ref|eqref|autoref|cref|Cref|pageref)$/.test(word)) return this.#reference();
    if (word === 'footnote') return ` (${oneLine(this.#inner(this.#argument()))})`;
    if (word === 'caption') {
      this.#optional();
      return `\n\n${oneLine(this.#inner(this.#argument()))}\n\n`;
    }
    if (word === 'includegraphics') {
      this.state.pictures += 1;
      this.#optional();
      this.#argument();
      return '';
    }
    if (word === 'input' || word === 'include') {
      this.state.inputs.push(this.#argument());
      return '';
    }
    if (word === 'end') {
      this.#lists.pop();
      this.#argument();
      return '\n';
    }
    if (word === 'multicolumn' || word === 'multirow') {
      this.#argument();
      this.#argument();
      return this.#inner(this.#argument());
    }
    const unsaid = UNSAID[word];
    if (unsaid !== undefined) {
      this.#optional();
      for (let left = unsaid; left > 0; left -= 1) {
        this.#argument();
        this.#optional();
      }
      return '';
    }
    const symbol = SYMBOLS[word];
    if (symbol !== undefined) {
      // A blank ends the command.
      if (/[^\S\n]/.test(this.text.charAt(this.#at)) && !/\w/.test(symbol)) this.#at += 1;
      return symbol;
    }
    if (word === 'par') return '\n\n';
    this.#optional();
    this.#skipBlanks();
    return '';
  }

  #reference(): string {
    this.#optional();
    this.#optional();
    return `[${this.#argument()}]`;
  }

  #verb(): string {
    const mark = this.text.charAt(this.#at);
    const end = this.text.indexOf(mark, this.#at + 1);
    if (end < 0) return '';
    const code = this.text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return `\`${code}\``;
  }

  #item(): string {
    const label = this.#optional();
    this.#skipBlanks();
    const mark = this.#lists.at(-1) ?? '- ';
    const indent = '  '.repeat(Math.min(MAX_INDENTS, Math.max(0, this.#lists.length - 1)));
    return `\n${indent}${mark}${label === '' ? '' : `**${this.#inner(label)}** `}`;
  }

  #environment(): string {
    const name = this.#argument();
    if (VERBATIM.has(name)) return this.#code(name);
    if (LISTS[name] !== undefined) {
      this.#optional();
      this.#lists.push(LISTS[name]);
      return '\n';
    }
    const inside = (): string => this.#until(name);
    if (TABLES.has(name)) {
      if (name === 'tabular*' || name === 'tabularx' || name === 'tabulary') this.#argument();
      this.#optional();
      this.#argument();
      return this.#table(inside());
    }
    if (MATH.has(name))
      return `\n\n$${inside()
        .replace(/\\label\{[^{}]*\}/g, '')
        .trim()}$\n\n`;
    this.#optional();
    if (WITH_ARGUMENT.has(name)) this.#argument();
    return `\n${this.#inner(inside())}\n`;
  }

  /** The content of an environment, those of its name in it included. */
  #until(name: string): string {
    const marks = new RegExp(`\\\\(begin|end)\\{${name.replace(/[^\w]/g, '\\$&')}\\}`, 'g');
    marks.lastIndex = this.#at;
    let depth = 1;
    for (let mark = marks.exec(this.text); mark !== null; mark = marks.exec(this.text)) {
      depth += mark[1] === 'begin' ? 1 : -1;
      if (depth > 0) continue;
      const content = this.text.slice(this.#at, mark.index);
      this.#at = marks.lastIndex;
      return content;
    }
    const content = this.text.slice(this.#at);
    this.#at = this.text.length;
    return content;
  }

  #code(name: string): string {
    const options = this.#optional();
    const language = name === 'minted' ? this.#argument() : (/language=(\w+)/.exec(options)?.[1] ?? '');
    return `\n\n\`\`\`${language}\n${this.#until(name).replace(/^\n|\s+$/g, '')}\n\`\`\`\n\n`;
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

  /** What stands in braces behind a command, or its next letter. */
  #argument(): string {
    while (/\s/.test(this.text.charAt(this.#at))) this.#at += 1;
    if (this.text.charAt(this.#at) !== '{') {
      const command = /^\\[a-zA-Z]+|^[\s\S]?/.exec(this.text.slice(this.#at, this.#at + 40))?.[0] ?? '';
      this.#at += command.length;
      return command;
    }
    return this.#enclosed('{', '}');
  }

  /** What stands in brackets behind a command. */
  #optional(): string {
    return this.text.charAt(this.#at) === '[' ? this.#enclosed('[', ']') : '';
  }

  #enclosed(open: string, close: string): string {
    const start = this.#at + 1;
    let depth = 0;
    for (let at = this.#at; at < this.text.length; at += 1) {
      const sign = this.text.charAt(at);
      if (sign === '\\') at += 1;
      else if (sign === open) depth += 1;
      else if (sign === close) depth -= 1;
      if (depth > 0 || sign === '\\') continue;
      this.#at = at + 1;
      return this.text.slice(start, at);
    }
    this.#at = this.text.length;
    return this.text.slice(start);
  }
}

const LIGATURES: readonly (readonly [string, string])[] = [
  ...([
    ['---', '\u2014'],
    ['--', '\u2013'],
    ['``', '\u201c'],
    ["''", '\u201d'],
  ] as const),
];
