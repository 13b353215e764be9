import type { Address } from '../../state/address.js';
export function QuestionsScreen({ address }: { address: Address }) {
  return <p>{address.screen}</p>;
}
