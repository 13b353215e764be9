import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { markWords, type Piece } from '../text/marks.js';
import { ageOf, shown, timeOf } from '../text/shown.js';

const NO_WORDS: ReadonlySet<string> = new Set();

/** A text of a document, with the words of the query marked. It is shown as text, whatever it holds. */
export function Marked({ text, words = NO_WORDS }: { text: string; words?: ReadonlySet<string> }) {
  return (
    <>
      {markWords(shown(text), words).map(({ text: piece, isMark }: Piece) =>
        isMark ? <mark>{piece}</mark> : piece,
      )}
    </>
  );
}

/** A sentence of the service: what stands between its backticks is code. */
export function Worded({ text }: { text: string }) {
  return (
    <>
      {shown(text)
        .split(/`([^`\n]+)`/)
        .map((piece, at) => (at % 2 === 1 ? <code>{piece}</code> : piece))}
    </>
  );
}

/** How long ago something was, with its exact time on hover. */
export function Age({ of }: { of: string | undefined }) {
  const words = ageOf(of, Date.now());
  return words === '' ? null : (
    <time dateTime={of} title={timeOf(of)}>
      {words}
    </time>
  );
}

/** A sentence for screen readers alone. */
export function Told({ children }: { children: ComponentChildren }) {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {children}
    </div>
  );
}

/** Names of the columns of a table. */
export function Columns({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const COPIED_MS = 1_600;

/** Copies a text and says so. Where the browser keeps the clipboard to itself, the text is shown to be copied by hand. */
export function useCopy(): readonly [told: string, copy: (text: string, what: string) => void] {
  const [told, setTold] = useState('');
  useEffect(() => {
    if (told === '') return;
    const timer = setTimeout(() => setTold(''), COPIED_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = (text: string, what: string): void => {
    const done = (): void => setTold(`Copied ${what}`);
    // A page that came over plain HTTP from another machine has no clipboard.
    if (navigator.clipboard === undefined) prompt(`Copy ${what}:`, text);
    else navigator.clipboard.writeText(text).then(done, () => prompt(`Copy ${what}:`, text));
  };
  return [told, copy];
}

export function CopyButton({
  text,
  what,
  children,
}: {
  text: () => string;
  what: string;
  children: ComponentChildren;
}) {
  const [told, copy] = useCopy();
  return (
    <button type="button" class="button plain" onClick={() => copy(text(), what)}>
      {told === '' ? children : told}
    </button>
  );
}

/** Several ways to copy one thing, in a menu that Escape closes. */
export function CopyMenu({ entries }: { entries: readonly (readonly [name: string, text: () => string])[] }) {
  const [told, copy] = useCopy();
  const close = (element: EventTarget | null): void => {
    const menu = element instanceof Element ? element.closest('details') : null;
    menu?.removeAttribute('open');
    menu?.querySelector('summary')?.focus();
  };
  return (
    <details
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close(event.currentTarget);
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !event.currentTarget.contains(to))
          event.currentTarget.removeAttribute('open');
      }}
    >
      <summary class="button plain">{told === '' ? 'Copy as \u25be' : told}</summary>
      <div>
        {entries.map(([name, text]) => (
          <button
            key={name}
            type="button"
            onClick={(event) => {
              copy(text(), name.toLowerCase());
              close(event.currentTarget);
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </details>
  );
}

/** A place where nothing is to be seen, and what leads on. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="empty" role="status">
      Loading {what}…
    </p>
  );
}
