import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { UnreadCounts } from '../../core/unread.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import { ARCHIVE_LIMITS, type Archive, declaredFacts, macrosIn, openArchive } from '../open-archive.js';
import type { Parser, SyncParser } from '../parser.js';
import type { ZipLimits } from '../unpack-zip.js';
import { unreadOf } from '../unread.js';
import { withNumbers } from './numbering.js';
import { formulasAsText } from './office-math.js';

export interface DocxParserOptions {
  /** Reads the Markdown that a document becomes. */
  readonly markdown: SyncParser;
  /** What the file may unpack to. @default 100 MiB in 5,000 entries */
  readonly limits?: ZipLimits;
}

/**
 * Parser for Word documents (`.docx`, `.docm`, templates). The stored text is the document as Markdown: headings, lists, tables, links, notes,
 * comments, formulas in a line, results of fields, numbers as Word shows them. Pictures (but for their descriptions), charts, embedded files, macros, hidden text, headers, footers and tracked deletions are left out
 * and counted. The file is unpacked within limits before it is opened.
 *
 * @throws `DOCUMENT_TOO_LARGE`, `DOCUMENT_INVALID`
 */
export function createDocxParser({ markdown, limits = ARCHIVE_LIMITS }: DocxParserOptions): Parser {
  return {
    version: 4,
    mediaTypes: [MEDIA_TYPES.docx],
    parse: (document) => parseDocx(document, markdown, limits),
  };
}

async function parseDocx(
  document: RawDocument,
  markdown: SyncParser,
  limits: ZipLimits,
): Promise<ParsedDocument> {
  const { externalId } = document;
  const archive = openArchive(document, limits);
  const { parts, hidden } = await preparedParts(archive, externalId);
  const { html, pictures, warnings } = await toHtml(parts, externalId);
  const page = await htmlToMarkdown(html, externalId);
  const parsed = markdown.parse({ ...document, content: page.markdown.replace(ESCAPED_NUMBER, '$1$2') });
  const { title: declared, author } = declaredFacts(archive);
  const title = titleOf(html, { heading: parsed.title, declared });
  const isEmpty = parsed.text.trim() === '';
  return {
    ...parsed,
    ...(title === undefined ? {} : { title }),
    metadata: author === undefined ? {} : { author },
    ...unreadOf({
      pictures,
      ...unreadParts(parts.get(MAIN_PART)),
      'hidden parts': hidden,
      'headers and footers': headersAndFooters(archive),
      macros: macrosIn(archive),
    }),
    warnings: [...warnings, ...page.warnings, ...parsed.warnings, ...(isEmpty ? [EMPTY_WARNING] : [])],
  };
}

const EMPTY_WARNING = 'The document holds no text (pictures are not read), so only its name is found.';

/** The parts of a document as the converter reads them: it knows neither formulas nor numbers. */
async function preparedParts(
  { entries, text: textOf }: Archive,
  name: string,
): Promise<{ parts: ReadonlyMap<string, Uint8Array>; hidden: number }> {
  const parts = new Map(entries);
  const styles = textOf('word/styles.xml');
  let hidden = 0;
  for (const part of TEXT_PARTS) {
    const xml = textOf(part);
    if (xml.includes('<m:oMath')) parts.set(part, Buffer.from(await formulasAsText(xml, name)));
  }
  for (const part of TEXT_PARTS) {
    const xml = Buffer.from(parts.get(part) ?? []).toString('utf8');
    if (xml === '') continue;
    const shown = withoutHidden(withoutWrappers(xml), styles);
    hidden += shown.hidden + (xml.match(DELETION)?.length ?? 0);
    parts.set(part, Buffer.from(shown.xml));
  }
  const document = Buffer.from(parts.get(MAIN_PART) ?? []).toString('utf8');
  const numbering = { numbering: textOf('word/numbering.xml'), styles };
  if (document !== '') parts.set(MAIN_PART, Buffer.from(await withNumbers(document, numbering, name)));
  return { parts, hidden };
}

/** Text that a change takes out; the mark of a paragraph that one takes out holds nothing (ECMA-376 part 1, 17.13.5.14). */
const DELETION = /<w:del\s[^>]*[^>/]>/g;

/** Parts that hold words, and not only numbers of pages. */
const headersAndFooters = ({ entries }: Archive): number =>
  [...entries].filter(
    ([part, bytes]) =>
      /^word\/(?:header|footer)\d*\.xml$/.test(part) &&
      /<w:t(?:\s[^>]*)?>[^<]*\p{L}/u.test(Buffer.from(bytes).toString('utf8')),
  ).length;

/** A run with what is set for it, up to its end or the next one in it. */
const RUN = /(<w:r(?:\s[^>]*)?>\s*<w:rPr>)([\s\S]*?)(<\/w:rPr>(?:(?!<w:r[\s>])[\s\S])*?<\/w:r>)/g;
const VANISH = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/;

