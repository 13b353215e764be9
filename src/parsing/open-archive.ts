import type { RawDocument } from '../core/document.js';
import { RAGError } from '../core/errors.js';
import { oneLine } from '../core/one-line.js';
import { readXml, type XmlElement } from './read-xml.js';
import { unpackWithin, type ZipLimits } from './unpack-zip.js';

/** What a document in an archive may unpack to: 100 MiB in 5,000 entries. */
export const ARCHIVE_LIMITS: ZipLimits = { maxTotalBytes: 100 * 1024 * 1024, maxEntries: 5_000 };
/** XML that is read; pictures and fonts may be larger. In bytes. */
const MAX_XML_BYTES = 30 * 1024 * 1024;

/** The parts of a document that is an archive of XML. */
export interface Archive {
  readonly entries: ReadonlyMap<string, Uint8Array>;
  /** What was asked for again and not given, as warnings. */
  warnings(): string[];
  /** A part as text; empty where it is not there, or was read before. */
  text(part: string): string;
  /** The root element of a part; undefined where it is not there, or was read before. */
  xml(part: string): Promise<XmlElement | undefined>;
}

/**
 * Unpacks a document within limits and refuses XML that no program writes.
 *
 * @throws `DOCUMENT_TOO_LARGE`, `DOCUMENT_INVALID`
 */
export function openArchive(
  { content, externalId }: Pick<RawDocument, 'content' | 'externalId'>,
  limits: ZipLimits = ARCHIVE_LIMITS,
): Archive {
  const entries = unpackWithin(Buffer.from(content), externalId, limits);
  for (const [entry, bytes] of entries)
    if (/\.(?:xml|rels|opf)$/i.test(entry)) checkXml(entry, bytes, externalId);
  // What a part unpacks to is bounded, and what is read with it, where it is read once.
  const unread = new Set(entries.keys());
  let repeated = 0;
  const text = (part: string): string => {
    if (!unread.delete(part)) {
      if (entries.has(part)) repeated += 1;
      return '';
    }
    return Buffer.from(entries.get(part) ?? [])
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  };
  return {
    entries,
    warnings: () =>
      repeated === 0
        ? []
        : [`${repeated} references to parts of the file that stand in the text already were left out.`],
    text,
    xml: async (part) => {
      const isUnread = unread.has(part);
      const content = text(part);
      return isUnread ? readXml(content, externalId) : undefined;
    },
  };
}

/** No office program writes a document type, which is what entity bombs and external entities need. */
function checkXml(entry: string, bytes: Uint8Array, name: string): void {
  if (bytes.length > MAX_XML_BYTES) {
    throw new RAGError(
      'DOCUMENT_TOO_LARGE',
      `"${name}" holds more text than is read: ${entry} has ${bytes.length} bytes. Split or exclude it.`,
    );
  }
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (content.includes('<!DOCTYPE') || content.includes('<!ENTITY')) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" is not opened: its XML declares a document type, as only forged files do. Exclude it.`,
    );
  }
}

/** Of relationships of a part (`word/_rels/document.xml.rels`): targets by their id, as paths in the archive. */
export async function relationsOf(
  archive: Archive,
  part: string,
): Promise<ReadonlyMap<string, { readonly type: string; readonly target: string }>> {
  const at = part.lastIndexOf('/') + 1;
  const root = await archive.xml(`${part.slice(0, at)}_rels/${part.slice(at)}.rels`);
  const relations = (root?.children ?? []).flatMap((child) => {
    if (typeof child === 'string') return [];
    const { Id: id = '', Type: type = '', Target: target = '' } = child.attributes;
    return [
      [
        id,
        { type: type.slice(type.lastIndexOf('/') + 1), target: resolvePart(part.slice(0, at), target) },
      ] as const,
    ];
  });
  return new Map(relations);
}

/** A target in an archive, relative to a folder or to its root. */
export function resolvePart(folder: string, target: string): string {
  const steps = target.startsWith('/') ? [] : folder.split('/').filter((step) => step !== '');
  for (const step of target.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Projects of macros in an Office document, which are not read. */
export const macrosIn = ({ entries }: Pick<Archive, 'entries'>): number =>
  [...entries.keys()].filter((entry) => /(?:^|\/)vbaProject\.bin$/i.test(entry)).length;

/** `dc:title` and `dc:creator` of the properties of an Office document. */
export function declaredFacts(archive: Archive): {
  readonly title: string | undefined;
  readonly author: string | undefined;
} {
  const core = archive.text('docProps/core.xml');
  const factOf = (name: string): string | undefined =>
    new RegExp(`<dc:${name}>([^<]{1,500})</dc:${name}>`)
      .exec(core)?.[1]
      ?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => XML_ENTITIES[entity] ?? '')
      .trim() || undefined;
  return { title: factOf('title'), author: factOf('creator') };
}

const XML_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Text as HTML and XML write it. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What descriptions say of a picture, as HTML; nothing where they say nothing. */
export function pictureMarkup(descriptions: readonly string[]): string {
  const said = [...new Set(descriptions.map(oneLine))].filter((text) => text !== '').join('. ');
  return said === '' ? '' : `<img src="" alt="${escapeMarkup(said)}">`;
}
