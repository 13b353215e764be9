import { useCallback, useEffect, useState } from 'preact/hooks';
import { ServiceError } from 'ragstone/client';

/** Something that is asked for: what came last stays while the next comes. */
export interface Load<Value> {
  readonly value?: Value | undefined;
  readonly error?: ServiceError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<Value> {
  readonly value?: Value | undefined;
  readonly error?: ServiceError | undefined;
  readonly of?: string;
}

/**
 * Asks when `key` changes, and cancels what nobody waits for any more.
 *
 * @param key what is asked for, as a text; undefined: nothing
 */
export function useLoad<Value>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<Value>,
): Load<Value> {
  const [state, setState] = useState<State<Value>>({});
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const of = key === undefined ? undefined : `${turn} ${key}`;
  useEffect(() => {
    if (of === undefined) {
      setState({});
      return;
    }
    const controller = new AbortController();
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, of });
      },
      (cause: unknown) => {
        if (!controller.signal.aborted) setState({ error: asServiceError(cause), of });
      },
    );
    return () => controller.abort();
    // What is asked is what `of` names.
  }, [of]);
  const isLoading = of !== undefined && state.of !== of;
  return { value: state.value, error: isLoading ? undefined : state.error, isLoading, reload };
}

/** A fault of the page itself is shown as one of the service is. */
export const asServiceError = (cause: unknown): ServiceError =>
  ServiceError.isInstance(cause)
    ? cause
    : new ServiceError({
        reason: 'PAGE_FAILED',
        message: cause instanceof Error ? cause.message : String(cause),
        code: 'E005',
        category: 'config',
        retryable: false,
        cause,
      });