/** Runs without their text where they, or their style, hide it, and how many stretches of it there were (ECMA-376 part 1, 17.3.2.41). */
function withoutHidden(xml: string, styles: string): { readonly xml: string; readonly hidden: number } {
  const hiding = new Set(
    (styles.match(/<w:style\s[\s\S]*?<\/w:style>/g) ?? [])
      .filter((style) => VANISH.test(style))
      .map((style) => /w:styleId="([^"]*)"/.exec(style)?.[1]),
  );
  if (hiding.size === 0 && !xml.includes('<w:vanish')) return { xml, hidden: 0 };
  let [hidden, end] = [0, -1];
  const shown = xml.replace(RUN, (run: string, head: string, set: string, rest: string, at: number) => {
    const isHidden = VANISH.test(set) || hiding.has(/<w:rStyle w:val="([^"]*)"/.exec(set)?.[1] ?? '');
    const text = rest.replace(/<w:t(?:\s[^>]*)?>[^<]*<\/w:t>/g, '');
    if (!isHidden || text === rest) return run;
    if (at !== end) hidden += 1;
    end = at + run.length;
    return head + set + text;
  });
  return { xml: shown, hidden };
}

/** Fields and directions around runs, of which the converter drops the runs too. */
const WRAPPER = /<\/?w:(?:fldSimple|bdo|dir)(?:\s(?:"[^"]*"|[^">])*)?\/?>/g;
/** What stands above text to say how it is read, and the text (ECMA-376 part 1, 17.3.3.25). */
const RUBY = /<w:ruby>[\s\S]*?<\/w:ruby>/g;
const RUBY_BASE = /<w:rubyBase>([\s\S]*?)<\/w:rubyBase>/;

const withoutWrappers = (xml: string): string =>
  xml
    .replace(WRAPPER, '')
    .replace(RUBY, (ruby) => (RUBY_BASE.exec(ruby)?.[1]?.match(/<w:t[ >][\s\S]*?<\/w:t>/g) ?? []).join(''));

const MAIN_PART = 'word/document.xml';
const TEXT_PARTS = [MAIN_PART, 'word/footnotes.xml', 'word/endnotes.xml', 'word/comments.xml'];
/** A number that a paragraph begins with is one of a list, as it was in the document. */
const ESCAPED_NUMBER = /^(\d+)\\([.)])(?= )/gm;

/** What of a document nothing is made of, by the elements that stand for it. */
function unreadParts(document: Uint8Array | undefined): UnreadCounts {
  const xml = Buffer.from(document ?? []).toString('utf8');
  const count = (element: string): number => xml.split(`<${element} `).length - 1;
  return {
    charts: count('c:chart'),
    drawings: count('dgm:relIds'),
    'embedded files': count('o:OLEObject'),
  };
}

/** Unpacked parts in the form in which the converter asks for them. */
const archiveOf = (parts: ReadonlyMap<string, Uint8Array>) => ({
  exists: (part: string): boolean => parts.has(part),
  read: (part: string, encoding?: string): Promise<string | Uint8Array> => {
    const bytes = Buffer.from(parts.get(part) ?? []);
    return Promise.resolve(
      encoding === undefined ? bytes : bytes.toString(encoding === 'base64' ? 'base64' : 'utf8'),
    );
  },
});

async function toHtml(
  parts: ReadonlyMap<string, Uint8Array>,
  name: string,
): Promise<{ html: string; pictures: number; warnings: string[] }> {
  const { default: mammoth } = await import('mammoth');
  let pictures = 0;
  try {
    const { value, messages } = await mammoth.convertToHtml(
      // Its types know files and their bytes alone.
      { file: archiveOf(parts) } as unknown as { buffer: Buffer },
      // Pictures would be put into the text as data.
      {
        styleMap: [
          ...["p[style-name='Title']", 'p.Title'].map((style) => `${style} => h1.${TITLE_CLASS}:fresh`),
          `comment-reference => sup.${COMMENT_CLASS}`,
        ],
        convertImage: mammoth.images.imgElement(() => {
          pictures += 1;
          return Promise.resolve({ src: '' });
        }),
        externalFileAccess: false,
      },
    );
    const errors = messages.filter(({ type }) => type === 'error').map(({ message }) => message);
    return { html: withoutMarks(value), pictures, warnings: [...new Set(errors)] };
  } catch (cause) {
    throw toRAGError(
      cause,
      'DOCUMENT_INVALID',
      `"${name}" is not a Word document that can be read. Save it again as .docx, or exclude it.`,
    );
  }
}

const TITLE_CLASS = 'document-title';
const COMMENT_CLASS = 'comment-mark';
const COMMENT_MARK = new RegExp(`<sup class="${COMMENT_CLASS}">.*?</sup>`, 'g');

/** Without pictures of which nothing is said, the marks of comments in their sentences, and the arrows that lead back from notes. */
const withoutMarks = (html: string): string =>
  html
    .replace(/<img\b[^>]*>/g, (image) => (/\balt="[^"]*\S[^"]*"/.test(image) ? image : ''))
    .replace(COMMENT_MARK, '')
    .replace(/<(\/?)d[ld]>/g, '<$1div>')
    .replace(/<dt id="comment-[^"]*">Comment \[([^\]]*)\]<\/dt><div><p>/g, '<div><p>Comment $1: ')
    .replace(/ ?<a href="#[\w-]+">\u2191<\/a>/g, '');

/** What has the style Title, else what the properties declare, else the first heading; a lone heading of the first level is a title too. */
function titleOf(
  html: string,
  { heading, declared }: { readonly heading: string | undefined; readonly declared: string | undefined },
): string | undefined {
  const isHeaded = html.includes(`<h1 class="${TITLE_CLASS}">`) || html.split('<h1').length === 2;
  return isHeaded ? (heading ?? declared) : (declared ?? heading);
}
