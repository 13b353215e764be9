import type { Address } from '../../state/address.js';
export function SourcesScreen({ address }: { address: Address }) {
  return <p>{address.screen}</p>;
}
