import type { Env, StateInline, Token } from 'markdown-it';
import type { TextRange } from '../../core/document.js';
import type { Edit } from './edits.js';
import { brokenHtml, codeSpan, isHarmlessTag, shownImage, shownTarget } from './inert-forms.js';
import type { StepCounter } from './step-counter.js';

/** What is live in a paragraph, in offsets of its content. */
export interface InlineReading {
  readonly edits: readonly Edit[];
  readonly code: readonly TextRange[];
  /** Code, links, images and tags. */
  readonly wholes: readonly TextRange[];
  /** Tags were left as they are. */
  readonly hasHtml: boolean;
}

interface Match extends TextRange {
  /** Tokens that were there before it. */
  readonly tokensBefore: number;
}

const EMAIL = /^[^\s<>:@]+@[^\s<>:@]+$/;
const WEB_ADDRESS = /^(?:https?|ftps?):/i;

/** The words of inline tokens: what a reader of the rendered text sees, descriptions of images included. */
const plainTextOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      token.children === null || token.children.length === 0 ? wordsOf(token) : plainTextOf(token.children),
    )
    .join('');

function wordsOf({ type, content }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' ';
  return type === 'html_inline' ? '' : content;
}

/** Notes what the rules of a parser match while a paragraph is read. Tokens alone do not tell where they came from. */
export class InlineRecorder {
  readonly counter: StepCounter;
  #content = '';
  #edits: Edit[] = [];
  #code: TextRange[] = [];
  #wholes: TextRange[] = [];
  #hasHtml = false;

  constructor(counter: StepCounter) {
    this.counter = counter;
  }

  read(content: string, parse: (env: Env) => void): InlineReading {
    this.#content = content;
    [this.#edits, this.#code, this.#wholes, this.#hasHtml] = [[], [], [], false];
    parse({ recorder: this });
    return { edits: this.#edits, code: this.#code, wholes: this.#wholes, hasHtml: this.#hasHtml };
  }

  /** Whether a state reads the paragraph itself, not the description of an image in it. */
  isAbout = ({ src }: StateInline): boolean => src === this.#content;

  image(state: StateInline, { start, end }: Match): void {
    this.#wholes.push({ start, end });
    const alt = plainTextOf(state.tokens.at(-1)?.children ?? []);
    this.#edits.push({ start, end, text: shownImage(alt) });
  }

  link(state: StateInline, { start, end, tokensBefore }: Match): void {
    this.#wholes.push({ start, end });
    const labelEnd = state.md.helpers.parseLinkLabel(state, start, true);
    const opening = state.tokens.slice(tokensBefore).find(({ type }) => type === 'link_open');
    const target = opening?.attrGet('href') ?? '';
    this.#edits.push({ start, end: start + 1, text: '' });
    this.#edits.push({ start: labelEnd, end, text: shownTarget(String(target)) });
  }

  autolink(_: StateInline, { start, end }: Match): void {
    this.#wholes.push({ start, end });
    const target = this.#content.slice(start + 1, end - 1);
    if (EMAIL.test(target)) return;
    this.#edits.push({ start, end, text: WEB_ADDRESS.test(target) ? codeSpan(target) : `‹${target}>` });
  }

  html(_: StateInline, { start, end }: Match): void {
    this.#wholes.push({ start, end });
    const tag = this.#content.slice(start, end);
    if (isHarmlessTag(tag)) this.#hasHtml = true;
    else this.#edits.push({ start, end, text: brokenHtml(tag) });
  }

  codeSpan(state: StateInline, { start, end }: Match): void {
    if (state.tokens.at(-1)?.type !== 'code_inline' || state.pending !== '') return;
    this.#code.push({ start, end });
    this.#wholes.push({ start, end });
  }
}

export function recorderOf({ recorder }: Env): InlineRecorder {
  if (recorder instanceof InlineRecorder) return recorder;
  throw new TypeError('Markdown is read here with a recorder.');
}
