import type { Address } from 'postal-mime';
import type { RawDocument } from '../../core/document.js';
import { toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { htmlToMarkdown } from '../html-to-markdown.js';

/** Messages of mail (RFC 5322): who wrote to whom and when, and the text. Attachments are named and counted, and not read. */
export const MAIL_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.mail, convert: readMail };

/** Lists of addresses take more time than they are long. Of all parts together, in bytes. */
const MAX_HEADERS_SIZE = 256 * 1024;

async function readMail({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { default: PostalMime } = await import('postal-mime');
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const mail = await PostalMime.parse(bytes, { maxHeadersSize: MAX_HEADERS_SIZE }).catch((cause: unknown) => {
    throw toRAGError(
      cause,
      'DOCUMENT_INVALID',
      `"${externalId}" is not a message that can be read: it is damaged, or its headers are longer than 256 KiB. Save it again, or exclude it.`,
    );
  });
  const { subject, from, to = [], cc = [], date, text = '', html, attachments } = mail;
  const page = text.trim() === '' && html !== undefined ? await htmlToMarkdown(html, externalId) : undefined;
  const names = attachments.map(({ filename, mimeType }) => filename ?? mimeType);
  const facts = [
    ...(from === undefined ? [] : [`From: ${nameOf(from)}`]),
    ...(to.length === 0 ? [] : [`To: ${to.map(nameOf).join(', ')}`]),
    ...(cc.length === 0 ? [] : [`Cc: ${cc.map(nameOf).join(', ')}`]),
    ...(date === undefined ? [] : [`Date: ${date}`]),
    ...(names.length === 0 ? [] : [`Attachments: ${names.join(', ')}`]),
  ];
  const title = subject?.replace(/\s+/g, ' ').trim();
  return {
    markdown: [
      title === undefined || title === '' ? '' : `# ${title}`,
      facts.join('\n'),
      page?.markdown ?? text.trim(),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    title: title === '' ? undefined : title,
    metadata: {
      ...(from === undefined ? {} : { from: nameOf(from) }),
      ...(date === undefined || Number.isNaN(Date.parse(date)) ? {} : { date: new Date(date).toISOString() }),
    },
    unread: { attachments: attachments.length },
    warnings: page?.warnings ?? [],
  };
}

function nameOf({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(nameOf).join(', ')}`;
  return name === '' || name === address ? (address ?? '') : `${name} <${address ?? ''}>`;
}
