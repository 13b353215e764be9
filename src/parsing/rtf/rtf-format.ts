import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeAs } from '../decode-as.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import { escapeMarkup } from '../open-archive.js';
import { type Script, scriptMarkup } from '../raised-text.js';

/** Rich Text Format (1.9.1): paragraphs, tables and notes. Pictures and hidden text are left out and counted. */
export const RTF_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.rtf, convert: readRtf };

/** A group's begin or end, a control word with its number, an escaped byte, a control sign, or text. */
const TOKEN = /([{}])|\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([^\\{}\r\n]+)/gi;
/** Groups whose text is not of the document. */
const UNREAD: ReadonlySet<string> = new Set([
  ...['fonttbl', 'colortbl', 'stylesheet', 'listtable', 'listoverridetable', 'rsidtbl', 'generator', 'info'],
  ...[
    'header',
    'headerl',
    'headerr',
    'headerf',
    'footer',
    'footerl',
    'footerr',
    'footerf',
    'fldinst',
    'themedata',
  ],
  ...[
    'colorschememapping',
    'latentstyles',
    'datastore',
    'xmlnstbl',
    'pntext',
    'bkmkstart',
    'bkmkend',
    'object',
  ],
]);
const SIGNS: Readonly<Record<string, string>> = {
  ...{ tab: ' ', line: '\n', emdash: '\u2014', endash: '\u2013', lquote: '\u2018', rquote: '\u2019' },
  ...{
    ldblquote: '\u201c',
    rdblquote: '\u201d',
    bullet: '\u2022',
    emspace: ' ',
    enspace: ' ',
    page: '\n',
    sect: '\n',
  },
};
/** Code pages by what the platform calls them, where the name is not `windows-` and the number. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  ...{
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    65001: 'utf-8',
    10000: 'macintosh',
    866: 'ibm866',
    437: 'windows-1252',
  },
};
/** Code pages of fonts, by the character set that they state. */
const CHARSETS: Readonly<Record<string, number>> = {
  ...{
    0: 1252,
    128: 932,
    129: 949,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    238: 1250,
  },
};
const MAX_DEPTH = 1_000;

interface Group {
  readonly isUnread: boolean;
  /** Bytes or letters behind a letter by its code, for readers that do not know codes. */
  readonly substitutes: number;
  readonly codePage: number | undefined;
  readonly script: Script | undefined;
  readonly isHidden: boolean;
  /** Whether it began a note, whose text comes to stand behind that of the document. */
  readonly isNote: boolean;
}

