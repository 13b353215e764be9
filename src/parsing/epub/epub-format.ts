import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import { openArchive, resolvePart } from '../open-archive.js';
import { allOf, childOf, xmlText } from '../read-xml.js';
import { addedCounts } from '../unread.js';

/** Books in EPUB: their chapters in the order of reading, as pages of HTML are read. */
export const EPUB_FORMAT: ConvertedFormat = {
  mediaType: MEDIA_TYPES.epub,
  version: 1,
  convert: readEpub,
};

async function readEpub(document: RawDocument): Promise<ConvertedDocument> {
  const { externalId } = document;
  const archive = openArchive(document);
  const container = await archive.xml('META-INF/container.xml');
  const [root] = container === undefined ? [] : allOf(container, 'rootfile');
  const path = resolvePart('', root?.attributes['full-path'] ?? '');
  const opf = await archive.xml(path);
  if (opf === undefined) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is not an EPUB that can be read: it names no contents. Save it again, or exclude it.`,
    );
  }
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const items = new Map(allOf(opf, 'item').map(({ attributes }) => [attributes.id ?? '', attributes]));
  const chapters = allOf(opf, 'itemref').flatMap(({ attributes: { idref = '' } }) => {
    const { href = '', 'media-type': type = '' } = items.get(idref) ?? {};
    return type.includes('html') ? [resolvePart(folder, decodedPath(href))] : [];
  });
  const pages = [];
  const pictures = new Set(
    [...items.values()].flatMap(({ href = '', 'media-type': type = '' }) =>
      type.startsWith('image/') ? [resolvePart(folder, decodedPath(href))] : [],
    ),
  );
  for (const chapter of chapters) {
    const html = archive.text(chapter);
    if (html === '') continue;
    const at = chapter.slice(0, chapter.lastIndexOf('/') + 1);
    for (const [, source = ''] of html.matchAll(PICTURE)) pictures.add(resolvePart(at, decodedPath(source)));
    pages.push(await htmlToMarkdown(html.replace(FRAMED_PICTURE, ''), externalId));
  }
  const facts = childOf(opf, 'metadata');
  const factOf = (name: string): string => {
    const element = childOf(facts, name);
    return element === undefined ? '' : xmlText(element).trim();
  };
  const [title, locale, author] = [factOf('title'), factOf('language'), factOf('creator')];
  return {
    markdown: pages
      .map(({ markdown }) => markdown.trim())
      .filter((text) => text !== '')
      .join('\n\n'),
    title: title === '' ? undefined : title,
    metadata: { ...(locale === '' ? {} : { locale }), ...(author === '' ? {} : { author }) },
    unread: addedCounts([{ pictures: pictures.size }, ...pages.map(({ unread }) => unread)]),
    warnings: [...pages.flatMap(({ warnings }) => warnings), ...archive.warnings()],
  };
}

/** A picture that a chapter shows, whether the book holds its file or not. */
const PICTURE = /<(?:img|image)\b[^<>]*?\s(?:src|xlink:href|href)\s*=\s*["']([^"'<>]+)["']/gi;
/** A drawing that only sizes a picture, as covers have it. */
const FRAMED_PICTURE = /<svg\b[^<>]*>\s*<image\b[^<>]*>(?:\s*<\/image>)?\s*<\/svg>/gi;

function decodedPath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
