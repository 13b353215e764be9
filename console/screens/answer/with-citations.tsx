import type { ComponentChildren } from 'preact';
import type { AnswerResponse } from 'ragstone/client';
import type { TextOf } from '../../parts/markdown.js';
import { shown } from '../../text/shown.js';

interface CitationOptions {
  readonly support: AnswerResponse['support'];
  readonly onShow: (n: number) => void;
}

const CITATION = /\[(\d{1,3})\]/g;

/** A text of an answer: `[n]` leads to its passage, and what was not checked is underlined. */
export function withCitations({ support, onShow }: CitationOptions): TextOf {
  const doubtful = support
    .filter(({ verdict, isRemoved }) => verdict !== 'supported' && !isRemoved)
    .map(({ sentence }) => sentence.replace(CITATION, '').trim())
    .filter((sentence) => sentence.length > 0);
  return (text) => {
    const pieces: ComponentChildren[] = [];
    let end = 0;
    for (const { 0: whole, 1: digits, index } of text.matchAll(CITATION)) {
      const n = Number(digits);
      pieces.push(doubtfulIn(text.slice(end, index), doubtful));
      pieces.push(
        <button type="button" class="citation" aria-label={`Passage ${n}`} onClick={() => onShow(n)}>
          {n}
        </button>,
      );
      end = index + whole.length;
    }
    pieces.push(doubtfulIn(text.slice(end), doubtful));
    return pieces;
  };
}

function doubtfulIn(text: string, sentences: readonly string[]): ComponentChildren {
  const sentence = sentences.find((one) => text.includes(one));
  if (sentence === undefined) return shown(text);
  const at = text.indexOf(sentence);
  return (
    <>
      {shown(text.slice(0, at))}
      <span class="doubtful" title="No passage was found that says it">
        {shown(sentence)}
      </span>
      {shown(text.slice(at + sentence.length))}
    </>
  );
}
