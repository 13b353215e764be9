import { useEffect, useRef } from 'preact/hooks';
import { Marked } from '../../parts/basics.js';
import { LazyMarkdown } from '../../parts/lazy-markdown.js';

interface RenderedProps {
  readonly text: string;
  readonly lines: { readonly start: number; readonly end: number } | undefined;
  readonly words: ReadonlySet<string>;
}

/** A fence of metadata at the beginning of a Markdown file is no text of it; its lines stay counted. */
const withoutFrontMatter = (text: string): string =>
  text.replace(/^---\n[\s\S]*?\n---(?=\n|$)/, (found) => found.replace(/[^\n]/g, ''));

/** The document as it is meant to be read, with the passage in sight. */
export function Rendered({ text, lines, words }: RenderedProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (lines === undefined || place.current === null) return;
    const show = (): boolean => {
      const first = place.current?.querySelector('.marked');
      first?.scrollIntoView({ block: 'center' });
      return first !== null && first !== undefined;
    };
    if (show()) return;
    // The reader of Markdown may still be loading.
    const observer = new MutationObserver(() => {
      if (show()) observer.disconnect();
    });
    observer.observe(place.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [text, lines?.start, lines?.end]);
  return (
    <div ref={place}>
      <LazyMarkdown
        text={withoutFrontMatter(text)}
        lines={lines}
        textOf={(piece) => <Marked text={piece} words={words} />}
      />
    </div>
  );
}
