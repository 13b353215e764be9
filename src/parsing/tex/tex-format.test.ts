import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { TEX_FORMAT } from './tex-format.js';

const body = (text: string): string =>
  `\\documentclass{article}\n\\usepackage{graphicx}\n\\begin{document}\n${text}\n\\end{document}\n`;

describe('LaTeX', () => {
  it('names and counts commands that stand for text and are defined elsewhere', async () => {
    const { text, unread, warnings } = await parseAs(
      TEX_FORMAT,
      body(
        '\\newcommand{\\own}{Quasar}\\centering The \\pump\\ and \\own, at \\site. The \\pump holds \\gls{air}, {\\small as} \\aside[see the plan]{said}\\vspace{2mm}\\fancy[width=2]{here}.\\noindent\n\n\\[\\unknown\\]',
      ),
    );
    expect(unread).toEqual({ commands: 4 });
    expect(warnings).toEqual([
      'Commands that may stand for text and are defined elsewhere were left out: \\pump (2 times), \\site, \\aside.',
    ]);
    expect(text).toContain('and Quasar, at .');
    expect(
      (await parseAs(TEX_FORMAT, body('\\maketitle\\tableofcontents\\clearpage A.'))).unread,
    ).toBeUndefined();
  });

  it.each<[string, string, string[]]>([
    [
      'sections',
      '\\section{Tides}\nHigh.\n\\subsection*{Spring tide}\nHigher.',
      ['## Tides', 'High.', '### Spring tide', 'Higher.'],
    ],
    [
      'text without its marks of layout',
      'A \\textbf{bold} and \\emph{slanted} word, \\texttt{code}, {\\large big}.',
      ['A **bold** and _slanted_ word, `code`, big.'],
    ],
    ['lists', '\\begin{itemize}\n  \\item One\n  \\item Two\n\\end{itemize}', ['- One', '- Two']],
    [
      'lists within lists',
      '\\begin{enumerate}\\item One\\begin{itemize}\\item Inner\\end{itemize}\\item Two\\end{enumerate}',
      ['1. One', '  - Inner', '1. Two'],
    ],
    ['terms', '\\begin{description}\\item[Neap] low\\end{description}', ['- **Neap** low']],
    [
      'tables',
      '\\begin{tabular}{|l|r|}\\hline\nBerth & Fee \\\\ \\hline\nNorth 4 & 310 \\\\\n\\end{tabular}',
      ['| Berth | Fee |', '| - | - |', '| North 4 | 310 |'],
    ],
    [
      'signs of percent in addresses and code in a line',
      'See \\url{https://a.example/x%20y} and \\href{https://b.example/%7Eme}{home} % not this\nat \\verb|50%| or \\path{c%d} or \\path|e%f| or \\lstinline[language=C]!%d!.',
      [
        'See https://a.example/x%20y and [home](<https://b.example/%7Eme>)',
        'at `50%` or c%d or `e%f` or `%d`.',
      ],
    ],
    ['a comment behind a line break', 'High \\\\% not this\nLow 5\\% here.', ['High', 'Low 5% here.']],
    [
      'code',
      '\\begin{lstlisting}[language=Python]\nx = 1 % 2\n\\end{lstlisting}',
      ['```Python', 'x = 1 % 2', '```'],
    ],
    [
      'formulas as they are written',
      'So $E = mc^2$ and \\[ a_1 \\le b \\] hold.',
      ['So $E = mc^2$ and $a_1 \\le b$ hold.'],
    ],
    ['formulas on their own', '\\begin{equation}\\label{e}\nQ = k A\n\\end{equation}', ['$Q = k A$']],
    [
      'comments, which are left out',
      'The tide % not this\nrises by 5\\% here.',
      ['The tide', 'rises by 5% here.'],
    ],
    ['accents', 'Stra\\ss e, K\\"oln, caf\\\'e, \\c{c}a, na\\"{\\i}ve', ['Straße, Köln, café, ça, naïve']],
    ['signs', "``Quoted'' -- 5--6~m\\ldots", ['“Quoted” – 5–6 m…']],
    ['references', 'See \\cite[p.~4]{knuth} and Section~\\ref{s}.', ['See [knuth] and Section [s].']],
    [
      'links',
      '\\href{https://example.org}{Here} and \\url{https://example.org/b_c}',
      ['[Here](<https://example.org>) and https://example.org/b_c'],
    ],
    ['notes', 'High.\\footnote{In May.} Low.', ['High. (In May.) Low.']],
    ['code, whose hyphens stay', "\\texttt{--flag \\emph{``a''}} -- b", ["`--flag _``a''_` – b"]],
    ['raised text', '10\\textsuperscript{6} Pa, H\\textsubscript{2}O', ['10^6 Pa, H2O']],
    [
      'numbers with their unit',
      '\\SI{12}{kg}, \\qty[a=b]{3}{\\metre\\per\\second}',
      ['12 kg, 3 metre per second'],
    ],
    [
      'names that it defines',
      '\\newcommand{\\pump}{Quasar}\\def\\site{Delft}\\newcommand*\\limit[1]{#1\\,kPa}\\newcommand{\\both}[2][a]{\\emph{#1} and #2}\n' +
        'The \\pump{} in \\site{} holds \\limit{40}, \\both{b}, \\both[c]{\\pump}.',
      ['The Quasar in Delft holds 40 kPa, _a_ and b, _c_ and Quasar.'],
    ],
    ['names that are defined elsewhere', 'The \\product{} pump', ['The product pump']],
    [
      'no text that is hidden',
      'a \\begin{comment}\nb 5% \\fi\n\\end{comment}c \\iffalse d \\ifx\\e\\f g \\else h \\fi i \\else j \\fi k $x \\iff y$ \\verb|\\iffalse| l',
      ['a c  j k $x \\iff y$ `\\iffalse` l'],
    ],
    ['text that is hidden and never ended', 'a \\iffalse b', ['a  b']],
    ['commands that are not known', '\\foo{kept} \\bar[x]{also}', ['kept also']],
    ['other environments', '\\begin{theorem}[Main]\nIt holds.\n\\end{theorem}', ['It holds.']],
    [
      'an environment in one of its name',
      '\\begin{quote}a\\begin{quote}b\\end{quote}c\\end{quote}',
      ['a', 'b', 'c'],
    ],
  ])('is read: %s', async (_, text, expected) => {
    expect((await linesAs(TEX_FORMAT, body(text))).map((line) => line.trimEnd())).toEqual(expected);
  });

  it('is called by its title', async () => {
    const parsed = await parseAs(
      TEX_FORMAT,
      `\\title{Tides of the \\emph{Elbe}}\\author{Ada \\and Bo}\\date{May 2024}\n${body('\\maketitle\nHigh.')}`,
    );
    expect(parsed.title).toBe('Tides of the _Elbe_');
    expect(parsed.metadata).toEqual({ author: 'Ada, Bo', date: 'May 2024' });
    expect(parsed.text).toContain('# Tides of the');
  });

  it('without a document is read too', async () => {
    expect(await linesAs(TEX_FORMAT, '\\section{Part}\nText.')).toEqual(['## Part', 'Text.']);
  });

  it('counts pictures, and names what it would include', async () => {
    const parsed = await parseAs(
      TEX_FORMAT,
      body('\\includegraphics[width=3cm]{map.png}\n\\caption{The map.}\n\\input{chapters/one}'),
    );
    expect(parsed.unread).toEqual({ pictures: 1 });
    expect(parsed.text).toContain('The map.');
    expect(parsed.warnings).toEqual([expect.stringContaining('chapters/one')]);
  });

  it.each([
    ['open groups', '{'.repeat(50_000)],
    ['open environments', '\\begin{a}'.repeat(3_000)],
    ['open commands', '\\textbf{'.repeat(20_000)],
    ['signs of formulas', '$'.repeat(50_001)],
    ['brackets', '\\foo['.repeat(10_000)],
    ['open listings', '\\begin{verbatim}'.repeat(100_000)],
    ['names of themselves', `\\def\\a{\\a\\a}\\def\\b#1{\\b{#1#1}}\\a \\b{x}`],
    ['names of names', `\\def\\a{${'x'.repeat(900)}}${'\\a '.repeat(30_000)}`],
    ['open comments', '\\begin{comment}\\iffalse '.repeat(30_000)],
    ['open lists', '\\begin{itemize}\\item '.repeat(40_000)],
  ])('that is hostile ends: %s', async (_, text) => {
    await parseAs(TEX_FORMAT, body(text));
  });
});
