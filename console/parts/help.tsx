import type { RefObject } from 'preact';

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['/', 'to the search field'],
  ['\u2193 or Enter', 'from the search field to the first result'],
  ['j', 'next result'],
  ['k', 'previous result'],
  ['Enter', 'open the chosen result'],
  ['w', 'why the chosen result stands where it does'],
  ['r', 'the chosen result is relevant (where feedback is on)'],
  ['n', 'it is not'],
  ['?', 'this page'],
  ['Esc', 'close what is open'],
];

/** Keys, and where the rest is described. */
export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h1 id="help-title">Keys</h1>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <p class="small quiet">
        Everything here is also a command and a route: <a href="docs">routes of this service</a>. The address
        of the page holds what you see, so that you can send it on; it never holds a key.
      </p>
      <form method="dialog" class="row">
        <button type="submit" class="button main" autofocus>
          Close
        </button>
      </form>
    </dialog>
  );
}
