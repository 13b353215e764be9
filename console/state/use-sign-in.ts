import { useEffect, useState } from 'preact/hooks';
import type { ServiceError } from 'ragstone/client';
import { clientOf, keptKey, type Session } from './session.js';
import { asServiceError } from './use-load.js';

export interface SignInState {
  readonly session: Session | undefined;
  readonly error: ServiceError | undefined;
  readonly isAsking: boolean;
  readonly enter: (key: string) => void;
}

/** Asks the service who reads the page: with the key of this tab, or without one where the service wants none. */
export function useSignIn(): SignInState {
  const [key, setKey] = useState(keptKey.get);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Omit<SignInState, 'enter'>>({
    session: undefined,
    error: undefined,
    isAsking: true,
  });
  useEffect(() => {
    const controller = new AbortController();
    const leave = (): void => {
      keptKey.forget();
      setKey(undefined);
      setTurn((before) => before + 1);
    };
    setState({ session: undefined, error: undefined, isAsking: true });
    const client = clientOf(key);
    client.caller({ signal: controller.signal }).then(
      (caller) => {
        if (controller.signal.aborted) return;
        if (key !== undefined) keptKey.set(key);
        setState({
          session: { client, caller, hasKey: key !== undefined, leave },
          error: undefined,
          isAsking: false,
        });
      },
      (cause: unknown) => {
        if (controller.signal.aborted) return;
        const error = asServiceError(cause);
        // That a key is wanted is no failure before one was stated.
        const isQuestion = key === undefined && error.reason === 'UNAUTHENTICATED';
        setState({ session: undefined, error: isQuestion ? undefined : error, isAsking: false });
      },
    );
    return () => controller.abort();
  }, [key, turn]);
  const enter = (stated: string): void => {
    setKey(stated === '' ? undefined : stated);
    setTurn((before) => before + 1);
  };
  return { ...state, enter };
}
