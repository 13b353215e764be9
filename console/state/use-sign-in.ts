import { useEffect, useState } from 'preact/hooks';
import type { ServiceError } from 'ragstone/client';
import { leaveForSignIn, PROVIDER, returnFromSignIn, takeReturned } from './provider.js';
import { type Credential, clientOf, keptCredential, type Session } from './session.js';
import { asServiceError } from './use-load.js';

export interface SignInState {
  readonly session: Session | undefined;
  readonly error: ServiceError | undefined;
  readonly isAsking: boolean;
  readonly enter: (key: string) => void;
  /** Leads to the provider; undefined where the service takes keys alone. */
  readonly signIn: (() => void) | undefined;
}

/** Asks the service who reads the page: with the key or token of this tab, or without one where the service wants none. */
export function useSignIn(): SignInState {
  const [returned, setReturned] = useState(takeReturned);
  const [credential, setCredential] = useState<Credential | undefined>(keptCredential.get);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Pick<SignInState, 'session' | 'error' | 'isAsking'>>({
    session: undefined,
    error: undefined,
    isAsking: true,
  });
  const take = (next: Credential | undefined): void => {
    setCredential(() => next);
    setTurn((before) => before + 1);
  };
  const fail = (cause: unknown): void =>
    setState({ session: undefined, error: asServiceError(cause), isAsking: false });
  const provider = PROVIDER;
  const signIn =
    provider === undefined
      ? undefined
      : (): void => {
          setState({ session: undefined, error: undefined, isAsking: true });
          leaveForSignIn(provider).catch(fail);
        };
  useEffect(() => {
    setState({ session: undefined, error: undefined, isAsking: true });
    if (returned !== undefined && provider !== undefined) {
      returnFromSignIn(provider, returned).then(() => {
        setReturned(undefined);
        take(keptCredential.get());
      }, fail);
      return;
    }
    const controller = new AbortController();
    const leave = (): void => {
      keptCredential.forget();
      take(undefined);
    };
    const client = clientOf(credential);
    client.caller({ signal: controller.signal }).then(
      (caller) => {
        if (controller.signal.aborted) return;
        if (typeof credential === 'string') keptCredential.setKey(credential);
        const signInAgain = typeof credential === 'function' ? signIn : undefined;
        const session = { client, caller, hasKey: credential !== undefined, leave, signInAgain };
        setState({ session, error: undefined, isAsking: false });
      },
      (cause: unknown) => {
        if (controller.signal.aborted) return;
        const error = asServiceError(cause);
        // That a key is wanted is no failure before one was stated.
        const isQuestion = credential === undefined && error.reason === 'UNAUTHENTICATED';
        setState({ session: undefined, error: isQuestion ? undefined : error, isAsking: false });
      },
    );
    return () => controller.abort();
  }, [credential, turn]);
  const enter = (key: string): void => {
    setReturned(undefined);
    keptCredential.forget();
    take(key === '' ? undefined : key);
  };
  return { ...state, enter, signIn };
}
