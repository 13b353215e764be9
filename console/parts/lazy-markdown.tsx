import { useEffect, useState } from 'preact/hooks';
import { shown } from '../text/shown.js';
import type { Markdown, MarkdownProps } from './markdown.js';

let kept: typeof Markdown | undefined;

/** Markdown, as text until its reader is loaded. */
export function LazyMarkdown(props: MarkdownProps) {
  const [Loaded, setLoaded] = useState<typeof Markdown | undefined>(() => kept);
  useEffect(() => {
    // Without it the text stays as it is written.
    if (kept === undefined)
      import('./markdown.js').then(
        ({ Markdown: loaded }) => {
          kept = loaded;
          setLoaded(() => loaded);
        },
        () => undefined,
      );
  }, []);
  return Loaded === undefined ? <p class="plain-text">{shown(props.text)}</p> : <Loaded {...props} />;
}
