import type { Address } from '../../state/address.js';
export function HealthScreen({ address }: { address: Address }) {
  return <p>{address.screen}</p>;
}
