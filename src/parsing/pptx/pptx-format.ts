import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { UnreadCounts } from '../../core/unread.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import {
  type Archive,
  declaredFacts,
  escapeMarkup,
  macrosIn,
  openArchive,
  pictureMarkup,
  relationsOf,
} from '../open-archive.js';
import { type Script, scriptMarkup, scriptText } from '../raised-text.js';
import { allOf, childOf, elementsOf, type XmlElement, xmlText } from '../read-xml.js';

/** Presentations (`.pptx`, `.pptm`, shows, templates): each slide under its title, with tables, notes and comments. Pictures (but for their descriptions), charts, drawings, macros and hidden slides are left out and counted. */
export const PPTX_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.pptx, convert: readPptx };

const MAIN_PART = 'ppt/presentation.xml';

async function readPptx(document: RawDocument): Promise<ConvertedDocument> {
  const { externalId } = document;
  const archive = openArchive(document);
  const presentation = await archive.xml(MAIN_PART);
  if (presentation === undefined) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is not a presentation that can be read. Save it again as .pptx, or exclude it.`,
    );
  }
  const relations = await relationsOf(archive, MAIN_PART);
  const paths = allOf(presentation, 'sldId').flatMap(
    ({ attributes }) => relations.get(attributes['r:id'] ?? '')?.target ?? [],
  );
  const slides = [];
  let hidden = 0;
  for (const [index, path] of paths.entries()) {
    const root = await archive.xml(path);
    if (/^(?:0|false|off)$/.test(root?.attributes.show ?? '')) hidden += 1;
    else if (root !== undefined) slides.push(await readSlide(archive, root, { path, number: index + 1 }));
  }
  const page = await htmlToMarkdown(`<main>${slides.map(({ html }) => html).join('')}</main>`, externalId);
  return {
    markdown: page.markdown,
    title: declaredFacts(archive).title ?? slides.find(({ title }) => title !== '')?.title,
    metadata: { slideCount: slides.length },
    unread: {
      ...sumOf(slides.map(({ unread }) => unread)),
      'hidden parts': hidden,
      macros: macrosIn(archive),
    },
    warnings: [...page.warnings, ...archive.warnings()],
  };
}

interface Slide {
  readonly html: string;
  readonly title: string;
  readonly unread: UnreadCounts;
}

async function readSlide(
  archive: Archive,
  root: XmlElement,
  { path, number }: { readonly path: string; readonly number: number },
): Promise<Slide> {
  const relations = [...(await relationsOf(archive, path)).values()];
  const related = async (type: string): Promise<XmlElement[]> => {
    const parts = relations.filter((relation) => relation.type === type);
    const roots = await Promise.all(parts.map(({ target }) => archive.xml(target)));
    return roots.filter((part) => part !== undefined);
  };
  const shapes = allOf(root, 'sp');
  const titleShape = shapes.find((shape) => /^(?:ctrT|t)itle$/.test(placeholderOf(shape) ?? ''));
  const title = titleShape === undefined ? '' : textOf(titleShape);
  const body = partsOf(root, titleShape);
  const notes = (await related('notesSlide')).flatMap((part) =>
    allOf(part, 'sp')
      .filter((shape) => placeholderOf(shape) === 'body')
      .map(textOf),
  );
  const comments = (await related('comments')).flatMap((part) => {
    const texts = allOf(part, 'text').map((text) => xmlText(text).trim());
    return texts.length > 0 ? texts : paragraphsOf(part);
  });
  const said = [
    ...notes.filter((text) => text !== '').map((text) => `<p>Notes: ${escapeMarkup(text)}</p>`),
    ...comments.filter((text) => text !== '').map((text) => `<p>Comment: ${escapeMarkup(text)}</p>`),
  ];
  const heading = title === '' ? `Slide ${number}` : title;
  return {
    html: `<h2>${escapeMarkup(heading)}</h2>${body}${said.join('')}`,
    title,
    unread: {
      pictures: allOf(root, 'pic').length,
      charts: allOf(root, 'chart').length,
      drawings: allOf(root, 'relIds').length,
    },
  };
}

const placeholderOf = (shape: XmlElement): string | undefined => allOf(shape, 'ph')[0]?.attributes.type;

/** Shapes and tables in order; slide numbers, dates and footers say nothing. */
function partsOf(element: XmlElement, titleShape: XmlElement | undefined): string {
  return elementsOf(element)
    .map((child) => {
      if (child === titleShape) return '';
      if (child.name === 'tbl') return tableOf(child);
      if (child.name === 'pic') return `<p>${pictureMarkup(descriptionsOf(child))}</p>`;
      if (child.name !== 'sp') return partsOf(child, titleShape);
      return /^(?:sldNum|dt|ftr|hdr)$/.test(placeholderOf(child) ?? '')
        ? ''
        : paragraphsOf(child, markupOf)
            .map((markup) => `<p>${markup}</p>`)
            .join('');
    })
    .join('');
}

const tableOf = (table: XmlElement): string =>
  `<table>${allOf(table, 'tr')
    .map(
      (row) =>
        `<tr>${allOf(row, 'tc')
          .map((cell) => cellOf(cell))
          .join('')}</tr>`,
    )
    .join('')}</table>`;

function cellOf(cell: XmlElement): string {
  const { gridSpan, rowSpan, hMerge, vMerge } = cell.attributes;
  // Its place belongs to the cell that spans it.
  if (hMerge !== undefined || vMerge !== undefined) return '';
  const span = (name: string, value: string | undefined): string =>
    /^\d{1,4}$/.test(value ?? '') ? ` ${name}="${value}"` : '';
  return `<td${span('colspan', gridSpan)}${span('rowspan', rowSpan)}>${escapeMarkup(textOf(cell))}</td>`;
}

/** What its author, or a program, says of a picture. */
const descriptionsOf = (picture: XmlElement): string[] =>
  allOf(picture, 'cNvPr').flatMap(({ attributes: { title = '', descr = '' } }) => [title, descr]);

/** Text of a run, raised or lowered by a part of its height. */
type WriteRun = (text: string, script: Script | undefined) => string;
const plainOf: WriteRun = (text, script) => (script === undefined ? text : scriptText(script, text));
const markupOf: WriteRun = (text, script) => scriptMarkup(script, escapeMarkup(text));

function scriptOfRun(run: XmlElement): Script | undefined {
  const baseline = Number.parseFloat(childOf(run, 'rPr')?.attributes.baseline ?? '0');
  return baseline > 0 ? 'sup' : baseline < 0 ? 'sub' : undefined;
}

const paragraphsOf = (shape: XmlElement, write = plainOf): string[] =>
  allOf(shape, 'p')
    .map((paragraph) =>
      elementsOf(paragraph)
        .map((run) =>
          run.name === 'br' ? ' ' : write(allOf(run, 't').map(xmlText).join(''), scriptOfRun(run)),
        )
        .join('')
        .trim(),
    )
    .filter((text) => text !== '');

const textOf = (shape: XmlElement): string => paragraphsOf(shape).join(' ');

function sumOf(counts: readonly UnreadCounts[]): UnreadCounts {
  const sum = (kind: keyof UnreadCounts): number =>
    counts.reduce((total, one) => total + (one[kind] ?? 0), 0);
  return { pictures: sum('pictures'), charts: sum('charts'), drawings: sum('drawings') };
}
