import createMarkdownIt, {
  type MarkdownIt,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it';
import { type InlineRecorder, recorderOf } from './inline-recorder.js';
import { TooManySteps } from './step-counter.js';

/** What renderers of Markdown disagree on, as far as it decides what is code. */
export interface Dialect {
  /** Tables of GFM: a bar ends code that began in the cell before it. */
  readonly tables: boolean;
  /** HTML passes; without it what stands inside HTML is Markdown. */
  readonly html: boolean;
}

/** Quotes, lists and brackets inside each other. Where more stand, markdown-it reads no further, so nothing is decided. */
const MAX_NESTING = 24;

const INLINE_RULES = [
  'text',
  'newline',
  'escape',
  'backticks',
  'link',
  'image',
  'autolink',
  'html_inline',
  'entity',
];

const parsers = new Map<string, MarkdownIt>();

/** A parser that counts its steps, knows what it matched where, and finds every link, whatever its scheme. */
export function markdownFor({ tables, html }: Dialect): MarkdownIt {
  const key = `${tables} ${html}`;
  const parser = parsers.get(key) ?? createParser({ tables, html });
  parsers.set(key, parser);
  return parser;
}

function createParser({ tables, html }: Dialect): MarkdownIt {
  const markdown = createMarkdownIt({ html, maxNesting: MAX_NESTING });
  markdown.validateLink = () => true;
  markdown.normalizeLink = (url) => url;
  markdown.normalizeLinkText = (url) => url;
  if (!tables) markdown.block.ruler.disable('table');
  // Emphasis never decides what a link, an image or code is, and needs more than linear time.
  markdown.inline.ruler.enableOnly(INLINE_RULES);
  markdown.inline.ruler2.enableOnly([]);
  watchRules(markdown);
  boundNesting(markdown);
  markdown.block.State = countingState(markdown);
  return markdown;
}

type InlineRule = (state: StateInline, silent: boolean) => boolean;
type Note = (
  recorder: InlineRecorder,
) => (state: StateInline, match: { start: number; end: number; tokensBefore: number }) => void;

function watchRules(markdown: MarkdownIt): void {
  const notes: Readonly<Record<string, Note>> = {
    backticks: (recorder) => recorder.codeSpan.bind(recorder),
    link: (recorder) => recorder.link.bind(recorder),
    image: (recorder) => recorder.image.bind(recorder),
    autolink: (recorder) => recorder.autolink.bind(recorder),
    html_inline: (recorder) => recorder.html.bind(recorder),
  };
  const rules = markdown.inline.ruler.getRules('');
  for (const [index, name] of INLINE_RULES.entries()) {
    const rule = rules[index];
    const note = notes[name];
    if (rule !== undefined && note !== undefined) markdown.inline.ruler.at(name, watched(rule, note));
  }
}

const watched =
  (rule: InlineRule, note: Note): InlineRule =>
  (state, silent) => {
    const recorder = recorderOf(state.env);
    recorder.counter.spend();
    const start = state.pos;
    const tokensBefore = state.tokens.length;
    const isMatch = rule(state, silent);
    if (isMatch && !silent && recorder.isAbout(state))
      note(recorder)(state, { start, end: state.pos, tokensBefore });
    return isMatch;
  };

function boundNesting(markdown: MarkdownIt): void {
  const skipToken = markdown.inline.skipToken.bind(markdown.inline);
  markdown.inline.skipToken = (state) => {
    recorderOf(state.env).counter.spend();
    if (state.level >= MAX_NESTING - 1) throw new TooManySteps();
    skipToken(state);
  };
}

/** Counts what the rules of blocks look at. */
function countingState(markdown: MarkdownIt): typeof StateBlock {
  return class CountingState extends markdown.block.State {
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      recorderOf(this.env).counter.spend();
      const token = super.push(type, tag, nesting);
      if (this.level >= MAX_NESTING && CONTAINERS.has(type)) throw new TooManySteps();
      return token;
    }

    override isEmpty(line: number): boolean {
      recorderOf(this.env).counter.spend();
      return super.isEmpty(line);
    }
  };
}

const CONTAINERS: ReadonlySet<string> = new Set(['blockquote_open', 'list_item_open']);
