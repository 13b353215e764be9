import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Address } from '../state/address.js';
import { Loading } from './basics.js';

type ScreenOf = ComponentType<{ address: Address }>;

/** A screen whose program is loaded when it is shown first. */
export function lazyScreen(load: () => Promise<ScreenOf>): ScreenOf {
  let kept: ScreenOf | undefined;
  return function LazyScreen({ address }: { address: Address }) {
    const [Page, setPage] = useState<ScreenOf | undefined>(() => kept);
    const [isFailed, setFailed] = useState(false);
    useEffect(() => {
      if (kept !== undefined) return;
      load().then(
        (loaded) => {
          kept = loaded;
          setPage(() => loaded);
        },
        () => setFailed(true),
      );
    }, []);
    if (Page !== undefined) return <Page address={address} />;
    return isFailed ? (
      <p class="note bad" role="alert">
        This screen could not be loaded: the service was updated or does not answer.{' '}
        <button type="button" class="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </p>
    ) : (
      <Loading what="the screen" />
    );
  };
}
