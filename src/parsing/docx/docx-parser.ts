import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { RAGError, toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import type { Parser, SyncParser } from '../parser.js';
import { unpackWithin, type ZipLimits } from './zip-guard.js';

export interface DocxParserOptions {
  /** Reads the Markdown that a document becomes. */
  readonly markdown: SyncParser;
  /** What the file may unpack to. @default 100 MiB in 5,000 entries */
  readonly limits?: ZipLimits;
}

const DEFAULT_LIMITS: ZipLimits = { maxTotalBytes: 100 * 1024 * 1024, maxEntries: 5_000 };
/** XML that is read; pictures and fonts may be larger. In bytes. */
const MAX_XML_BYTES = 30 * 1024 * 1024;

/**
 * Parser for Word documents (`.docx`). The stored text is the document as Markdown: headings, lists, tables, links, notes.
 * Pictures, headers, footers and tracked deletions are left out. The file is unpacked within limits before it is opened.
 *
 * @throws `DOCUMENT_TOO_LARGE`, `DOCUMENT_INVALID`
 */
export function createDocxParser({ markdown, limits = DEFAULT_LIMITS }: DocxParserOptions): Parser {
  return {
    version: 2,
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
  const bytes = Buffer.from(document.content);
  const entries = unpackWithin(bytes, externalId, limits);
  checkXml(entries, externalId);
  const { html, warnings } = await toHtml(bytes, externalId);
  const page = await htmlToMarkdown(html, externalId);
  const parsed = markdown.parse({ ...document, content: page.markdown });
  const title = titleOf(html, { heading: parsed.title, declared: declaredTitle(entries) });
  const isEmpty = parsed.text.trim() === '';
  return {
    ...parsed,
    ...(title === undefined ? {} : { title }),
    metadata: {},
    warnings: [...warnings, ...page.warnings, ...parsed.warnings, ...(isEmpty ? [EMPTY_WARNING] : [])],
  };
}

const EMPTY_WARNING = 'The document holds no text (pictures are not read), so only its name is found.';

/** No word processor writes a document type, which is what entity bombs and external entities need. */
function checkXml(entries: ReadonlyMap<string, Uint8Array>, name: string): void {
  for (const [entry, content] of entries) {
    if (!/\.(?:xml|rels)$/i.test(entry)) continue;
    if (content.length > MAX_XML_BYTES) {
      throw new RAGError(
        'DOCUMENT_TOO_LARGE',
        `"${name}" holds more text than is read: ${entry} has ${content.length} bytes. Split or exclude it.`,
      );
    }
    if (Buffer.from(content).includes('<!DOCTYPE') || Buffer.from(content).includes('<!ENTITY')) {
      throw new RAGError(
        'DOCUMENT_INVALID',
        `"${name}" is not opened: its XML declares a document type, as only forged files do. Exclude it.`,
      );
    }
  }
}

async function toHtml(buffer: Buffer, name: string): Promise<{ html: string; warnings: string[] }> {
  const { default: mammoth } = await import('mammoth');
  try {
    const { value, messages } = await mammoth.convertToHtml(
      { buffer },
      // Pictures would be put into the text as data.
      {
        styleMap: ["p[style-name='Title']", 'p.Title'].map((style) => `${style} => h1.${TITLE_CLASS}:fresh`),
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        externalFileAccess: false,
      },
    );
    const errors = messages.filter(({ type }) => type === 'error').map(({ message }) => message);
    return { html: value.replace(/<img\b[^>]*>/g, ''), warnings: [...new Set(errors)] };
  } catch (cause) {
    throw toRAGError(
      cause,
      'DOCUMENT_INVALID',
      `"${name}" is not a Word document that can be read. Save it again as .docx, or exclude it.`,
    );
  }
}

const TITLE_CLASS = 'document-title';

/** What has the style Title, else what the properties declare, else the first heading; a lone heading of the first level is a title too. */
function titleOf(
  html: string,
  { heading, declared }: { readonly heading: string | undefined; readonly declared: string | undefined },
): string | undefined {
  const isHeaded = html.includes(`<h1 class="${TITLE_CLASS}">`) || html.split('<h1').length === 2;
  return isHeaded ? (heading ?? declared) : (declared ?? heading);
}

/** Title of the document's properties. */
function declaredTitle(entries: ReadonlyMap<string, Uint8Array>): string | undefined {
  const core = Buffer.from(entries.get('docProps/core.xml') ?? []).toString('utf8');
  const title = /<dc:title>([^<]{1,500})<\/dc:title>/.exec(core)?.[1];
  const text = title
    ?.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => XML_ENTITIES[name] ?? '')
    .trim();
  return text === '' ? undefined : text;
}

const XML_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
