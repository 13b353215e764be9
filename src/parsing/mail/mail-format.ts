import type { Address, Email } from 'postal-mime';
import type { RawDocument } from '../../core/document.js';
import { toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeAs } from '../decode-as.js';
import { detectEncoding } from '../detect-encoding.js';
import { htmlToMarkdown } from '../html-to-markdown.js';

/** Messages of mail (RFC 5322): who wrote to whom and when, and the text. Attachments are named and counted, and not read. */
export const MAIL_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.mail, convert: readMail };

/** Lists of addresses take more time than they are long. Of all parts together, in bytes. */
const MAX_HEADERS_SIZE = 256 * 1024;

async function readMail({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { mail, warnings } = await parseMail(Buffer.from(content), externalId);
  const { subject: writtenSubject, from, to = [], cc = [], date, text = '', html, attachments } = mail;
  const subject = writtenSubject === undefined ? undefined : withPrintable(writtenSubject);
  const plain = withPrintable(text).trim();
  const page = html === undefined ? undefined : await htmlToMarkdown(withPrintable(html), externalId);
  const isPage = page !== undefined && lettersOf(page.markdown) > MIN_STUB_RATIO * lettersOf(plain);
  const names = attachments.map(({ filename, mimeType }) => filename ?? mimeType);
  const facts = [
    ...(from === undefined ? [] : [`From: ${nameOf(from)}`]),
    ...(to.length === 0 ? [] : [`To: ${to.map(nameOf).join(', ')}`]),
    ...(cc.length === 0 ? [] : [`Cc: ${cc.map(nameOf).join(', ')}`]),
    ...(date === undefined ? [] : [`Date: ${date}`]),
    ...(names.length === 0 ? [] : [`Attachments: ${names.join(', ')}`]),
  ];
  const title = subject === undefined ? undefined : oneLine(subject);
  return {
    markdown: [
      title === undefined || title === '' ? '' : `# ${title}`,
      facts.join('\n'),
      isPage ? page.markdown : plain,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    title: title === '' ? undefined : title,
    metadata: {
      ...(from === undefined ? {} : { from: nameOf(from) }),
      ...(date === undefined || Number.isNaN(Date.parse(date)) ? {} : { date: new Date(date).toISOString() }),
    },
    unread: { attachments: attachments.length },
    warnings: [...warnings, ...(isPage ? page.warnings : [])],
  };
}

/** How much more the part in HTML says where the part in plain text only points to it. */
const MIN_STUB_RATIO = 1.25;
/** Letters of Markdown, without those of addresses. */
const lettersOf = (markdown: string): number =>
  markdown.replace(/\]\([^)]*\)|<?https?:[^\s>]*>?/g, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Node.js 20 reads Windows-1252 as Latin-1, which has controls in the place of quotes and the sign of the euro. */
const withPrintable = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (sign) => decodeAs('windows-1252', Uint8Array.of(sign.charCodeAt(0))));

interface ReadMail {
  readonly mail: Email;
  readonly warnings: readonly string[];
}

/** A message, with its texts that name no encoding and are no UTF-8 in the one that their bytes suggest. */
async function parseMail(bytes: Buffer, externalId: string): Promise<ReadMail> {
  const mail = await parsed(bytes, externalId);
  const isWhole = ![mail.text, mail.html].some((text) => text?.includes('\uFFFD'));
  if (isWhole) return { mail, warnings: [] };
  const source = bytes.toString('latin1');
  const unquoted = source.replace(/=([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  const { encoding, certainty } = detectEncoding(Buffer.from(unquoted, 'latin1'));
  const declared = declaring(source, encoding);
  if (declared === source) return { mail, warnings: [] };
  return {
    mail: await parsed(Buffer.from(declared, 'latin1'), externalId),
    warnings: [
      `Its text names no encoding and is no UTF-8: read as ${encoding}, which its bytes suggest (certainty ${certainty} %).`,
    ],
  };
}

/** A message in which the texts that name no encoding name one. */
function declaring(source: string, encoding: string): string {
  const head = /^[\s\S]*?(?:\r?\n\r?\n|$)/.exec(source)?.[0] ?? '';
  const typed = /^content-type:/im.test(head) ? source : `Content-Type: text/plain\r\n${source}`;
  return typed.replace(TEXT_TYPE, (header) =>
    /charset/i.test(header) ? header : header.replace(/text\/\w+/i, (type) => `${type}; charset=${encoding}`),
  );
}

const TEXT_TYPE = /^content-type:[ \t]*text\/(?:plain|html)[^\n]*(?:\n[ \t][^\n]*)*/gim;

async function parsed(bytes: Buffer, externalId: string): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(bytes, { maxHeadersSize: MAX_HEADERS_SIZE }).catch((cause: unknown) => {
    throw toRAGError(
      cause,
      'DOCUMENT_INVALID',
      `"${externalId}" is not a message that can be read: it is damaged, or its headers are longer than 256 KiB. Save it again, or exclude it.`,
    );
  });
}

function nameOf({ name, address, group }: Address): string {
  if (group !== undefined) return `${withPrintable(name)}: ${group.map(nameOf).join(', ')}`;
  return name === '' || name === address ? (address ?? '') : `${withPrintable(name)} <${address ?? ''}>`;
}