async function readRtf({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const source = Buffer.from(content).toString('latin1');
  if (!/^\s*\{\\rtf/.test(source)) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is not Rich Text Format. Save it again, or exclude it.`,
    );
  }
  const writer = new RtfWriter();
  for (const token of source.matchAll(TOKEN)) writer.take(token, externalId);
  const page = await htmlToMarkdown(`<main>${writer.html()}</main>`, externalId);
  const title = /\{\\title ([^{}\\]{1,300})\}/.exec(source)?.[1]?.trim();
  return {
    markdown: page.markdown,
    title,
    unread: { pictures: writer.pictures, 'hidden parts': writer.hidden },
    warnings: page.warnings,
  };
}

class RtfWriter {
  pictures = 0;
  hidden = 0;
  readonly #open: Group[] = [];
  #group: Group = {
    ...{ isUnread: false, substitutes: 1, codePage: undefined },
    ...{ script: undefined, isHidden: false, isNote: false },
  };
  #isBegun = false;
  #isOptional = false;
  #codePage = 1252;
  readonly #fonts = new Map<number, number>();
  #font = 0;
  #isInFonts = false;
  #skip = 0;
  #bytes: number[] = [];
  /** Markup of the paragraph so far, but for what is raised or lowered at its end. */
  #text = '';
  #script: Script | undefined;
  #raised = '';
  #wasHidden = false;
  readonly #outer: { readonly text: string; readonly isInTable: boolean; readonly cells: string[] }[] = [];
  #noteCount = 0;
  #notes = '';
  #cells: string[] = [];
  #rows: string[] = [];
  #isInTable = false;
  #written = '';

  take([whole, brace, word, number, hex, sign, text]: RegExpExecArray, name: string): void {
    if (brace === '{') this.#begin(name);
    else if (brace === '}') this.#end();
    else if (word !== undefined)
      this.#control(word.toLowerCase(), number === undefined ? undefined : Number(number));
    else if (hex !== undefined) this.#add(() => this.#bytes.push(Number.parseInt(hex, 16)));
    else if (sign !== undefined) this.#sign(sign);
    else this.#addText(text ?? whole);
  }

  html(): string {
    this.#paragraph();
    this.#table();
    return this.#written + this.#notes;
  }

  #begin(name: string): void {
    this.#flush();
    if (this.#open.length >= MAX_DEPTH) {
      throw new RAGError(
        'DOCUMENT_INVALID',
        `"${name}" nests groups too deep to be read. Simplify or exclude it.`,
      );
    }
    this.#open.push(this.#group);
    this.#group = { ...this.#group, isNote: false };
    this.#isBegun = true;
    this.#isOptional = false;
  }

  #end(): void {
    this.#flush();
    if (this.#group.isNote) this.#endNote();
    this.#group = this.#open.pop() ?? this.#group;
    if (this.#open.length < 2) this.#isInFonts = false;
    this.#skip = 0;
  }

  #sign(sign: string): void {
    if (sign === '*') {
      this.#isOptional = true;
      return;
    }
    const shown = sign === '~' ? ' ' : sign === '_' ? '-' : sign === '-' ? '' : sign;
    if (sign === '\n' || sign === '\r') this.#control('par', undefined);
    else if (shown !== '') this.#add(() => this.#letter(shown));
  }

  #control(word: string, number: number | undefined): void {
    this.#flush();
    const isFirst = this.#isBegun;
    this.#isBegun = false;
    if (isFirst) {
      if (word === 'pict') this.pictures += this.#group.isUnread ? 0 : 1;
      if (word === 'fonttbl') this.#isInFonts = true;
      // What is marked as to be passed over is of programs, but for notes' and shapes' text.
      const isUnread =
        UNREAD.has(word) ||
        word === 'pict' ||
        (this.#isOptional && !/^(?:shpinst|shptxt|nonshppict|fldrslt)$/.test(word));
      if (isUnread) this.#group = { ...this.#group, isUnread: true };
      if (word === 'footnote' && !this.#group.isUnread) this.#beginNote();
    }
    if (word === 'ansicpg' && number !== undefined) this.#codePage = number;
    else if (word === 'f' && number !== undefined) this.#useFont(number);
    else if (word === 'fcharset' && this.#isInFonts)
      this.#fonts.set(this.#font, CHARSETS[String(number)] ?? this.#codePage);
    else if (word === 'uc') this.#group = { ...this.#group, substitutes: number ?? 1 };
    else if (word === 'u' && number !== undefined) {
      this.#add(() => this.#letter(String.fromCharCode(number < 0 ? number + 65_536 : number)));
      this.#skip = this.#group.substitutes;
    } else if (!this.#group.isUnread) this.#layout(word, number);
  }

  #useFont(number: number): void {
    this.#font = number;
    if (!this.#isInFonts) this.#group = { ...this.#group, codePage: this.#fonts.get(number) };
  }

  #layout(word: string, number: number | undefined): void {
    const isOn = number !== 0;
    if (word === 'super' || word === 'up') this.#group = { ...this.#group, script: isOn ? 'sup' : undefined };
    else if (word === 'sub' || word === 'dn')
      this.#group = { ...this.#group, script: isOn ? 'sub' : undefined };
    else if (word === 'nosupersub') this.#group = { ...this.#group, script: undefined };
    else if (word === 'v') this.#group = { ...this.#group, isHidden: isOn };
    else if (word === 'plain') this.#group = { ...this.#group, script: undefined, isHidden: false };
    else if (word === 'par') this.#paragraph();
    else if (word === 'intbl') this.#isInTable = true;
    else if (word === 'pard') this.#isInTable = false;
    else if (word === 'cell' || word === 'nestcell') {
      this.#cells.push(this.#taken());
    } else if (word === 'row' || word === 'nestrow') {
      this.#rows.push(`<tr>${this.#cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
      this.#cells = [];
    } else this.#write(SIGNS[word] ?? '');
  }

  #add(act: () => unknown): void {
    if (this.#group.isUnread) return;
    this.#isBegun = false;
    if (this.#skip > 0) this.#skip -= 1;
    else act();
  }

  #addText(text: string): void {
    if (this.#group.isUnread) return;
    this.#isBegun = false;
    const letters = this.#skip === 0 ? text : [...text].slice(this.#skip).join('');
    this.#skip = Math.max(0, this.#skip - text.length);
    if (letters !== '') this.#letter(letters);
  }

  #letter(letter: string): void {
    this.#flush();
    this.#write(letter);
  }

  #write(text: string): void {
    if (text === '') return;
    const { script, isHidden } = this.#group;
    if (isHidden && !this.#wasHidden) this.hidden += 1;
    this.#wasHidden = isHidden;
    if (isHidden) return;
    if (script !== this.#script) this.#endScript();
    this.#script = script;
    if (script === undefined) this.#text += escapeMarkup(text);
    else this.#raised += escapeMarkup(text);
  }

  #endScript(): void {
    this.#text += scriptMarkup(this.#script, this.#raised);
    this.#raised = '';
    this.#script = undefined;
  }

  /** The markup since the last paragraph or cell. */
  #taken(): string {
    this.#flush();
    this.#endScript();
    const text = this.#text.trim();
    this.#text = '';
    return text;
  }

  /** What stands before a note as its mark, raised digits or none, is put in brackets. */
  #beginNote(): void {
    this.#endScript();
    this.#noteCount += 1;
    const text = this.#text.replace(/<sup>\s*(\d{1,3})\s*<\/sup>\s*$/, '');
    this.#outer.push({
      text: `${text} [${this.#noteCount}]`,
      isInTable: this.#isInTable,
      cells: this.#cells,
    });
    this.#text = '';
    this.#isInTable = true;
    this.#cells = [];
    this.#group = { ...this.#group, isNote: true, script: undefined };
  }

  #endNote(): void {
    const { text, isInTable, cells } = this.#outer.pop() ?? { text: '', isInTable: false, cells: [] };
    const said = [...this.#cells, this.#taken()]
      .join(' ')
      .trim()
      .replace(/^<sup>\s*\d{1,3}\s*<\/sup>\s*/, '');
    if (said !== '') this.#notes += `<p>Note ${this.#noteCount}: ${said}</p>`;
    this.#text = text;
    this.#isInTable = isInTable;
    this.#cells = cells;
  }

  /** Escaped bytes are letters of the code page together. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const page = this.#group.codePage ?? this.#codePage;
    const text = decodedBytes(Uint8Array.from(this.#bytes), CODE_PAGES[String(page)] ?? `windows-${page}`);
    this.#bytes = [];
    this.#write(text);
  }

  #paragraph(): void {
    this.#flush();
    // In a table a paragraph is a part of its cell, and in a note of the note.
    if (this.#isInTable || this.#cells.length > 0 || this.#outer.length > 0) {
      this.#endScript();
      this.#text += ' ';
      return;
    }
    this.#table();
    const lines = this.#taken()
      .split('\n')
      .map((line) => line.trim());
    if (lines.join('') !== '') this.#written += `<p>${lines.join('<br>')}</p>`;
  }

  #table(): void {
    if (this.#rows.length > 0) this.#written += `<table>${this.#rows.join('')}</table>`;
    this.#rows = [];
  }
}

function decodedBytes(bytes: Uint8Array, encoding: string): string {
  try {
    return decodeAs(encoding, bytes);
  } catch {
    return decodeAs('windows-1252', bytes);
  }
}
