/** Levels of headings. */
export const HEADINGS: Readonly<Record<string, number>> = {
  ...{ part: 1, chapter: 1, section: 2, subsection: 3, subsubsection: 4, paragraph: 5, subparagraph: 6 },
};
/** What stands around the content of a command. */
export const MARKS: Readonly<Record<string, string>> = {
  ...{ textbf: '**', textit: '_', emph: '_', textsl: '_', texttt: '`', lstinline: '`' },
};
/** Commands whose arguments are of the layout. */
export const UNSAID: Readonly<Record<string, number>> = {
  ...{
    label: 1,
    vspace: 1,
    hspace: 1,
    usepackage: 1,
    documentclass: 1,
    bibliographystyle: 1,
    bibliography: 1,
  },
  ...{
    pagestyle: 1,
    thispagestyle: 1,
    setlength: 2,
    addtolength: 2,
    setcounter: 2,
    maketitle: 0,
  },
  ...{ definecolor: 3, color: 1, hypersetup: 1, index: 1, cline: 1, cmidrule: 1, arraystretch: 0 },
};
/** Environments that are code. */
export const VERBATIM: ReadonlySet<string> = new Set([
  'verbatim',
  'Verbatim',
  'lstlisting',
  'minted',
  'alltt',
]);
/** What an item of a list begins with. */
export const LISTS: Readonly<Record<string, string>> = { itemize: '- ', enumerate: '1. ', description: '- ' };
/** Environments that are tables. */
export const TABLES: ReadonlySet<string> = new Set([
  'tabular',
  'tabular*',
  'tabularx',
  'longtable',
  'tabulary',
]);
/** Environments that are formulas. */
export const MATH: ReadonlySet<string> = new Set([
  ...[
    'equation',
    'equation*',
    'align',
    'align*',
    'gather',
    'gather*',
    'multline',
    'multline*',
    'displaymath',
    'math',
    'eqnarray',
    'eqnarray*',
  ],
]);
/** Environments whose first argument is of the layout. */
export const WITH_ARGUMENT: ReadonlySet<string> = new Set([
  'minipage',
  'multicols',
  'thebibliography',
  'wrapfigure',
  'adjustbox',
]);
/** Commands that change how text looks or where it stands, and say nothing. */
export const LAYOUT: ReadonlySet<string> = new Set(
  [
    'tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bfseries mdseries itshape slshape scshape upshape',
    'rmfamily sffamily ttfamily normalfont em bf it sl sc tt rm sf centering raggedright raggedleft flushleft flushright center',
    'noindent indent hfill vfill hrulefill dotfill smallskip medskip bigskip newline linebreak nolinebreak pagebreak nopagebreak',
    'newpage clearpage cleardoublepage samepage appendix frontmatter mainmatter backmatter tableofcontents listoffigures listoftables',
    'listofalgorithms printbibliography printindex printglossary printglossaries makeindex makeatletter makeatother protect relax',
    'noexpand expandafter csname endcsname begingroup endgroup bgroup egroup global long ignorespaces unskip par endinput fi else or',
    'ifx ifnum ifdim iftrue iffalse hline toprule midrule bottomrule endhead endfirsthead endfoot endlastfoot tabularnewline arraybackslash',
    'columnbreak linewidth textwidth columnwidth textheight paperwidth baselineskip parindent parskip sloppy fussy onecolumn twocolumn',
    'singlespacing onehalfspacing doublespacing allowdisplaybreaks displaystyle textstyle scriptstyle limits nolimits left right',
    'quad qquad enspace thinspace strut null nonumber notag qedhere qed justifying today pause titlepage frametitle vskip hskip kern',
  ].flatMap((names) => names.split(' ')),
);
