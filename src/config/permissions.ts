/** What a key or token may allow in its tenant. */
export const TENANT_PERMISSIONS = ['read', 'write', 'maintain'] as const;

/** What a key or token may allow: in its tenant, and `admin` and `monitor`, which are over all tenants and belong to operators of the service. */
export const PERMISSIONS = [...TENANT_PERMISSIONS, 'admin', 'monitor'] as const;
