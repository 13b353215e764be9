import { useEffect, useRef, useState } from 'preact/hooks';
import { type Address, firstOf, withQuery } from '../../state/address.js';
import { go } from '../../state/use-address.js';
import { useFirstField } from '../../state/use-first-field.js';
import { useKeys } from '../../state/use-keys.js';

/** How long somebody who types pauses before the search begins, in milliseconds. */
const PAUSE_MS = 180;

interface FieldProps {
  readonly address: Address;
  readonly isLoading: boolean;
  /** Goes to the first result; false where there is none. */
  readonly onResults: () => boolean;
}

/** The field, and which lanes run. The address follows what is typed. */
export function SearchField({ address, isLoading, onResults }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const query = firstOf(address, 'q');
  const [text, setText] = useState(query);
  const typed = useRef(query);
  useEffect(() => {
    // The address changed by other ways than by typing.
    if (query !== typed.current) setText(query);
    typed.current = query;
  }, [query]);
  const search = (next: string, isLeft = false): void => {
    typed.current = next;
    go(withQuery(address, { q: [next], exact: [], top: [] }), { replace: !isLeft });
  };
  useEffect(() => {
    if (text === query) return;
    const timer = setTimeout(() => search(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, query]);
  useFirstField(field, query === '');
  useKeys({
    '/': () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  return (
    <search class="field-row">
      <form
        class="big"
        onSubmit={(event) => {
          event.preventDefault();
          // What is shown already is gone to.
          if (text === query && !isLoading && onResults()) return;
          search(text, true);
        }}
      >
        <label class="unseen" for="q">
          Search for
        </label>
        <input
          ref={field}
          id="q"
          class="input"
          type="search"
          value={text}
          placeholder="Words, a question, a ticket, an error…"
          autocomplete="off"
          data-first
          spellcheck={false}
          maxLength={10_000}
          aria-keyshortcuts="/"
          aria-busy={isLoading}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            // The browser would empty the field, and leave the results of what stood there.
            if (event.key === 'Escape') {
              event.preventDefault();
              event.currentTarget.blur();
            }
            if (event.key === 'ArrowDown' && onResults()) event.preventDefault();
          }}
        />
      </form>
      <label class="row small quiet">
        by
        <select
          class="input mode"
          value={firstOf(address, 'mode')}
          onChange={(event) => go(withQuery(address, { mode: [event.currentTarget.value] }))}
        >
          <option value="">words and meaning</option>
          <option value="lexical">words alone</option>
          <option value="dense">meaning alone</option>
          <option value="graph">and what is connected</option>
        </select>
      </label>
    </search>
  );
}
