import { useRef } from 'preact/hooks';
import type { SignInState } from '../state/use-sign-in.js';
import { shown } from '../text/shown.js';
import { Loading } from './basics.js';

/** Asks for a key where the service wants one, and says what is wrong where it does not answer. */
export function SignIn({ error, isAsking, enter }: SignInState) {
  const field = useRef<HTMLInputElement>(null);
  if (isAsking) return <Loading what="the service" />;
  const isOut = error !== undefined && error.reason !== 'UNAUTHENTICATED';
  return (
    <main class="sign-in panel">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enter(field.current?.value.trim() ?? '');
        }}
      >
        <h1>Ragstone</h1>
        {error === undefined ? <p>This service wants a key.</p> : null}
        {error === undefined ? null : (
          <div class="note bad" role="alert">
            <p>
              <strong>{shown(error.message)}</strong>
            </p>
            {isOut ? <p>Look whether the service runs, then try again.</p> : null}
          </div>
        )}
        <label class="field">
          Key
          <input
            ref={field}
            class="input"
            type="password"
            autocomplete="current-password"
            name="key"
            autofocus
            spellcheck={false}
          />
        </label>
        <div class="row">
          <button type="submit" class="button main">
            {isOut ? 'Try again' : 'Enter'}
          </button>
        </div>
        <p class="small quiet">
          It is kept in this tab until you close it, and sent in a header to this service alone. Whoever runs
          the service makes one: <code>ragstone keys create</code>.
        </p>
      </form>
    </main>
  );
}
