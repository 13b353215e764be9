import type { Address } from '../../state/address.js';
export function MissScreen({ address }: { address: Address }) {
  return <p>{address.screen}</p>;
}
