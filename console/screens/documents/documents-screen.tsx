import type { Address } from '../../state/address.js';
import { DocumentList } from './document-list.js';
import { DocumentView } from './document-view.js';

/** All documents, or the one that the address names. */
export function DocumentsScreen({ address }: { address: Address }) {
  return address.id === undefined ? (
    <DocumentList address={address} />
  ) : (
    <DocumentView key={address.id} id={address.id} address={address} />
  );
}
