import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { ORG_FORMAT } from './org-format.js';

describe('Org files', () => {
  it.each<[string, string, string[]]>([
    ['headlines', '* Beds\n** North bed\nLeeks.', ['# Beds', '## North bed', 'Leeks.']],
    [
      'states, priorities and tags of headlines',
      '* TODO [#A] Dig the bed :garden:spring:',
      ['# TODO Dig the bed'],
    ],
    [
      'code',
      '#+BEGIN_SRC sh\nwater --bed north\n,* not a headline\n#+END_SRC',
      ['```sh', 'water --bed north', '* not a headline', '```'],
    ],
    ['quotations', '#+begin_quote\nDig *deep*.\n#+end_quote', ['> Dig **deep**.']],
    ['drawers, which are left out', '* A\n:PROPERTIES:\n:ID: 4711\n:END:\nText.', ['# A', 'Text.']],
    [
      'properties, but for ids',
      '* A\n:PROPERTIES:\n:OWNER: Teodor Blaga\n:CUSTOM_ID: x\n:END:\nText.',
      ['# A', '- OWNER: Teodor Blaga', 'Text.'],
    ],
    [
      'trees of comments, which are left out',
      '* COMMENT Draft\nhidden\n** hidden\n#+begin_src sh\nhidden\n#+end_src\n* TODO COMMENT x\nhidden\n* COMMENTS\nText.',
      ['# COMMENTS', 'Text.'],
    ],
    ['comments, which are left out', '# a remark\n#+BEGIN_COMMENT\nhidden\n#+END_COMMENT\nText.', ['Text.']],
    [
      'lists',
      '- one\n+ two\n1. three\n- Term :: what it is',
      ['- one', '- two', '1. three', '- **Term**: what it is'],
    ],
    [
      'links',
      'See [[https://example.org/a][the plan]] and [[file:b.org]].',
      ['See [the plan](<https://example.org/a>) and file:b.org.'],
    ],
    [
      'marks',
      'A *bold*, /slanted/, =code= and ~verbatim~ word, 5*3*2 and a/b/c.',
      ['A **bold**, _slanted_, `code` and `verbatim` word, 5*3*2 and a/b/c.'],
    ],
    [
      'tables',
      '| Bed | Crop |\n|-----+------|\n| North | Leek |',
      ['| Bed | Crop |', '|-----|------|', '| North | Leek |'],
    ],
    [
      'tables without a rule',
      '| Bed | Crop |\n| North | Leek |',
      ['| Bed | Crop |', '| - | - |', '| North | Leek |'],
    ],
    ['dates of tasks', '* A\nDEADLINE: <2025-04-01 Tue>', ['# A', 'DEADLINE: <2025-04-01 Tue>']],
    ['fixed lines', ': as it is', ['    as it is']],
    ['notes', 'Dig.[fn:1]\n\n[fn:1] In May.', ['Dig.[^1]', '[^1] In May.']],
  ])('are read: %s', async (_, source, expected) => {
    expect(await linesAs(ORG_FORMAT, source)).toEqual(expected);
  });

  it('have the title, tags and date that they state', async () => {
    const { title, metadata } = await parseAs(
      ORG_FORMAT,
      '#+TITLE: Garden plan\n#+FILETAGS: :garden:food:\n#+DATE: <2025-02-03 Mon>\n\n* Beds :food:\n** North :über:@x:',
    );
    expect(title).toBe('Garden plan');
    expect(metadata).toEqual({ tags: ['garden', 'food', 'über', '@x'], date: '2025-02-03' });
  });

  it('keep every line where it was', async () => {
    const source = '* A\n:DRAWER:\nx\n:END:\n\nText.\n';
    expect((await parseAs(ORG_FORMAT, source)).text.split('\n').indexOf('Text.')).toBe(5);
  });

  it('that are hostile take time in proportion', async () => {
    await parseAs(ORG_FORMAT, `${'*a '.repeat(50_000)}\n${'[['.repeat(100_000)}\n${'| '.repeat(100_000)}`);
  });
});
