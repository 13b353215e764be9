import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { MAIL_FORMAT } from './mail-format.js';

const mail = (headers: string, body: string): string =>
  `From: Ada <ada@example.org>\r\n${headers}\r\n\r\n${body}`;
const parts = (type: string, ...all: readonly string[]): string =>
  mail(
    `Subject: Parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/${type}; boundary=b`,
    `${all.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`,
  );
const PLAIN = 'Content-Type: text/plain; charset=utf-8\r\n\r\nThe crane is free.';
const HTML =
  'Content-Type: text/html; charset=utf-8\r\n\r\n<p>The <b>crane</b> is free.</p><script>x()</script>';

describe('messages', () => {
  it('say what they invite to', async () => {
    const event = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'SUMMARY:Quay inspection',
      'DTSTART;TZID=Europe/Oslo:20240312T090000',
      'DTEND:20240312T100000Z',
      'LOCATION:North quay\\, gate 4',
      'ATTENDEE;CN="Bo Lund";RSVP=TRUE:mailto:bo@example.org',
      'DESCRIPTION:Bring the ultrasonic\r\n  gauge.\\nAnd a lamp.',
      'BEGIN:VALARM',
      'DESCRIPTION:Reminder',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n');
    const parsed = await parseAs(
      MAIL_FORMAT,
      parts(
        'alternative',
        PLAIN,
        `Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n\r\n${event}`,
      ),
    );
    expect(parsed.unread).toBeUndefined();
    expect(parsed.text).toContain(
      'Event: Quay inspection\nBegins: 2024-03-12 09:00 (Europe/Oslo)\nEnds: 2024-03-12 10:00 UTC\nPlace: North quay, gate 4\nAttends: Bo Lund\nDescription: Bring the ultrasonic gauge. And a lamp.',
    );
    expect(parsed.text).not.toContain('Reminder');
  });

  it('hold those that they forward, under their subjects, and have their own date', async () => {
    const inner = (subject: string, date: string, type: string, body: string): string =>
      `From: Odalys <o@example.org>\r\nSubject: ${subject}\r\nDate: ${date}\r\n${type}\r\n\r\n${body}`;
    const first = inner('Key', 'Mon, 04 Mar 2024 09:00:00 +0000', 'X: y', 'The key hangs at the gate.');
    const second = inner(
      'Fwd: Key',
      'Tue, 05 Mar 2024 10:00:00 +0100',
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=c',
      `--c\r\nContent-Type: message/rfc822\r\n\r\n${first}\r\n--c\r\nContent-Type: application/pdf; name=plan.pdf\r\n\r\nx\r\n--c--\r\n`,
    );
    const parsed = await parseAs(
      MAIL_FORMAT,
      parts('mixed', PLAIN, `Content-Type: message/rfc822\r\n\r\n${second}`).replace(
        'Subject:',
        'Date: Wed, 06 Mar 2024 08:00:00 +0000\r\nSubject:',
      ),
    );
    expect(parsed.metadata.date).toBe('2024-03-06T08:00:00.000Z');
    expect(parsed.unread).toEqual({ attachments: 1 });
    expect(parsed.text.split('\n').filter((line) => line !== '')).toEqual([
      ...['# Parts', 'From: Ada <ada@example.org>', 'Date: 2024-03-06T08:00:00.000Z', 'The crane is free.'],
      ...['## Forwarded: Fwd: Key', 'From: Odalys <o@example.org>', 'Date: 2024-03-05T09:00:00.000Z'],
      ...['Attachments: plan.pdf', '## Forwarded: Key', 'From: Odalys <o@example.org>'],
      ...['Date: 2024-03-04T09:00:00.000Z', 'The key hangs at the gate.'],
    ]);
  });

  it.each<[string, string, string[]]>([
    [
      'plain',
      mail('Subject: Crane\r\nTo: Bo <bo@example.org>', 'It is free.'),
      ['# Crane', 'From: Ada <ada@example.org>', 'To: Bo <bo@example.org>', 'It is free.'],
    ],
    [
      'base64',
      mail(
        'Subject: A\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: base64',
        Buffer.from('Am 12. März auf Gleis 4.').toString('base64'),
      ),
      ['# A', 'From: Ada <ada@example.org>', 'Am 12. März auf Gleis 4.'],
    ],
    [
      'quoted-printable in Latin-1',
      mail(
        'Subject: A\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable',
        'Gr=FC=DFe aus K=F6ln, sehr la=\r\nng',
      ),
      ['# A', 'From: Ada <ada@example.org>', 'Grüße aus Köln, sehr lang'],
    ],
    [
      'an encoded subject',
      mail('Subject: =?UTF-8?B?TGllZmVydW5nIGRlciBXZWljaGVu?=', 'x'),
      ['# Lieferung der Weichen', 'From: Ada <ada@example.org>', 'x'],
    ],
    [
      'no subject',
      mail('To: bo@example.org', 'x'),
      ['From: Ada <ada@example.org>', 'To: bo@example.org', 'x'],
    ],
    [
      'text beside HTML',
      parts('alternative', PLAIN, HTML),
      ['# Parts', 'From: Ada <ada@example.org>', 'The crane is free.'],
    ],
    [
      'quotes and the euro in Windows-1252',
      mail(
        'Subject: =?windows-1252?Q?=93Price=94?=\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable',
        '=93Now=94 =96 5 =80',
      ),
      ['# “Price”', 'From: Ada <ada@example.org>', '“Now” – 5 €'],
    ],
    [
      'a text that only points to the HTML',
      parts(
        'alternative',
        'Content-Type: text/plain\r\n\r\nSee the html part.',
        'Content-Type: text/html\r\n\r\n<p>The crane is free from Tuesday on, at berth 4.</p>',
      ),
      ['# Parts', 'From: Ada <ada@example.org>', 'The crane is free from Tuesday on, at berth 4.'],
    ],
    [
      'HTML alone',
      parts('alternative', HTML),
      ['# Parts', 'From: Ada <ada@example.org>', 'The **crane** is free.'],
    ],
    [
      'a quoted answer',
      mail('Subject: Re: A', 'Yes.\r\n\r\n> Is it free?'),
      ['# Re: A', 'From: Ada <ada@example.org>', 'Yes.', '> Is it free?'],
    ],
    [
      'several copies',
      mail('Subject: A\r\nCc: Bo <bo@example.org>, cy@example.org', 'x'),
      ['# A', 'From: Ada <ada@example.org>', 'Cc: Bo <bo@example.org>, cy@example.org', 'x'],
    ],
    [
      'a message within',
      parts(
        'mixed',
        PLAIN,
        'Content-Type: message/rfc822\r\n\r\nSubject: Inner\r\nContent-Type: text/plain\r\n\r\nDeep text.',
      ),
      expect.arrayContaining(['The crane is free.', 'Deep text.']) as string[],
    ],
  ])('are read: %s', async (_, content, expected) => {
    expect(await linesAs(MAIL_FORMAT, content)).toEqual(expected);
  });

  it.each([
    ['no type', ''],
    ['no encoding', '\r\nContent-Type: text/plain'],
    ['parameters of another kind', '\r\nContent-Type: text/plain;\r\n format=flowed'],
  ])('with %s are read in the encoding of their bytes, which is said', async (_, headers) => {
    const content = Buffer.from(mail(`Subject: A${headers}`, 'Grüße aus Köln.'), 'latin1');
    const { text, warnings } = await parseAs(MAIL_FORMAT, content);
    expect(text).toContain('Grüße aus Köln.');
    expect(warnings).toEqual([expect.stringMatching(/read as windows-1252, .*certainty/)]);
  });

  it('are dated by their header, and name who wrote', async () => {
    const { metadata, title } = await parseAs(
      MAIL_FORMAT,
      mail('Subject: Crane\r\nDate: Tue, 4 Feb 2025 10:00:00 +0100', 'x'),
    );
    expect(metadata).toEqual({ from: 'Ada <ada@example.org>', date: '2025-02-04T09:00:00.000Z' });
    expect(title).toBe('Crane');
  });

  it('name and count attachments, and do not hold them', async () => {
    const attached =
      'Content-Type: application/pdf; name="plan.pdf"\r\nContent-Disposition: attachment; filename="plan.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK';
    const parsed = await parseAs(MAIL_FORMAT, parts('mixed', PLAIN, attached));
    expect(parsed.text).toContain('Attachments: plan.pdf');
    expect(parsed.text).not.toContain('JVBER');
    expect(parsed.unread).toEqual({ attachments: 1 });
  });

  it('of headers that no message needs are refused', async () => {
    const to = (count: number): string => mail(`Subject: A\r\nTo: ${'g: a@b, '.repeat(count)}`, 'x');
    expect((await parseAs(MAIL_FORMAT, to(10_000))).text).toContain('a@b');
    await expect(parseAs(MAIL_FORMAT, to(120_000))).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  it('are read from bytes in an encoding of their own', async () => {
    const bytes = Buffer.from(
      mail(
        'Subject: A\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: 8bit',
        'Gr\xfc\xdfe',
      ),
      'latin1',
    );
    expect(await linesAs(MAIL_FORMAT, bytes)).toContain('Grüße');
  });
});
