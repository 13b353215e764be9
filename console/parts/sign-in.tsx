import { useRef } from 'preact/hooks';
import type { ServiceError } from 'ragstone/client';
import { PROVIDER } from '../state/provider.js';
import type { SignInState } from '../state/use-sign-in.js';
import { shown } from '../text/shown.js';
import { Loading } from './basics.js';

/** What to do next; a failed sign-in says it itself. */
function nextStep({ reason, cause }: ServiceError, provider: string | undefined): string {
  if (cause instanceof Error && 'nextStep' in cause) return String(cause.nextStep);
  if (reason !== 'UNAUTHENTICATED') return 'Look whether the service runs, then try again.';
  return provider === undefined
    ? ''
    : 'Sign in again, or state another key. A token that is refused at once is not for this service: its operator compares rag.server.jwt with the token.';
}

/** Asks for a key where the service wants one, and says what is wrong where it does not answer. */
export function SignIn({ error, isAsking, enter, signIn }: SignInState) {
  const field = useRef<HTMLInputElement>(null);
  if (isAsking) return <Loading what="the service" />;
  const isOut = error !== undefined && error.reason !== 'UNAUTHENTICATED' && error.reason !== 'PAGE_FAILED';
  const provider = PROVIDER && new URL(PROVIDER.issuer).host;
  const step = error === undefined ? '' : nextStep(error, provider);
  return (
    <main class="sign-in panel">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enter(field.current?.value.trim() ?? '');
        }}
      >
        <h1>Ragstone</h1>
        {error === undefined ? (
          <p>{provider === undefined ? 'This service wants a key.' : 'Sign in, or state a key.'}</p>
        ) : null}
        {error === undefined ? null : (
          <div class="note bad" role="alert">
            <p>
              <strong>{shown(error.message)}</strong>
            </p>
            {step === '' ? null : <p>{step}</p>}
          </div>
        )}
        {provider === undefined ? null : (
          <div class="row">
            <button type="button" class="button main" onClick={signIn}>
              Sign in at {shown(provider)}
            </button>
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
            autofocus={provider === undefined}
            spellcheck={false}
          />
        </label>
        <div class="row">
          <button type="submit" class={provider === undefined ? 'button main' : 'button'}>
            {isOut ? 'Try again' : 'Enter'}
          </button>
        </div>
        <p class="small quiet">
          {provider === undefined ? 'It' : 'A key or token'} is kept in this tab until you close it, and sent
          in a header to this service alone. An operator of the service makes a key:{' '}
          <code>ragstone keys create</code>.
        </p>
      </form>
    </main>
  );
}
