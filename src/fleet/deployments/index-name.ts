import { RAGError } from '../../core/errors.js';

const SUFFIX = '-knowledge';
/** It is the name of a folder, too. */
const LONGEST = 100;

/**
 * Name of a tenant's own index: letters and digits of the tenant's id in lower case, and `-knowledge`. `Tenant-ABC-123` has
 * `tenantabc123-knowledge`, and so has `tenantabc123`: the caller refuses the second of two such tenants.
 *
 * @throws RAGError `DEPLOYMENT_INVALID` for an id without any letter or digit, or one that is too long for a name
 */
export function dedicatedIndexName(tenantId: string): string {
  const name = tenantId.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (name === '' || name.length > LONGEST)
    throw new RAGError(
      'DEPLOYMENT_INVALID',
      `The tenant ${JSON.stringify(tenantId)} can have no index of its own: the name of the index is made of the letters and digits (a to z, 0 to 9) of its id, at least one and at most ${LONGEST}.`,
    );
  return `${name}${SUFFIX}`;
}
