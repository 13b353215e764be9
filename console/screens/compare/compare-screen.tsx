import type { Address } from '../../state/address.js';
export function CompareScreen({ address }: { address: Address }) {
  return <p>{address.screen}</p>;
}
