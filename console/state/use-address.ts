import { useEffect, useState } from 'preact/hooks';
import { type Address, readAddress, writeAddress } from './address.js';

/** The address of the page, as it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => readAddress(location.hash));
  useEffect(() => {
    const read = (): void => setAddress(readAddress(location.hash));
    addEventListener('hashchange', read);
    // It may have changed since the page was made.
    read();
    return () => removeEventListener('hashchange', read);
  }, []);
  return address;
}

/** Leads to another address; with `replace` the one before is not gone back to, as while somebody types. */
export function go(address: Address, { replace = false } = {}): void {
  const hash = writeAddress(address);
  if (hash === location.hash) return;
  if (replace) {
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = hash;
}
