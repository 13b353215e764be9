import { useEffect, useState } from 'preact/hooks';
import type { RunsState, ServiceError } from 'ragstone/client';
import { useSession } from '../../state/session.js';
import { asServiceError } from '../../state/use-load.js';

export type Run = RunsState['runs'][number];

export interface Runs {
  readonly runs: readonly Run[];
  readonly error: ServiceError | undefined;
  /** The service does not answer: `runs` are as they were last. */
  readonly isLost: boolean;
  readonly start: (request: { readonly sources?: string[]; readonly retry?: boolean }) => void;
  readonly stop: () => void;
}

/** Runs as they go on. The client follows them over a restart of the service. */
export function useRuns(): Runs {
  const { client } = useSession();
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [error, setError] = useState<ServiceError | undefined>(undefined);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      const options = { signal: controller.signal, onLost: () => setLost(true) };
      for await (const state of client.runEvents(options)) {
        setLost(false);
        setRuns(state.runs);
      }
    };
    follow().catch((cause: unknown) => {
      if (!controller.signal.aborted) setError(asServiceError(cause));
    });
    return () => controller.abort();
  }, []);
  const told = (work: Promise<unknown>): void => {
    setError(undefined);
    work.catch((cause: unknown) => setError(asServiceError(cause)));
  };
  return {
    runs,
    error,
    isLost,
    start: (request) => told(client.startRun(request)),
    stop: () => told(client.stopRuns()),
  };
}
