import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawDocument } from '../../../core/document.js';
import { OPEN_ACCESS } from '../../../core/scope.js';
import { createMarkdownParser } from '../../../parsing/markdown/markdown-parser.js';
import { createRedactor } from './redactor.js';
import { revealTokens } from './token-cipher.js';

const KEY = 'a key of thirty-two characters or more';
const markdown = createMarkdownParser();
const raw = (content: string, more: Partial<RawDocument> = {}): RawDocument => ({
  externalId: 'a.md',
  mediaType: 'text/markdown',
  content,
  metadata: {},
  access: OPEN_ACCESS,
  ...more,
});
const redactMarkdown = (content: string, more: Partial<RawDocument> = {}) => {
  const given = raw(content, more);
  return createRedactor().redact({ raw: given, parsed: markdown.parse(given) });
};

describe('redaction of a document', () => {
  it('takes values out of every part that is stored', () => {
    const { raw: safe, parsed } = redactMarkdown('# Mail jane@acme.example\n\nText of jane@acme.example.\n', {
      title: 'jane@acme.example',
      url: 'https://x.example/?mail=jane@acme.example',
      surroundings: ['by jane@acme.example'],
      metadata: { by: ['jane@acme.example'], nested: { to: 'jane@acme.example' }, pan: 4111111111111111 },
    });
    const { externalId: _, content: __, ...stored } = safe;
    expect(JSON.stringify([stored, parsed])).not.toMatch(/jane@|4111/);
    expect(parsed.blocks.map(({ start, end }) => parsed.text.slice(start, end))).toEqual([
      '# Mail [EMAIL]',
      'Text of [EMAIL].',
    ]);
    expect(parsed.blocks[0]?.label).toBe('Mail [EMAIL]');
  });

  it('knows a fact by its name', () => {
    const { raw: safe, counts } = redactMarkdown('text', {
      metadata: { password: 'hunter2x', note: 'hunter2x' },
    });
    expect(safe.metadata).toEqual({ password: '[API_KEY]', note: 'hunter2x' });
    expect(counts).toEqual({ API_KEY: 1 });
  });

  it('redacts the names of facts, and loses none where two become the same', () => {
    const { raw: safe, counts } = redactMarkdown('text', {
      metadata: { 'jane@acme.example': 1, 'joe@acme.example': 2, in: { 'password: hunter2x': true } },
    });
    expect(safe.metadata).toEqual({ '[EMAIL]': 1, '[EMAIL] 2': 2, in: { 'password: [API_KEY]': true } });
    expect(counts).toEqual({ EMAIL: 2, API_KEY: 1 });
  });

  it('keeps blocks in order, apart and inside the text, whatever is taken out', () => {
    const piece = fc.constantFrom(
      '# Head jane@acme.example',
      'call +1 202 555 0143',
      '-----BEGIN PRIVATE KEY-----\n\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n-----END PRIVATE KEY-----',
      '- a\n- b jane@acme.example',
      '| a | b |\n| --- | --- |\n| jane@acme.example | 2 |',
      '```\npassword=Tr0ub4dor\n```',
      'plain',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const { parsed } = redactMarkdown(pieces.join('\n\n'));
        let from = 0;
        for (const { start, end } of parsed.blocks) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(parsed.text.slice(from, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(parsed.text.slice(from).trim()).toBe('');
      }),
    );
  });
});

describe('what stands in place of a value', () => {
  const text = 'Card 4111 1111 1111 1111 of jane@acme.example, key glpat-'.concat('AbCdEfGhIjKlMnOpQrS9');

  it('is its type', () => {
    expect(createRedactor().redactText(text).text).toBe('Card [CREDIT_CARD] of [EMAIL], key [API_KEY]');
  });

  it('is its shape, and one length for secrets', () => {
    expect(createRedactor({ mode: 'mask' }).redactText(text).text).toBe(
      'Card **** **** **** 1111 of ****@****.*******, key ********',
    );
  });

  it('is a token that the key turns back, the same for the same value', () => {
    const redactor = createRedactor({ mode: 'token', key: KEY });
    const redacted = redactor.redactText(`${text} ${text}`).text;
    expect(redacted).not.toMatch(/4111|jane|glpat/);
    expect(new Set(redacted.match(/\[EMAIL:[^\]]+\]/g)).size).toBe(1);
    expect(revealTokens(redacted, KEY)).toEqual({ text: `${text} ${text}`, unknown: 0 });
    expect(revealTokens(redacted, `${KEY}!`)).toEqual({ text: redacted, unknown: 6 });
  });

  it('comes back for any value, and not from a token that was changed', () => {
    const redactor = createRedactor({ mode: 'token', key: KEY });
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,20}$/), fc.nat(), (name, at) => {
        const mail = `${name}@acme.example`;
        const token = redactor.redactText(mail).text;
        expect(revealTokens(token, KEY).text).toBe(mail);
        const place = '[EMAIL:'.length + (at % 20);
        const changed = token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1);
        expect(revealTokens(changed, KEY)).toEqual({ text: changed, unknown: 1 });
      }),
    );
  });

  it.each(['replace', 'mask'] as const)('is nothing that is found again: %s', (mode) => {
    const redactor = createRedactor({ mode });
    const once = redactor.redactText(text).text;
    expect(redactor.redactText(once).text).toBe(once);
  });

  it('needs a key of a length for tokens', () => {
    expect(() => createRedactor({ mode: 'token' })).toThrow(/no key/);
    expect(() => createRedactor({ mode: 'token', key: 'short' })).toThrow(/at least 32/);
  });

  it('has another fingerprint with other settings', () => {
    const prints = [
      createRedactor(),
      createRedactor({ mode: 'mask' }),
      createRedactor({ types: ['EMAIL'] }),
      createRedactor({ mode: 'token', key: KEY }),
      createRedactor({ mode: 'token', key: `${KEY}!` }),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
    expect(prints.join()).not.toContain(KEY);
  });
});
