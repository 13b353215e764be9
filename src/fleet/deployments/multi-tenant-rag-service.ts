import { RAGError } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { EngineView, IndexResult, SearchQuery, SearchResult } from '../../operations/engine.js';
import type { TenantIndexes } from './tenant-indexes.js';

/** Who asks: a project of a tenant, with what it may do there. */
export interface TenantContext {
  readonly tenantId: string;
  readonly projectId: string;
  /** `read` to search, `write` to index. */
  readonly permissions: readonly string[];
}

/** A document of a project. */
export interface TenantDocument {
  /** The project's own: another project may have the same. */
  readonly id: string;
  readonly content: string;
  readonly metadata?: (Metadata & { readonly title?: string; readonly url?: string }) | undefined;
}

/**
 * Documents of projects of tenants. A project is a scope and no name that is made of two, so that tenant `a_b` with project `c` and
 * tenant `a` with project `b_c` have nothing in common.
 */
export class MultiTenantRAGService {
  readonly #indexes: TenantIndexes;

  /** @param indexes `indexesOf(engine)` for one index, or deployments. They are not closed. */
  constructor(indexes: TenantIndexes) {
    this.#indexes = indexes;
  }

  /**
   * Indexes documents of a project, each in place of the one of its id. What cannot be indexed is told in `stats.errors`.
   *
   * @throws RAGError `FORBIDDEN` without the permission `write`, `SCOPE_INVALID` for no tenant or project
   */
  async indexForTenant(documents: readonly TenantDocument[], tenant: TenantContext): Promise<IndexResult> {
    const view = await this.#view(tenant, 'write');
    return view.push(
      documents.map(({ id, content, metadata = {} }) => {
        const { title, url, ...rest } = metadata;
        return {
          id,
          text: content,
          ...withoutUndefined({ title, url }),
          metadata: { ...rest, tenant_id: tenant.tenantId, project_id: tenant.projectId },
        };
      }),
    );
  }

  /** Searches in the documents of a project alone. @throws RAGError `FORBIDDEN` without the permission `read`, `SCOPE_INVALID` */
  async searchForTenant(query: string | SearchQuery, tenant: TenantContext): Promise<SearchResult[]> {
    const view = await this.#view(tenant, 'read');
    return [...(await view.search(query)).results];
  }

  async #view(
    { tenantId, projectId, permissions }: TenantContext,
    needed: 'read' | 'write',
  ): Promise<EngineView> {
    // Without one the scope would be every project of the tenant.
    if (typeof projectId !== 'string' || projectId === '')
      throw new RAGError('SCOPE_INVALID', 'A tenant context needs a projectId.');
    if (!Array.isArray(permissions) || !permissions.includes(needed))
      throw new RAGError('FORBIDDEN', `The tenant context does not have the permission "${needed}".`);
    return (await this.#indexes.of({ tenant: tenantId, project: projectId })).view;
  }
}
