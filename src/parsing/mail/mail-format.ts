import type { Address, Attachment, Email } from 'postal-mime';
import type { RawDocument } from '../../core/document.js';
import { toRAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { UnreadCounts } from '../../core/unread.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeAs } from '../decode-as.js';
import { detectEncoding } from '../detect-encoding.js';
import { htmlToMarkdown } from '../html-to-markdown.js';
import { addedCounts } from '../unread.js';

/** Messages of mail (RFC 5322): who wrote to whom and when, and the text, with those that it forwards. Attachments are named and counted, and not read. */
export const MAIL_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.mail, version: 3, convert: readMail };

/** Lists of addresses take more time than they are long. Of all parts together, in bytes. */
const MAX_HEADERS_SIZE = 256 * 1024;

async function readMail({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { subject, from, date, parts, unread, warnings } = await readMessage(
    Buffer.from(content),
    externalId,
    0,
  );
  return {
    markdown: [subject === '' ? '' : `# ${subject}`, ...parts].filter((part) => part !== '').join('\n\n'),
    title: subject === '' ? undefined : subject,
    metadata: withoutUndefined({ from, date }),
    unread,
    warnings,
  };
}

/** Messages in messages that are read. */
const MAX_FORWARDED = 10;

interface ReadMessage {
  /** In a line, or empty. */
  readonly subject: string;
  readonly from: string | undefined;
  readonly date: string | undefined;
  /** What stands below its subject, with the messages that it forwards. */
  readonly parts: readonly string[];
  readonly unread: UnreadCounts;
  readonly warnings: readonly string[];
}

async function readMessage(bytes: Buffer, externalId: string, depth: number): Promise<ReadMessage> {
  const { mail, warnings } = await parseMail(bytes, externalId);
  const { subject = '', from, to = [], cc = [], date, text = '', html, attachments } = mail;
  const plain = withPrintable(text).trim();
  const page = html === undefined ? undefined : await htmlToMarkdown(withPrintable(html), externalId);
  const isPage = page !== undefined && lettersOf(page.markdown) > MIN_STUB_RATIO * lettersOf(plain);
  const isForwarded = ({ mimeType }: Attachment): boolean =>
    mimeType === MEDIA_TYPES.mail && depth < MAX_FORWARDED;
  const others = attachments.filter((attachment) => !isForwarded(attachment));
  const invitations = others.filter(({ mimeType }) => mimeType === 'text/calendar');
  const names = others.map(({ filename, mimeType }) => filename ?? mimeType);
  const forwarded: ReadMessage[] = [];
  for (const { content } of attachments.filter(isForwarded))
    forwarded.push(await readMessage(bytesOf(content), externalId, depth + 1));
  const facts = [
    ...(from === undefined ? [] : [`From: ${nameOf(from)}`]),
    ...(to.length === 0 ? [] : [`To: ${to.map(nameOf).join(', ')}`]),
    ...(cc.length === 0 ? [] : [`Cc: ${cc.map(nameOf).join(', ')}`]),
    ...(date === undefined ? [] : [`Date: ${date}`]),
    ...(names.length === 0 ? [] : [`Attachments: ${names.join(', ')}`]),
  ];
  return {
    subject: oneLine(withPrintable(subject)),
    from: from === undefined ? undefined : nameOf(from),
    date: date === undefined || Number.isNaN(Date.parse(date)) ? undefined : new Date(date).toISOString(),
    parts: [
      facts.join('\n'),
      isPage ? page.markdown : plain,
      ...invitations.map(({ content }) => eventText(bytesOf(content).toString('utf8'))),
      ...forwarded.flatMap((message) => [
        `## Forwarded${message.subject === '' ? '' : `: ${message.subject}`}`,
        ...message.parts,
      ]),
    ],
    unread: addedCounts([
      { attachments: others.length - invitations.length },
      ...(isPage ? [page.unread] : []),
      ...forwarded.map((message) => message.unread),
    ]),
    warnings: [
      ...warnings,
      ...(isPage ? page.warnings : []),
      ...forwarded.flatMap((message) => message.warnings),
    ],
  };
}

/** What is said of an event, and as what. */
const EVENT_FACTS: Readonly<Record<string, string>> = {
  ...{ SUMMARY: 'Event', DTSTART: 'Begins', DTEND: 'Ends', RRULE: 'Repeats', LOCATION: 'Place' },
  ...{ ORGANIZER: 'Organiser', ATTENDEE: 'Attends', STATUS: 'Status', DESCRIPTION: 'Description' },
};

/** The events of an invitation (iCalendar, RFC 5545) as lines; alarms and time zones are left out. */
function eventText(calendar: string): string {
  const open: string[] = [];
  const facts: string[] = [];
  for (const line of calendar.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name = '', parameters = '', value = ''] = EVENT_LINE.exec(line) ?? [];
    const property = name.toUpperCase();
    if (property === 'BEGIN') open.push(value.toUpperCase());
    else if (property === 'END') open.pop();
    const label = EVENT_FACTS[property];
    if (label === undefined || !/^V(?:EVENT|TODO)$/.test(open.at(-1) ?? '')) continue;
    const called = /;CN="?([^";:]+)/i.exec(parameters)?.[1];
    const zone = /;TZID="?([^";:]+)/i.exec(parameters)?.[1];
    const text = value
      .replace(/\\n/gi, ' ')
      .replace(/\\([\\;,])/g, '$1')
      .replace(/^mailto:/i, '');
    facts.push(`${label}: ${oneLine(called ?? eventTime(text))}${zone === undefined ? '' : ` (${zone})`}`);
  }
  return facts.join('\n');
}

/** A property with its parameters, of which those in quotation marks may hold colons. */
const EVENT_LINE = /^([A-Za-z-]{1,40})((?:;[^":]*(?:"[^"]*"[^":]*)*)?):(.*)$/;

/** `20240312T090000Z` as `2024-03-12 09:00 UTC`. */
const eventTime = (text: string): string =>
  text.replace(
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/,
    (_, year: string, month: string, day: string, hour?: string, minute?: string, utc?: string) =>
      `${year}-${month}-${day}${hour === undefined ? '' : ` ${hour}:${minute ?? '00'}${utc === 'Z' ? ' UTC' : ''}`}`,
  );

const bytesOf = (content: Attachment['content']): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));

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
  return PostalMime.parse(bytes, {
    maxHeadersSize: MAX_HEADERS_SIZE,
    // What is forwarded comes as it is, not with the date of the machine's language in front of it.
    maxRfc822NestingDepth: 0,
  }).catch((cause: unknown) => {
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
